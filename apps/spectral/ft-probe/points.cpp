// SPDX-License-Identifier: BSD-3-Clause
#include "points.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace ft_probe {
namespace {

constexpr index of_slabs = 0;
constexpr index of_pencils = -1;

point parse_point(const std::string& option, const std::string& word) {
  if (word == "exchange") return {word, false, of_slabs};
  if (word == "slabs") return {word, true, of_slabs};
  if (word == "pencils") return {word, true, of_pencils};
  index messages = 0;
  const char* end = word.data() + word.size();
  const auto [rest, failed] = std::from_chars(word.data(), end, messages);
  if (failed != std::errc{} || rest != end || messages < 1)
    throw plait::usage_error(fmt::format(
        "{}: '{}' is neither exchange, slabs, pencils nor a number of messages", option, word));
  return {word, true, messages};
}

}  // namespace

index point::pieces(const row_blocks& of) const {
  if (messages == of_slabs) return 1;
  if (messages == of_pencils) return of.largest_block();
  return (messages + of.ranks() - 1) / of.ranks();
}

index point::messages_of(const row_blocks& of) const {
  return std::min(pieces(of), of.largest_block()) * of.ranks();
}

std::vector<point> parse_points(const std::string& option, const std::string& text) {
  std::vector<point> result;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    point one = parse_point(option, word);
    if (std::ranges::find(result, one.name, &point::name) != result.end())
      throw plait::usage_error(fmt::format("{} names '{}' twice", option, word));
    result.push_back(std::move(one));
  }
  if (result.empty())
    throw plait::usage_error(option + " names nothing; write exchange,slabs,8,64,pencils");
  return result;
}

void check_points(const std::string& option, const std::vector<point>& points,
                  const row_blocks& of) {
  for (const point& one : points)
    if (one.messages > 0 && (one.messages < of.ranks() || one.messages > of.fewest_rows()))
      throw plait::usage_error(fmt::format("{} is {}; a rank sends {} to {} messages here", option,
                                           one.messages, of.ranks(), of.fewest_rows()));
}

}  // namespace ft_probe
