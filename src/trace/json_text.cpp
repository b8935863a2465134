// SPDX-License-Identifier: BSD-3-Clause
#include "trace/json_text.hpp"

#include <cmath>
#include <cstddef>

namespace plait {
namespace {

[[nodiscard]] unsigned byte_at(std::string_view text, std::size_t at) noexcept {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

/// Returns the length in bytes of the character above U+007F that begins at `at` in UTF-8; 0 if
/// none does.  [RFC 3629, section 4]
[[nodiscard]] std::size_t character_length(std::string_view text, std::size_t at) noexcept {
  const auto continues = [&](std::size_t place) { return (byte_at(text, place) & 0xC0U) == 0x80U; };
  const unsigned first = byte_at(text, at);
  const unsigned second = byte_at(text, at + 1);
  if (first >= 0xC2 && first <= 0xDF) return continues(at + 1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return continues(at + 1) && continues(at + 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool out_of_range = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    const bool complete = continues(at + 1) && continues(at + 2) && continues(at + 3);
    return complete && !out_of_range ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const unsigned c = byte_at(text, at);
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += text[at];
    } else if (c < 0x20 || c == '<' || c == 0x7F) {
      quoted += "\\u" + hex(c, 4);
    } else if (c < 0x80) {
      quoted += text[at];
    } else if (length = character_length(text, at); length > 0) {
      quoted += text.substr(at, length);
    } else {
      quoted += "\\ufffd";
      length = 1;
    }
    at += length;
  }
  return quoted + '"';
}

std::string json_number(double value) {
  return std::isfinite(value) ? shortest(value) : "null";
}

json_object& json_object::add(std::string_view key, std::string_view value) {
  members_ += filled("{}{}: {}", members_.empty() ? "" : ",\n ", json_text(key), value);
  return *this;
}

}  // namespace plait
