// D34: threads of one process that read one variable at once, while its rows are updated.
#include "jobs.hpp"

namespace tenter::store_faults {
namespace {

constexpr std::uint64_t rows = 3, row_bytes = 480;  // long enough that a read of one takes several chunks
constexpr std::size_t threads = 6;

Blob row_of(char letter) {
  return Blob(row_bytes, [&](MutableBytes to) { std::fill(to.begin(), to.end(), static_cast<std::byte>(letter)); });
}

TEST(StoreThreads, D34_that_read_one_variable_at_once_each_get_their_own_rows_whole) {
  Play play;
  play.jobs = {{"job", 2}};
  play.readers = {"reader"};
  play.steps = {[](Script& s) { s.open("job"); },
                [](Script& s) {
                  s.add("job", "x", rows, [](std::uint32_t rank, AddCall& call) {
                    call.row_shape = {row_bytes};
                    call.versioned = true;
                    call.content = Blob(rows * row_bytes, [&](MutableBytes to) {
                      for (std::size_t i = 0; i < to.size(); ++i)
                        to[i] = static_cast<std::byte>('a' + rank * rows + i / row_bytes);
                    });
                  });
                },
                [](Script& s) { s.join("reader", "x", seconds(20), 2); },
                [](Script& s) {
                  for (std::uint64_t i = 0; i < threads; ++i) {
                    s.get("reader", "x", {i % 3, 4}, row_bytes);
                    s.get("job 0", "x", {i % 3, 4}, row_bytes);
                    s.update("job", i % 2, "x", i % rows, row_of(static_cast<char>('A' + (i % 2) * rows + i % rows)));
                  }
                },
                [](Script& s) { s.leave("reader", "x"); },
                [](Script& s) { s.close("job"); }};
  std::size_t updated = 0, old = 0;
  for_each_seed(play, 200, [&](const Played& played) {
    EXPECT_EQ(played.finding, "");
    for (const auto& step : played.answers) expect_all(step, Status::ok);
    std::uint64_t call = 0;
    for (const Asked& asked : played.answers[3]) {
      if (asked.buffer == Buffer{}) continue;
      const std::uint64_t first = call++ / 2 % 3;
      ASSERT_EQ(asked.bytes.size(), 4 * row_bytes);
      for (std::uint64_t i = 0; i < 4; ++i) {
        const Bytes row = asked.bytes.bytes().subspan(i * row_bytes, row_bytes);
        const bool is_new = row[0] == static_cast<std::byte>('A' + first + i);
        EXPECT_TRUE(is_new || row[0] == static_cast<std::byte>('a' + first + i)) << asked.process << ", row " << first + i;
        EXPECT_TRUE(std::all_of(row.begin(), row.end(), [&](std::byte b) { return b == row[0]; })) << "torn row " << first + i;
        ++(is_new ? updated : old);
      }
    }
  });
  EXPECT_GT(updated, 0u);
  EXPECT_GT(old, 0u);
}

}  // namespace
}  // namespace tenter::store_faults
