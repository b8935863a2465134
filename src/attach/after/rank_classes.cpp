// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/rank_classes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "core/filled.hpp"

namespace plait::attach {
namespace {

constexpr std::size_t most_classes = 12;
constexpr std::size_t most_outliers = 32;
constexpr std::size_t most_alike_outliers = 8;  ///< more are a class
constexpr double shares_of_a_run = 20;          ///< in which computation is alike
/// A rank is an outlier that is so many standard deviations from the median.
constexpr double far = 6;
constexpr double least_deviation = 0.01;  ///< of the run

constexpr rank_figure told_apart_by[] = {
    [](const rank_result& one) { return one.compute_s; },
    [](const rank_result& one) { return one.waits.waiting_s; }};

[[nodiscard]] double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Returns by how many deviations each rank is from the median.  [of normal values the standard
/// deviation is 1.4826 times the median of the distances from the median]
[[nodiscard]] std::vector<double> distances(std::span<const rank_result> ranks, rank_figure figure,
                                            double wall_s) {
  std::vector<double> values;
  for (const rank_result& one : ranks) values.push_back(figure(one));
  std::vector<double> sorted = values;
  const double median = median_of(sorted);
  for (double& one : values) one = std::abs(one - median);
  sorted = values;
  const double deviation = std::max(1.4826 * median_of(sorted), least_deviation * wall_s);
  for (double& one : values) one = deviation > 0 ? one / deviation : 0;
  return values;
}

/// Ranks with one key are alike: how many they send to, how much they compute, what they wait for.
using alike_key = std::tuple<int, int, int>;
[[nodiscard]] alike_key key_of(const rank_result& one, double wall_s) {
  constexpr int few = 8;
  const auto sends_to = static_cast<unsigned>(one.sends_to);
  const int peers = one.sends_to <= few ? one.sends_to : few + std::bit_width(sends_to);
  const double share = wall_s > 0 ? one.compute_s / wall_s : 0;
  int cause = 0;
  double longest_s = wall_s / shares_of_a_run;
  for (int part = 1; part < 6; ++part) {  // behind the sum, and before what could be hidden
    const double part_s = one.waits.*parts_of_waits[part].second;
    if (part_s > longest_s) cause = part;
    longest_s = std::max(longest_s, part_s);
  }
  return {peers, static_cast<int>(share * shares_of_a_run), cause};
}

/// Returns the outliers, in the order of ranks: far from the median, and not one of many.
[[nodiscard]] alike_ranks find_outliers(std::span<const rank_result> ranks,
                                        std::map<alike_key, alike_ranks>& by_key, double wall_s) {
  std::vector<double> furthest(ranks.size());
  for (const rank_figure figure : told_apart_by) {
    const std::vector<double> next = distances(ranks, figure, wall_s);
    for (std::size_t i = 0; i < next.size(); ++i) furthest[i] = std::max(furthest[i], next[i]);
  }
  alike_ranks found;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool is_one_of_many = by_key[key_of(ranks[i], wall_s)].size() > most_alike_outliers;
    if (furthest[i] > far && !is_one_of_many) found.push_back(&ranks[i]);
  }
  const auto distance = [&](const rank_result* one) {
    return furthest[static_cast<std::size_t>(one - ranks.data())];
  };
  std::ranges::stable_sort(found, std::greater<>{}, distance);
  if (found.size() > most_outliers) found.resize(most_outliers);
  std::ranges::sort(found);
  return found;
}

}  // namespace

rank_classes classify(std::span<const rank_result> ranks, double wall_s) {
  rank_classes found;
  std::map<alike_key, alike_ranks> by_key;
  for (const rank_result& one : ranks) by_key[key_of(one, wall_s)].push_back(&one);
  found.outliers = find_outliers(ranks, by_key, wall_s);
  for (auto& [key, alike] : by_key) {
    std::erase_if(alike, [&](const rank_result* one) {
      return std::ranges::binary_search(found.outliers, one);
    });
    if (!alike.empty()) found.classes.push_back(std::move(alike));
  }
  std::ranges::stable_sort(found.classes, std::greater<>{}, &alike_ranks::size);
  found.has_rest = found.classes.size() > most_classes + 1;
  if (!found.has_rest) return found;
  alike_ranks& rest = found.classes[most_classes];
  for (std::size_t i = most_classes + 1; i < found.classes.size(); ++i) {
    rest.insert(rest.end(), found.classes[i].begin(), found.classes[i].end());
  }
  std::ranges::sort(rest);
  found.classes.resize(most_classes + 1);
  return found;
}

figure_of_class figure_of(const alike_ranks& ranks, rank_figure figure) {
  std::vector<double> values;
  for (const rank_result* one : ranks) values.push_back(figure(*one));
  const auto [least, most] = std::ranges::minmax(values);
  return {least, median_of(values), most};
}

std::string ranks_text(const alike_ranks& ranks) {
  constexpr std::size_t room = 56;
  std::string text;
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t end = begin + 1;
    while (end < ranks.size() && ranks[end]->rank == ranks[end - 1]->rank + 1) ++end;
    if (!text.empty()) text += ", ";
    if (text.size() > room) return text + "...";
    const int last = ranks[end - 1]->rank;
    text += filled("{}", ranks[begin]->rank);
    if (end > begin + 1) text += filled("{}{}", end > begin + 2 ? "-" : ", ", last);
    begin = end;
  }
  return text;
}

}  // namespace plait::attach
