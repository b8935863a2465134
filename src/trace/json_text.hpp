// SPDX-License-Identifier: BSD-3-Clause
/// Text in JSON.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "core/filled.hpp"

namespace plait {

/// `text` in quotes, as JSON wants it, and so that it may stand in a page of HTML.  What is not
/// UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

/// Returns the shortest text that is read as this number; null of what is none.
[[nodiscard]] std::string json_number(double value);
[[nodiscard]] std::string json_number(std::integral auto value) {
  return filled("{}", value);
}

/// Returns a list, each of its values made by `text`.
template <class Range, class Text>
[[nodiscard]] std::string json_list(const Range& range, Text text) {
  std::string all;
  for (const auto& one : range) {
    all += all.empty() ? "[\n  " : ",\n  ";
    all += text(one);
  }
  return all.empty() ? "[]" : all + "\n ]";
}

/// An object that grows member by member.
class json_object {
 public:
  json_object() = default;
  /// Goes on with an object's text.
  explicit json_object(std::string_view text) : members_(text.substr(1, text.size() - 2)) {}

  /// `value` is text of JSON, or a number.
  json_object& add(std::string_view key, std::string_view value);
  json_object& add(std::string_view key, double value) { return add(key, json_number(value)); }
  json_object& add(std::string_view key, std::integral auto value) {
    return add(key, json_number(value));
  }
  [[nodiscard]] std::string text() const { return '{' + members_ + '}'; }

 private:
  std::string members_;
};

}  // namespace plait
