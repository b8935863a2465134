// SPDX-License-Identifier: BSD-3-Clause
#include "core/filled.hpp"

#include <cmath>

namespace plait {
namespace {

/// Room for every number of type double with some decimals.
using number_text = std::array<char, 400>;

template <class... How>
[[nodiscard]] std::string written(How... how) {
  number_text text;
  char* const begin = text.data();
  return {begin, std::to_chars(begin, begin + text.size(), how...).ptr};
}

}  // namespace

std::string fill(std::string_view pattern, std::initializer_list<text_value> values) {
  std::size_t size = pattern.size();
  for (const text_value& one : values) size += one.text().size();
  std::string text;
  text.reserve(size);
  for (const text_value& one : values) {
    const std::size_t place = pattern.find("{}");
    text.append(pattern.substr(0, place)).append(one.text());
    pattern.remove_prefix(place + 2);
  }
  return text.append(pattern);
}

std::string fixed(double value, int decimals) {
  return written(value, std::chars_format::fixed, decimals);
}

std::string shortest(double value) {
  const double size = std::abs(value);
  const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e16) || !std::isfinite(value);
  return written(value, is_plain ? std::chars_format::fixed : std::chars_format::scientific);
}

std::string hex(std::uint64_t value, std::size_t digits) {
  const std::string text = written(value, 16);
  return std::string(digits > text.size() ? digits - text.size() : 0, '0') + text;
}

}  // namespace plait
