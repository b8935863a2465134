// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/ranks/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <plait/core/error.hpp>

namespace plait::simulate {
namespace {

using quantity = power_law::quantity;

/// A fitted exponent this near to a simple fraction is that fraction.  Sizes are exact but for
/// rounding.  Durations of two recordings that differ by 8 % in their ratio are 0.12 apart.
constexpr double near_for_sizes = 0.02;
constexpr double near_for_durations = 0.12;

/// Sizes further from their law than this are no law's.
constexpr double exact_enough = 0.02;

/// Durations that are further from their law, which follow none.
constexpr double near_enough = 0.25;

/// A law of durations without a simple fraction matters if it has this share of the computation.
constexpr double large_share = 0.1;

/// Returns the mean; of durations without the longest and shortest tenths, in which other programs
/// had the core.
[[nodiscard]] double middle_mean(std::vector<double>& those, bool are_durations) {
  const std::size_t left_out = are_durations ? those.size() / 10 : 0;
  if (left_out > 0) std::ranges::sort(those);
  const auto begin = those.begin() + static_cast<std::ptrdiff_t>(left_out);
  const auto end = those.end() - static_cast<std::ptrdiff_t>(left_out);
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

}  // namespace

quantity_laws::key quantity_laws::key_of(const operation& what, bool is_call,
                                         const peer_law& peer) {
  if (what.kind == operation_kind::calculation)
    return {is_call ? quantity::call_elements : quantity::duration, what.name, 0};
  std::uint32_t axes = 0;
  for (std::size_t axis = 0; axis < peer.step.size(); ++axis)
    if (peer.step[axis] != 0) axes |= 1U << axis;
  return {quantity::message_bytes, what.name, axes};
}

/// Means over the operations of all ranks of a class in a recording, of which each has as many.
std::map<quantity_laws::key, std::vector<scaling_sample>> quantity_laws::samples_of(
    std::map<key, double>& weights, std::set<key>& shared) const {
  std::map<key, std::vector<scaling_sample>> samples;
  for (const auto& [number, of] : structure_.classes) {
    std::map<std::pair<std::uint32_t, key>, std::vector<double>> values;  // by recording
    std::set<std::uint32_t> recordings;
    for (const class_member& one : of.members) {
      recordings.insert(one.recording);
      const call_program& all = recorded_[one.recording].program;
      const rank_template& rank = all.operations.of_rank(one.rank);
      for (std::uint32_t i = 0; i < rank.size(); ++i) {
        const operation& what = rank.operations[i];
        const collective_call* const call = all.call_of(what);
        values[{one.recording, key_of(what, call != nullptr, of.peers[i])}].push_back(
            static_cast<double>(call != nullptr ? call->count : what.size));
      }
    }
    for (auto& [where, those] : values) {
      const auto& [recording, which] = where;
      weights[which] += std::accumulate(those.begin(), those.end(), 0.0);
      const double mean = middle_mean(those, std::get<0>(which) == quantity::duration);
      if (recordings.size() < 2) continue;
      shared.insert(which);
      if (mean <= 0) continue;
      samples[which].push_back({number, *space_.at(structure_.grids[recording]), std::log2(mean)});
    }
  }
  return samples;
}

/// Sizes of one name may change their places and keep their mean: each place has a constant of its
/// own.
double quantity_laws::largest_by_place(const key& which,
                                       const std::vector<double>& exponents) const {
  double largest = 0;
  for (const auto& [number, of] : structure_.classes) {
    const call_program& first = recorded_[of.members.front().recording].program;
    const rank_template& rank = first.operations.of_rank(of.members.front().rank);
    for (std::uint32_t i = 0; i < rank.size(); ++i) {
      const bool is_call = first.call_of(rank.operations[i]) != nullptr;
      if (key_of(rank.operations[i], is_call, of.peers[i]) != which) continue;
      std::vector<scaling_sample> samples;
      for (const class_member& one : of.members) {
        const call_program& all = recorded_[one.recording].program;
        const operation& what = all.operations.of_rank(one.rank).operations[i];
        const collective_call* const call = all.call_of(what);
        const auto value = static_cast<double>(call != nullptr ? call->count : what.size);
        samples.push_back(
            {number, *space_.at(structure_.grids[one.recording]), std::log2(std::max(value, 0.5))});
      }
      largest = std::max(largest, largest_deviation(samples, exponents));
    }
  }
  return largest;
}

quantity_laws::law quantity_laws::fitted(const key& of,
                                         const std::vector<scaling_sample>& samples) {
  const auto found = fitted_exponents(samples, space_.directions());
  if (!found.has_value()) return {};
  law made{*found, true};
  const auto& [what, name, axes] = of;
  const auto along_all = [this](const std::vector<double>& exponents) {
    const auto first = space_.at(structure_.grids.front());
    const auto last = space_.at(structure_.grids.back());
    double change = 0;
    for (std::size_t i = 0; i < exponents.size(); ++i)
      change += exponents[i] * ((*last)[i] - (*first)[i]);
    return change / std::log2(static_cast<double>(recorded_.back().program.ranks()) /
                              recorded_.front().program.ranks());
  };
  power_law shown;
  shown.what = what;
  shown.name = recorded_.front().program.operations.names[name];
  shown.fitted = along_all(made.exponents);
  bool is_simple = false;
  if (space_.directions() == 1 && space_.ranks_along_first() > 1e-9) {
    const double near = what == quantity::duration ? near_for_durations : near_for_sizes;
    const auto simple = simple_exponent(shown.fitted, near);
    is_simple = simple.has_value();
    made.exponents[0] = simple.value_or(shown.fitted) * space_.ranks_along_first();
  }
  shown.exponent = along_all(made.exponents);
  shown.largest_residual = largest_deviation(samples, made.exponents);
  if (what != quantity::duration)
    shown.largest_residual = std::max(shown.largest_residual, largest_by_place(of, made.exponents));
  const auto is_shown = [&](const power_law& one) {
    return one.what == shown.what && one.name == shown.name && one.exponent == shown.exponent;
  };
  if (std::ranges::none_of(shown_, is_shown)) shown_.push_back(shown);
  if (!why_uncertain_.empty()) return made;
  if (what != quantity::duration && shown.largest_residual > exact_enough)
    why_uncertain_ = fmt::format("sizes of '{}' are up to {:.0f} % away from P^{:.2f}", shown.name,
                                 100 * shown.largest_residual, shown.exponent);
  if (what == quantity::duration && shown.largest_residual > near_enough)
    why_uncertain_ = fmt::format("the durations of '{}' are up to {:.0f} % away from P^{:.2f}",
                                 shown.name, 100 * shown.largest_residual, shown.exponent);
  else if (what == quantity::duration && !is_simple && !is_confirmed())
    why_uncertain_ =
        fmt::format("the durations of '{}' change as P^{:.2f}, which no further recording confirms",
                    shown.name, shown.exponent);
  return made;
}

quantity_laws::quantity_laws(std::span<const recorded_calls> recorded,
                             const common_structure& structure, const grid_space& space)
    : recorded_(recorded), structure_(structure), space_(space) {
  std::map<key, double> weights;
  std::set<key> shared;
  const auto samples = samples_of(weights, shared);
  double computed = 0;
  for (const auto& [of, weight] : weights)
    if (std::get<0>(of) == quantity::duration) computed += weight;
  std::vector<key> by_weight;
  for (const auto& [of, _] : samples) by_weight.push_back(of);
  std::ranges::stable_sort(by_weight, [&](const key& a, const key& b) {
    return std::pair(std::get<0>(a), -weights[a]) < std::pair(std::get<0>(b), -weights[b]);
  });
  for (const key& of : by_weight) {
    const std::string before = why_uncertain_;
    laws_[of] = fitted(of, samples.at(of));
    if (std::get<0>(of) == quantity::duration && weights[of] < large_share * computed)
      why_uncertain_ = before;
  }
  // Spells of the program's own are noted from 1 us on, so that some recordings may have none.
  for (const key& of : shared) {
    if (std::get<0>(of) != quantity::duration || laws_[of].is_known) continue;
    laws_[of] = {std::vector<double>(space.directions(), 0.0), true};
    if (why_uncertain_.empty() && weights[of] >= large_share * computed && computed > 0)
      why_uncertain_ = fmt::format("the durations of '{}' are nothing in some recordings",
                                   recorded_.front().program.operations.names[std::get<1>(of)]);
  }
}

bool quantity_laws::is_confirmed() const {
  const std::set<grid_extents> grids(structure_.grids.begin(), structure_.grids.end());
  return grids.size() >= space_.directions() + 2;
}

double quantity_laws::factor(const operation& what, const collective_call* call,
                             const peer_law& peer, const grid_space::point& from,
                             const grid_space::point& to) const {
  const std::uint64_t amount = call != nullptr ? call->count : what.size;
  if (from == to || amount == 0) return 1;
  const auto found = laws_.find(key_of(what, call != nullptr, peer));
  if (found == laws_.end() || !found->second.is_known)
    throw usage_error(fmt::format(
        "no law is known for '{}': no two recordings have ranks with the same neighbours that do "
        "it; record one more number of ranks",
        recorded_.front().program.operations.names[what.name]));
  double change = 0;
  for (std::size_t i = 0; i < to.size(); ++i)
    change += found->second.exponents[i] * (to[i] - from[i]);
  return std::exp2(change);
}

std::string quantity_laws::why_uncertain() const {
  return why_uncertain_;
}

}  // namespace plait::simulate
