// SPDX-License-Identifier: BSD-3-Clause
/// Cuts a line of GOAL text into words and numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace plait::simulate {

class words {
 public:
  explicit words(std::string_view line) : rest_(line) {}

  [[nodiscard]] bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  /// Takes `mark`, whatever follows it, and returns whether it was there.
  [[nodiscard]] bool take(std::string_view mark) {
    skip_blanks();
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }

  /// Takes a word: a letter, then letters, digits and underlines.  Empty: there is none.
  [[nodiscard]] std::string_view word() {
    skip_blanks();
    if (rest_.empty() || !is_letter(rest_.front())) return {};
    std::size_t length = 1;
    while (length < rest_.size() &&
           (is_letter(rest_[length]) || is_digit(rest_[length]) || rest_[length] == '_'))
      ++length;
    return cut(length);
  }

  /// Takes a number without sign.  None: there is none, or it does not fit.
  [[nodiscard]] std::optional<std::uint64_t> number() {
    skip_blanks();
    std::uint64_t value = 0;
    std::size_t length = 0;
    for (; length < rest_.size() && is_digit(rest_[length]); ++length) {
      const auto digit = static_cast<std::uint64_t>(rest_[length] - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
      value = 10 * value + digit;
    }
    if (length == 0) return std::nullopt;
    rest_.remove_prefix(length);
    return value;
  }

  /// Returns what is left.
  [[nodiscard]] std::string_view left() {
    skip_blanks();
    return rest_;
  }

  /// Leaves nothing: what comes is of no use after a mistake.
  void drop() { rest_ = {}; }

 private:
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void skip_blanks() {
    while (!rest_.empty() &&
           (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r'))
      rest_.remove_prefix(1);
  }
  std::string_view cut(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace plait::simulate
