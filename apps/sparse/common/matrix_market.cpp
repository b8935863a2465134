// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_market.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "line_reader.hpp"

namespace plait::sparse {
namespace {

/// The words of a line, with one place more than any line needs.
class words {
 public:
  explicit words(std::string_view line) {
    constexpr std::string_view blank = " \t\r\f\v";
    for (std::size_t at = line.find_first_not_of(blank);
         at != std::string_view::npos && count_ < all_.size();) {
      const std::size_t end = std::min(line.find_first_of(blank, at), line.size());
      all_[count_++] = line.substr(at, end - at);
      at = line.find_first_not_of(blank, end);
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return all_[i]; }

 private:
  std::array<std::string_view, 6> all_{};
  std::size_t count_ = 0;
};

std::string lower(std::string_view word) {
  std::string result(word);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// A finite number, as C or Fortran (1.5D-3) write it.
std::optional<double> real_number(std::string_view word) {
  double value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed == std::errc{} && end == word.data() + word.size())
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  // A plus in front, an exponent of Fortran's, or a value that a double holds as 0 at best.
  if (word.empty() || word.size() > 64) return std::nullopt;
  if (word.find_first_not_of("+-.0123456789eEdD") != std::string_view::npos) return std::nullopt;
  std::string text(word);
  std::ranges::replace(text, 'D', 'e');
  std::ranges::replace(text, 'd', 'e');
  char* stop = nullptr;
  value = std::strtod(text.c_str(), &stop);
  if (stop != text.c_str() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <class Value, std::size_t N>
std::optional<Value> named(std::string_view word,
                           const std::array<std::pair<std::string_view, Value>, N>& names) {
  const std::string given = lower(word);
  for (const auto& [name, value] : names)
    if (name == given) return value;
  return std::nullopt;
}

class reader {
 public:
  reader(const std::string& path, double most_bytes) : lines_(path), most_bytes_(most_bytes) {}

  matrix_file read() {
    read_banner();
    read_sizes();
    while (result_.listed < promised_) read_entry();
    expect_end();
    const std::int64_t times = result_.values == field::complex ? 2 : 1;
    expect_memory(rows_ * times, columns_ * times);
    result_.matrix = assemble(rows_ * times, columns_ * times, entries_);
    return std::move(result_);
  }

 private:
  void read_banner() {
    std::string_view line;
    if (!lines_.next(line)) lines_.refuse("the file is empty");
    const words banner(line);
    if (banner.size() == 0 || lower(banner[0]) != "%%matrixmarket")
      lines_.refuse(
          fmt::format("a Matrix Market file begins with %%MatrixMarket, not with {}", shown(line)));
    if (banner.size() != 5)
      lines_.refuse(
          "the first line must have five words: %%MatrixMarket matrix coordinate FIELD SYMMETRY");
    if (lower(banner[1]) != "matrix")
      lines_.refuse(fmt::format("{} is no matrix", shown(banner[1])));
    if (lower(banner[2]) != "coordinate")
      lines_.refuse(
          fmt::format("{} is not sparse; the format must be coordinate", shown(banner[2])));
    constexpr std::array<std::pair<std::string_view, field>, 5> fields{
        {{"real", field::real},
         {"double", field::real},
         {"integer", field::integer},
         {"complex", field::complex},
         {"pattern", field::pattern}}};
    constexpr std::array<std::pair<std::string_view, symmetry>, 4> symmetries{
        {{"general", symmetry::general},
         {"symmetric", symmetry::symmetric},
         {"skew-symmetric", symmetry::skew_symmetric},
         {"hermitian", symmetry::hermitian}}};
    const auto values = named(banner[3], fields);
    if (!values)
      lines_.refuse(fmt::format("values are {}; they can be real, integer, complex or pattern",
                                shown(banner[3])));
    const auto kind = named(banner[4], symmetries);
    if (!kind)
      lines_.refuse(
          fmt::format("symmetry is {}; it can be general, symmetric, skew-symmetric or hermitian",
                      shown(banner[4])));
    result_.values = *values;
    result_.kind = *kind;
    if (*kind == symmetry::hermitian && *values != field::complex)
      lines_.refuse("a hermitian matrix has complex values");
    if (*kind == symmetry::skew_symmetric && *values == field::pattern)
      lines_.refuse("a pattern cannot be skew-symmetric");
  }

  /// The next line that says something.
  [[nodiscard]] bool next_words(words& to) {
    std::string_view line;
    while (lines_.next(line)) {
      to = words(line);
      if (to.size() > 0 && !to[0].starts_with('%')) return true;
    }
    return false;
  }

  void read_sizes() {
    words sizes("");
    if (!next_words(sizes)) lines_.refuse("the file ends before the line of sizes");
    std::array<std::int64_t, 3> numbers{};
    if (sizes.size() != 3) lines_.refuse("the line of sizes must have three numbers: M N entries");
    for (std::size_t i = 0; i < 3; ++i) {
      const auto number = whole_number(sizes[i]);
      if (!number || *number < 0)
        lines_.refuse(fmt::format("the size {} is no number from 0 on", shown(sizes[i])));
      numbers[i] = *number;
    }
    rows_ = numbers[0];
    columns_ = numbers[1];
    promised_ = numbers[2];
    const std::int64_t most = result_.values == field::complex ? most_rows / 2 : most_rows;
    if (rows_ < 1 || columns_ < 1 || rows_ > most || columns_ > most)
      lines_.refuse(fmt::format("the matrix is {} by {}; both must be between 1 and {}", rows_,
                                columns_, most));
    if (result_.kind != symmetry::general && rows_ != columns_)
      lines_.refuse(fmt::format("a matrix of {} by {} cannot be symmetric", rows_, columns_));
  }

  void read_entry() {
    words all("");
    if (!next_words(all))
      lines_.refuse(fmt::format("the file ends after {} entries; its line of sizes says {}",
                                result_.listed, promised_));
    const std::size_t numbers = result_.values == field::pattern   ? 0
                                : result_.values == field::complex ? 2
                                                                   : 1;
    if (all.size() != 2 + numbers)
      lines_.refuse(fmt::format("an entry must have {} words, row, column and {}", 2 + numbers,
                                numbers == 0   ? "no value"
                                : numbers == 1 ? "value"
                                               : "two of its value"));
    const std::int64_t row = index(all[0], rows_, "row");
    const std::int64_t column = index(all[1], columns_, "column");
    const double a = numbers > 0 ? value(all[2]) : 1;
    const double b = numbers > 1 ? value(all[3]) : 0;
    expect_lower(row, column, b);
    add(row, column, a, b);
    if (row != column && result_.kind != symmetry::general) add_mirror(row, column, a, b);
    ++result_.listed;
    if (entries_.size() == entries_.capacity()) expect_memory(0, 0);
  }

  [[nodiscard]] std::int64_t index(std::string_view word, std::int64_t most, const char* what) {
    const auto number = whole_number(word);
    if (!number || *number < 1 || *number > most)
      lines_.refuse(fmt::format("{} {} is not between 1 and {}", what, shown(word), most));
    return *number - 1;
  }

  [[nodiscard]] double value(std::string_view word) {
    if (result_.values == field::integer) {
      const auto number = whole_number(word);
      constexpr std::int64_t most = std::int64_t{1} << 53;
      if (!number || *number > most || *number < -most)
        lines_.refuse(
            fmt::format("the value {} is no whole number of at most 53 bits", shown(word)));
      return static_cast<double>(*number);
    }
    const auto number = real_number(word);
    if (!number) lines_.refuse(fmt::format("the value {} is no finite number", shown(word)));
    return *number;
  }

  void expect_lower(std::int64_t row, std::int64_t column, double imaginary) const {
    if (result_.kind == symmetry::general) return;
    if (row < column)
      lines_.refuse(fmt::format(
          "entry ({}, {}) lies above the diagonal; of a symmetric matrix only the lower part is "
          "listed",
          row + 1, column + 1));
    if (row == column && result_.kind == symmetry::skew_symmetric)
      lines_.refuse(
          fmt::format("entry ({}, {}) lies on the diagonal; a skew-symmetric matrix has none there",
                      row + 1, column + 1));
    if (row == column && result_.kind == symmetry::hermitian && imaginary != 0)
      lines_.refuse(fmt::format("entry ({}, {}) is not real; the diagonal of a hermitian matrix is",
                                row + 1, column + 1));
  }

  void add_mirror(std::int64_t row, std::int64_t column, double a, double b) {
    switch (result_.kind) {
      case symmetry::symmetric:
        return add(column, row, a, b);
      case symmetry::skew_symmetric:
        return add(column, row, -a, -b);
      case symmetry::hermitian:
        return add(column, row, a, -b);
      case symmetry::general:
        return;
    }
  }

  void add(std::int64_t row, std::int64_t column, double a, double b) {
    const auto put = [&](std::int64_t r, std::int64_t c, double v) {
      entries_.push_back({static_cast<std::int32_t>(r), static_cast<std::int32_t>(c), v});
    };
    if (result_.values != field::complex) return put(row, column, a);
    put(2 * row, 2 * column, a);
    put(2 * row + 1, 2 * column + 1, a);
    if (b == 0) return;
    put(2 * row, 2 * column + 1, -b);
    put(2 * row + 1, 2 * column, b);
  }

  void expect_end() {
    words more("");
    if (next_words(more))
      lines_.refuse(
          fmt::format("there is more than the {} entries of the line of sizes", promised_));
  }

  /// Expects memory for what `assemble` takes at most, and for a vector of the matrix' size on
  /// either side.
  void expect_memory(std::int64_t rows, std::int64_t columns) {
    const double needed = 2.0 * sizeof(entry) * static_cast<double>(entries_.size()) +
                          24.0 * static_cast<double>(rows) + 16.0 * static_cast<double>(columns);
    if (needed > most_bytes_)
      lines_.refuse(
          fmt::format("the matrix takes {:.1f} GiB of memory, more than the {:.1f} GiB there are",
                      needed / (1 << 30), most_bytes_ / (1 << 30)));
  }

  line_reader lines_;
  double most_bytes_;
  matrix_file result_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t promised_ = 0;
  std::vector<entry> entries_;
};

}  // namespace

matrix_file read_matrix_market(const std::string& path, double most_bytes) {
  return reader(path, most_bytes).read();
}

}  // namespace plait::sparse
