// Every input in fuzz/corpus/<target>/ through its target: the hostile records of the case lists (X01, X02), and whatever a
// fuzzer once found. A check that fails ends the test with its expression.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/store_targets.hpp"
#include "tests/core/store_codec/failing_check.hpp"
#include "tests/core/store_codec/samples.hpp"

namespace tenter::store::test {
namespace corpus_test {
namespace {

class StoreCorpus : public testing::TestWithParam<fuzz::Decoder> {};

TEST_P(StoreCorpus, of_the_target_holds_every_check_also_cut_and_flipped) {
  const FailingCheck failing;
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
    if (content.size() > 400) continue;  // record files have their own ladders (record_test.cpp)
    const Blob seed(content);
    for_each_cut(seed, run);
    for_each_flip(seed, [&](Bytes flipped, std::size_t) { run(flipped); });
  }
  EXPECT_GE(files, 4u) << "the corpus is gone";
}

INSTANTIATE_TEST_SUITE_P(Targets, StoreCorpus, testing::ValuesIn(fuzz::store_targets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace corpus_test
}  // namespace tenter::store::test
