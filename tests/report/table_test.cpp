// Claims about text tables.
#include "cli/report/table.hpp"

#include <gtest/gtest.h>

namespace tenter::report {
namespace {

TEST(Table, columns_are_as_wide_as_their_widest_cell) {
  Table table({{"test", Align::left}, {"bytes"}, {"MB/s"}});
  table.row({"a", "8", "0.36"});
  table.row({"a longer name", "1000000000", "12.5"});
  EXPECT_EQ(table.text("# "),
            "# test                bytes  MB/s\n"
            "  a                       8  0.36\n"
            "  a longer name  1000000000  12.5\n");
}

TEST(Table, counts_characters_and_not_bytes) {
  Table table({{"wert", Align::left}, {"n"}});
  table.row({"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", "1"});
  EXPECT_EQ(table.text(), "wert   n\n\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9  1\n");
}

TEST(Table, a_short_row_leaves_the_rest_empty_and_no_blanks_at_the_end) {
  Table table({{"a", Align::left}, {"b", Align::left}});
  table.row({"x"});
  EXPECT_EQ(table.text(), "a  b\nx\n");
}

TEST(TableDeathTest, a_row_with_too_many_cells_is_a_programmer_error) {
  Table table({{"a"}});
  EXPECT_DEATH(table.row({"1", "2"}), "columns_");
}

}  // namespace
}  // namespace tenter::report
