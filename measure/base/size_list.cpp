// SPDX-License-Identifier: BSD-3-Clause
#include "size_list.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include <plait/plait.hpp>

namespace plait::measure {
namespace {

constexpr std::size_t largest_bytes = std::size_t{1} << 30;
constexpr std::array<std::pair<std::string_view, std::size_t>, 3> units{
    {{"MiB", std::size_t{1} << 20}, {"KiB", std::size_t{1} << 10}, {"B", 1}}};

// 0 for what is no size: none is allowed to be 0.
std::size_t parse_size(const std::string& word) {
  std::size_t number = 0;
  const char* end = word.data() + word.size();
  const auto [rest, failed] = std::from_chars(word.data(), end, number);
  if (failed != std::errc{} || number > largest_bytes) return 0;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit.empty()) return number;
  const auto found = std::ranges::find(units, unit, &decltype(units)::value_type::first);
  return found == units.end() ? 0 : number * found->second;
}

}  // namespace

std::vector<std::size_t> parse_sizes(const std::string& option, const std::string& text,
                                     std::size_t least) {
  std::vector<std::size_t> sizes;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t size = parse_size(word);
    if (size < least || size > largest_bytes)
      throw usage_error(option + ": '" + word + "' is no size from " + size_label(least) +
                        " to 1024MiB; write 8, 4KiB or 1MiB");
    if (std::ranges::find(sizes, size) != sizes.end())
      throw usage_error(option + " names '" + word + "' twice");
    sizes.push_back(size);
  }
  if (sizes.empty()) throw usage_error(option + " names no size; write 8,4KiB,1MiB");
  return sizes;
}

std::size_t parse_one_size(const std::string& option, const std::string& text, std::size_t least) {
  const std::vector<std::size_t> sizes = parse_sizes(option, text, least);
  if (sizes.size() != 1) throw usage_error(option + " takes one size, such as 64KiB");
  return sizes.front();
}

std::string size_label(std::size_t bytes) {
  for (const auto& [name, unit] : units) {
    if (bytes % unit == 0) return std::to_string(bytes / unit).append(name);
  }
  return {};  // unreachable: 1 divides everything
}

}  // namespace plait::measure
