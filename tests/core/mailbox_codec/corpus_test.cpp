// Every input in fuzz/corpus/<target>/ through its target: hostile headers, frames and lists of the case lists, and whatever a
// fuzzer once found. A check that fails ends the test with its expression.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/check.hpp"
#include "fuzz/mailbox_targets.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::mailbox::test {
namespace {

[[noreturn]] void throw_failure(const char* expression, const char*, int line) {
  throw std::runtime_error("line " + std::to_string(line) + ": " + expression);
}

class Corpus : public testing::TestWithParam<fuzz::Decoder> {};

TEST_P(Corpus, of_the_target_holds_every_check_also_cut_and_flipped) {
  const CheckHandler before = install_check_handler(throw_failure);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TENTER_CORPUS_DIR) / GetParam().name)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    ++files;
    const auto run = [&](Bytes input) {
      EXPECT_NO_THROW(GetParam().run(input))
          << entry.path().filename() << " " << hex(input.first(std::min<std::size_t>(input.size(), 400)));
    };
    run(bytes_of(content));
    if (content.size() > 2'048) continue;
    const Blob seed(content);
    for_each_cut(seed, run);
    for_each_flip(seed, [&](Bytes flipped, std::size_t) { run(flipped); });
  }
  EXPECT_GE(files, 5u) << "the corpus is gone";
  install_check_handler(before);
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, testing::ValuesIn(fuzz::mailbox_targets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace tenter::mailbox::test
