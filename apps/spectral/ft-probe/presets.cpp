// SPDX-License-Identifier: BSD-3-Clause
#include "presets.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <plait/plait.hpp>

namespace ft_probe {

const std::vector<preset>& presets() {
  // Of one volume: "R = 512 … 64k, N = 8192 … 64" [section 6.2].
  static const std::vector<std::pair<index, index>> one_volume{
      {512, 8192}, {2048, 2048}, {8192, 512}, {65536, 64}};
  static const std::vector<std::pair<index, index>> few_large{{65536, 32}};
  static const std::vector<std::pair<index, index>> many_small{{512, 8192}};
  static const std::vector<double> fractions{0, 0.25, 0.5, 0.75, 1};
  static const std::vector<preset> all{
      {"communication",
       "section 6.2, Figures 4 and 5: no computation",
       one_volume,
       {0},
       false,
       false},
      {"constant-computation",
       "section 6.3, Figures 8 and 9: the same operations for each shape",
       one_volume,
       {},
       true,
       false},
      {"few-large", "section 6.4, Figures 12 and 13: computation varied, few large messages",
       few_large, fractions, false, false},
      {"many-small", "section 6.5, Figures 16 and 17: computation varied, many small messages",
       many_small, fractions, false, false},
      {"cases",
       "section 7.3, Figures 20 to 22: few enough messages to draw each",
       {{262144, 16}},
       {8, 1, 0},
       false,
       false},
      {"local-computation",
       "section 6.6: computation beside messages, and alone",
       {{512, 8192}, {65536, 32}},
       {1},
       false,
       true}};
  return all;
}

const preset& preset_of(const std::string& option, const std::string& name) {
  const auto found = std::ranges::find(presets(), name, &preset::name);
  if (found != presets().end()) return *found;
  std::vector<std::string> names;
  for (const preset& one : presets()) names.push_back(one.name);
  throw plait::usage_error(
      fmt::format("{}: '{}' is none of {}", option, name, fmt::join(names, ", ")));
}

std::vector<double> equal_operations(const std::vector<named_shape>& shapes) {
  std::vector<double> whole;
  for (const named_shape& one : shapes)
    whole.push_back(operations(one.blocks.length()) * static_cast<double>(one.blocks.rows_of(0)));
  const double fewest = std::ranges::min(whole);
  std::vector<double> scales;
  for (const double each : whole) scales.push_back(each > 0 ? fewest / each : 0);
  return scales;
}

}  // namespace ft_probe
