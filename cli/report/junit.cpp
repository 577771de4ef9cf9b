#include "cli/report/junit.hpp"

#include <set>
#include <sstream>
#include <vector>

#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::report {

namespace {

struct Case {
  std::string name;
  std::string failure;  // message; empty = it did not fail
  std::string skipped;  // message; empty = it ran
  std::string output;
};

std::string element_of(const Case& test, const std::string& suite) {
  std::string text = "    <testcase classname=\"" + xml_text(suite) + "\" name=\"" + xml_text(test.name) + "\">\n";
  if (!test.failure.empty()) text += "      <failure message=\"" + xml_text(test.failure) + "\"/>\n";
  if (!test.skipped.empty()) text += "      <skipped message=\"" + xml_text(test.skipped) + "\"/>\n";
  if (!test.output.empty()) text += "      <system-out>" + xml_text(test.output) + "</system-out>\n";
  return text + "    </testcase>\n";
}

std::string document_of(const std::string& suite, const std::vector<Case>& cases, double wall_s) {
  std::size_t failed = 0, skipped = 0;
  for (const Case& test : cases) {
    failed += test.failure.empty() ? 0 : 1;
    skipped += test.skipped.empty() ? 0 : 1;
  }
  std::ostringstream text;
  text << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"" << xml_text(suite) << "\" tests=\""
       << cases.size() << "\" failures=\"" << failed << "\" errors=\"0\" skipped=\"" << skipped << "\" time=\"" << wall_s
       << "\">\n";
  for (const Case& test : cases) text << element_of(test, suite);
  text << "  </testsuite>\n</testsuites>\n";
  return text.str();
}

// Every failure of `property` in one case: the first one is the message, all are in the output.
Case case_of_property(const std::string& property, const std::vector<Failure>& failures) {
  Case test{property, "", "", ""};
  for (const Failure& failure : failures) {
    if (failure.property != property) continue;
    const std::string where =
        "seed " + text_of_hex(failure.seed) + " step " + std::to_string(failure.step) + " node " + failure.node;
    if (test.failure.empty()) test.failure = where + (failure.what.empty() ? "" : ": " + failure.what);
    test.output += where + "\nagain " + failure.again + "\n";
  }
  return test;
}

}  // namespace

std::string junit_of(const RunResult& result) {
  std::set<std::string> properties(result.properties.begin(), result.properties.end());
  for (const Failure& failure : result.failures) properties.insert(failure.property);
  std::vector<Case> cases;
  for (const std::string& property : properties) cases.push_back(case_of_property(property, result.failures));

  Case determinism{"determinism", "", "", std::to_string(result.determinism.checked) + " seeds ran twice"};
  if (result.determinism.mismatches > 0)
    determinism.failure = std::to_string(result.determinism.mismatches) + " seeds gave another digest the second time";
  if (result.determinism.checked == 0) determinism.skipped = "no seed ran twice";
  cases.push_back(determinism);

  for (const auto& [goal, hits] : result.sometimes) {
    cases.push_back({"sometimes " + goal, "", hits == 0 ? "never hit in " + std::to_string(result.seeds) + " seeds" : "",
                     hits == 0 ? "" : std::to_string(hits) + " hits"});
  }
  if (result.unknown > 0)
    cases.push_back({"liveness budget", "", std::to_string(result.unknown) + " seeds undecided when their budget was spent", ""});
  return document_of(result.protocol, cases, result.wall_s);
}

std::string junit_of(const MutantsResult& result) {
  Case test{"every mutant is found or explained", "", "", ""};
  for (const auto& survivor : result.survivors) {
    test.output +=
        survivor.mutant + ": " + (survivor.reason.empty() ? "survives, unexplained" : "equivalent: " + survivor.reason) + "\n";
  }
  if (result.survivors_unexplained() > 0)
    test.failure =
        std::to_string(result.survivors_unexplained()) + " of " + std::to_string(result.tried) + " mutants survive unexplained";
  return document_of(result.protocol + " mutants", {test}, 0);
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : utf8_repaired(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 && c != '\n' && c != '\t')
          escaped += "\xEF\xBF\xBD";
        else
          escaped += c;
      }
    }
  }
  return escaped;
}

}  // namespace tenter::report
