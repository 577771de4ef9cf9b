// Every input in fuzz/corpus/<target>/ through its target: good values, the hostile ones of the case lists, and whatever a fuzzer
// once found; also cut and flipped. A check that fails ends the test with its expression.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/control_targets.hpp"
#include "tests/core/control_codec/samples.hpp"
#include "tests/core/store_codec/failing_check.hpp"

namespace tenter::control::test {
namespace corpus_test {
namespace {

class ControlCorpus : public testing::TestWithParam<fuzz::Decoder> {};

TEST_P(ControlCorpus, of_the_target_holds_every_check_also_cut_and_flipped) {
  const store::test::FailingCheck failing;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TENTER_CORPUS_DIR) / GetParam().name)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    ++files;
    const auto run = [&](Bytes input) { EXPECT_NO_THROW(GetParam().run(input)) << entry.path().filename() << " " << hex(input); };
    const Blob seed(content);
    run(seed.bytes());
    for_each_cut(seed, run);
    for_each_flip(seed, [&](Bytes flipped, std::size_t) { run(flipped); });
  }
  EXPECT_GE(files, 3u) << "the corpus is gone";
}

INSTANTIATE_TEST_SUITE_P(Targets, ControlCorpus, testing::ValuesIn(fuzz::control_targets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace corpus_test
}  // namespace tenter::control::test
