// SPDX-License-Identifier: BSD-3-Clause
/// Text with values in it, the same in every locale; needs the standard library alone.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace plait {

/// A text, an integer or a truth as it stands in a text.  Refers to texts, and so lives no longer.
class text_value {
 public:
  explicit text_value(std::string_view text) noexcept : text_(text) {}
  template <std::integral Number>
  explicit text_value(Number number) noexcept {
    if constexpr (std::same_as<Number, bool>) {
      text_ = number ? "true" : "false";
    } else {
      char* const begin = digits_.data();
      const char* const end = std::to_chars(begin, begin + digits_.size(), number).ptr;
      text_ = {begin, static_cast<std::size_t>(end - begin)};
    }
  }
  text_value(const text_value&) = delete;
  text_value& operator=(const text_value&) = delete;

  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::array<char, 24> digits_;  ///< a number's, to which `text_` refers then
  std::string_view text_;
};

/// Text with a `{}` for each of so many values; another number of them does not compile.
template <std::size_t values>
struct text_pattern {
  consteval text_pattern(const char* of) : text(of) {  // NOLINT: as a literal stands in a call
    std::size_t places = 0;
    for (std::size_t at = text.find("{}"); at < text.size(); at = text.find("{}", at + 2)) ++places;
    if (places != values) throw "as many values as places";
  }
  std::string_view text;
};

[[nodiscard]] std::string fill(std::string_view pattern, std::initializer_list<text_value> values);

/// Returns the pattern with a value in place of each `{}`; other braces are text.
template <class... Values>
[[nodiscard]] std::string filled(text_pattern<sizeof...(Values)> pattern, const Values&... values) {
  return fill(pattern.text, {text_value(values)...});
}

/// Returns a number with so many digits behind its point.
[[nodiscard]] std::string fixed(double value, int decimals);

/// Returns the shortest text that is read as this number: `1e+16` from there on, `1e-05` below
/// 0.0001.
[[nodiscard]] std::string shortest(double value);

/// Returns a number's hexadecimal digits, with zeros in front where they are fewer than `digits`.
[[nodiscard]] std::string hex(std::uint64_t value, std::size_t digits = 1);

}  // namespace plait
