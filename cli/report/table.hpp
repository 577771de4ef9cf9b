// A text table whose columns are as wide as what is in them, so that no two ever run together.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace tenter::report {

enum class Align : unsigned char { left, right };

struct Column {
  std::string title;
  Align align = Align::right;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell a column; fewer leave the rest empty, more is a programmer error.
  void row(std::vector<std::string> cells);

  // The header behind `header_prefix` ("# " marks it as a comment), then a line a row; two spaces between columns, none at the
  // end of a line.
  std::string text(std::string_view header_prefix = "") const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tenter::report
