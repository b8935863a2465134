// SPDX-License-Identifier: BSD-3-Clause
#include "common/number_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/npy_file.hpp"

namespace plait::imaging {
namespace {

struct triplet {
  std::int64_t row = 0;
  std::int64_t column = 0;
  double value = 0;
};

/// Holds what a file of two axes holds: all numbers, or those that are listed.
struct table {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<triplet> listed;
};

constexpr std::int64_t most_numbers = std::int64_t{1} << 31;

/// Of a regular file: a device may have no end, and a pipe no writer.
std::string read_bytes(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    throw usage_error(fmt::format("{}: there is no such file", path));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  // Nothing to copy would be a failure of the stream.
  if (file && std::filesystem::file_size(path, failure) > 0) bytes << file.rdbuf();
  if (!file || !bytes) throw usage_error(fmt::format("{}: cannot be read", path));
  return std::move(bytes).str();
}

/// Lines of a text with their numbers.
class lines {
 public:
  lines(std::string path, const std::string& text) : path_(std::move(path)), text_(text) {}

  /// The next line, or nothing.
  std::optional<std::string_view> next() {
    if (at_ >= text_.size()) return std::nullopt;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    return line;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw usage_error(fmt::format("{}, line {}: {}", path_, number_, what));
  }

  /// The numbers of a line.
  std::vector<double> numbers(std::string_view line) const {
    std::vector<double> found;
    const char* at = line.data();
    const char* const end = at + line.size();
    while (true) {
      while (at < end && (std::isspace(static_cast<unsigned char>(*at)) != 0 || *at == ',')) ++at;
      if (at < end && *at == '+') ++at;
      if (at >= end) return found;
      double value = 0;
      const auto [after, code] = std::from_chars(at, end, value);
      if (code != std::errc()) refuse(fmt::format("'{}' is not a number", word(at, end)));
      found.push_back(value);
      at = after;
    }
  }

 private:
  static std::string_view word(const char* at, const char* end) {
    return {at, std::find_if(at, end, [](char c) {
              return std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',';
            })};
  }

  std::string path_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
};

table parse_text(const std::string& path, const std::string& text) {
  table result;
  lines from(path, text);
  while (const auto line = from.next()) {
    const std::vector<double> row = from.numbers(line->substr(0, line->find('#')));
    if (row.empty()) continue;
    if (result.rows > 0 && std::ssize(row) != result.columns)
      from.refuse(
          fmt::format("{} numbers, where lines before have {}", row.size(), result.columns));
    result.columns = std::ssize(row);
    for (std::int64_t i = 0; i < result.columns; ++i)
      result.listed.push_back({result.rows, i, row[static_cast<std::size_t>(i)]});
    ++result.rows;
  }
  if (result.rows == 0) throw usage_error(fmt::format("{}: no numbers", path));
  return result;
}

struct banner {
  bool is_array = false;
  bool is_pattern = false;
  std::string symmetry;
};

banner parse_banner(const lines& from, std::string_view line) {
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::istringstream words(lower);
  std::string head, object, format, field, symmetry;
  words >> head >> object >> format >> field >> symmetry;
  if (head != "%%matrixmarket" || object != "matrix")
    from.refuse("a file of Matrix Market begins with '%%MatrixMarket matrix'");
  if (format != "coordinate" && format != "array")
    from.refuse(fmt::format("format '{}'; it is coordinate or array", format));
  if (field != "real" && field != "integer" && field != "pattern" && field != "double")
    from.refuse(fmt::format("numbers are '{}'; real, integer and pattern are read", field));
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric")
    from.refuse(fmt::format("'{}'; general, symmetric and skew-symmetric are read", symmetry));
  if (format == "array" && (field == "pattern" || symmetry != "general"))
    from.refuse("an array is read where it is general and has numbers");
  return {format == "array", field == "pattern", symmetry};
}

std::int64_t whole(const lines& from, double value, std::int64_t low, std::int64_t high) {
  const auto result = static_cast<std::int64_t>(value);
  if (static_cast<double>(result) != value || result < low || result > high)
    from.refuse(fmt::format("{} where a whole number from {} to {} belongs", value, low, high));
  return result;
}

void add_entry(table& to, const lines& from, const banner& kind, const std::vector<double>& row) {
  if (row.size() != (kind.is_pattern ? 2U : 3U))
    from.refuse(
        fmt::format("{} numbers, where an entry has {}", row.size(), kind.is_pattern ? 2 : 3));
  const triplet one{whole(from, row[0], 1, to.rows) - 1, whole(from, row[1], 1, to.columns) - 1,
                    kind.is_pattern ? 1.0 : row[2]};
  to.listed.push_back(one);
  if (kind.symmetry != "general" && one.row != one.column)
    to.listed.push_back(
        {one.column, one.row, kind.symmetry == "symmetric" ? one.value : -one.value});
}

table parse_matrix_market(const std::string& path, const std::string& text) {
  lines from(path, text);
  const auto first = from.next();
  const banner kind = parse_banner(from, first.value_or(""));
  table result;
  std::int64_t expected = -1;
  std::int64_t found = 0;
  while (const auto line = from.next()) {
    if (line->starts_with('%')) continue;
    const std::vector<double> row = from.numbers(*line);
    if (row.empty()) continue;
    if (expected < 0) {
      if (row.size() != (kind.is_array ? 2U : 3U)) from.refuse("this is not a line of sizes");
      result.rows = whole(from, row[0], 0, most_numbers);
      result.columns = whole(from, row[1], 0, most_numbers);
      expected =
          kind.is_array ? result.rows * result.columns : whole(from, row[2], 0, most_numbers);
      continue;
    }
    if (++found > expected)
      from.refuse(fmt::format("more entries than the {} announced", expected));
    if (!kind.is_array) {
      add_entry(result, from, kind, row);
    } else {
      if (row.size() != 1) from.refuse("an array has a number a line");
      result.listed.push_back({(found - 1) % result.rows, (found - 1) / result.rows, row[0]});
    }
  }
  if (expected < 0) throw usage_error(fmt::format("{}: no line of sizes", path));
  if (found < expected)
    throw usage_error(fmt::format("{}: {} entries, where {} are announced", path, found, expected));
  return result;
}

table read_table(const std::string& path) {
  const std::string text = read_bytes(path);
  return path.ends_with(".mtx") ? parse_matrix_market(path, text) : parse_text(path, text);
}

sparse_matrix by_rows(const std::string& path, table from) {
  if (from.columns > std::int64_t{1} << 32)
    throw usage_error(fmt::format("{}: {} columns, more than 2^32", path, from.columns));
  std::ranges::stable_sort(from.listed, {},
                           [](const triplet& t) { return std::pair(t.row, t.column); });
  sparse_matrix result{from.rows, from.columns, {0}, {}, {}};
  const triplet* before = nullptr;
  for (const triplet& one : from.listed) {
    while (std::ssize(result.begin) <= one.row) result.begin.push_back(std::ssize(result.value));
    if (before != nullptr && before->row == one.row && before->column == one.column) {
      result.value.back() += one.value;
    } else if (one.value != 0) {
      result.column.push_back(static_cast<std::uint32_t>(one.column));
      result.value.push_back(one.value);
      before = &one;
    }
  }
  while (std::ssize(result.begin) <= from.rows) result.begin.push_back(std::ssize(result.value));
  return result;
}

}  // namespace

number_array read_array(const std::string& path) {
  if (path.ends_with(".npy")) return detail::parse_npy(path, read_bytes(path));
  const table from = read_table(path);
  if (from.columns > 0 && from.rows > most_numbers / from.columns)
    throw usage_error(
        fmt::format("{}: {} x {} numbers are too many", path, from.rows, from.columns));
  number_array result{{from.rows, from.columns},
                      std::vector<double>(static_cast<std::size_t>(from.rows * from.columns))};
  for (const triplet& one : from.listed)
    result.values[static_cast<std::size_t>(one.row * from.columns + one.column)] += one.value;
  return result;
}

sparse_matrix read_matrix(const std::string& path) {
  if (!path.ends_with(".npy")) return by_rows(path, read_table(path));
  const number_array dense = detail::parse_npy(path, read_bytes(path));
  if (dense.shape.size() != 2)
    throw usage_error(fmt::format("{}: {} axes; a matrix has 2", path, dense.shape.size()));
  table whole{dense.shape[0], dense.shape[1], {}};
  for (std::int64_t i = 0; i < std::ssize(dense.values); ++i)
    if (const double value = dense.values[static_cast<std::size_t>(i)]; value != 0)
      whole.listed.push_back({i / whole.columns, i % whole.columns, value});
  return by_rows(path, std::move(whole));
}

}  // namespace plait::imaging
