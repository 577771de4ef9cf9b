#include "cli/report/table.hpp"

#include <algorithm>

#include "cli/report/utf8.hpp"
#include "core/check.hpp"

namespace tenter::report {

void Table::row(std::vector<std::string> cells) {
  TENTER_CHECK(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::string_view header_prefix) const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::vector<std::size_t> widths(columns_.size(), 0);
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], columns_of(cells[i]));
  };
  widen(titles);
  for (const auto& cells : rows_) widen(cells);

  const auto line = [&](std::string text, const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - columns_of(cells[i]), ' ');
      if (i > 0) text += "  ";
      text += columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string all = line(std::string(header_prefix), titles);
  for (const auto& cells : rows_) all += line(std::string(columns_of(header_prefix), ' '), cells);
  return all;
}

}  // namespace tenter::report
