// SPDX-License-Identifier: BSD-3-Clause
#include "floods.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "measure/base/result.hpp"
#include "measure/base/size_list.hpp"
#include "measure/base/statistics.hpp"

namespace plait::network::loggp {
namespace {

// Of a round each way: enough that the ends of a flood, where one direction is idle, count little.
constexpr std::size_t bytes_of_a_flood = std::size_t{8} << 20;
constexpr int fewest_messages = 4;
constexpr int most_messages = 256;

int messages_of(std::size_t size_bytes) {
  return std::clamp(static_cast<int>(bytes_of_a_flood / size_bytes), fewest_messages,
                    most_messages);
}

double per_byte_s(flood_pair& pair, const flood_times& of, bool both_ways) {
  const double bytes = static_cast<double>(of.size_bytes) * of.messages;
  return pair.run({.messages = of.messages, .size_bytes = of.size_bytes, .both_ways = both_ways}) /
         bytes;
}

double ratio_of(const flood_times& of) {
  return measure::median(of.both_ways_s) / measure::median(of.one_way_s);
}

}  // namespace

std::vector<flood_times> measure_floods(flood_pair& pair,
                                        const std::vector<std::size_t>& sizes_bytes,
                                        const measure::repetition_options& repetition) {
  std::vector<flood_times> measured;
  for (const std::size_t size : sizes_bytes)
    measured.push_back({.size_bytes = size, .messages = messages_of(size)});
  std::vector<measure::turn> turns;
  for (flood_times& one : measured) {
    turns.push_back({"flood of " + measure::size_label(one.size_bytes), [&pair, &one](int round) {
                       const double one_way_s = per_byte_s(pair, one, false);
                       const double both_ways_s = per_byte_s(pair, one, true);
                       if (round == measure::warm_up) return;
                       one.one_way_s.push_back(one_way_s);
                       one.both_ways_s.push_back(both_ways_s);
                     }});
  }
  measure::take_turns(turns, repetition);
  return measured;
}

measure::json floods_of(const std::vector<flood_times>& measured) {
  measure::json floods = measure::json::array();
  for (const flood_times& one : measured) {
    floods.push_back(
        {{"size_bytes", one.size_bytes},
         {"messages", one.messages},
         {"one_way_gap_per_byte_s", measure::to_json(measure::summarize(one.one_way_s))},
         {"both_ways_gap_per_byte_s", measure::to_json(measure::summarize(one.both_ways_s))},
         {"ratio", ratio_of(one)}});
  }
  return floods;
}

void print(const std::vector<flood_times>& measured) {
  for (const flood_times& one : measured) {
    std::printf("flood of %s: G %.4f ns/byte one way, %.4f both ways (%.2f)\n",
                measure::size_label(one.size_bytes).c_str(), 1e9 * measure::median(one.one_way_s),
                1e9 * measure::median(one.both_ways_s), ratio_of(one));
  }
  std::fflush(stdout);
}

}  // namespace plait::network::loggp
