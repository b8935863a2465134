// SPDX-License-Identifier: BSD-3-Clause
/// Figures of stacked bars, measured and modelled, as the architectural probes have them: what a
/// result of kind "probe" consists of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"

namespace plait::measure {

/// The runs of one bar: times of all ranks, on every rank.
struct bar_samples {
  std::vector<double> total_s;               ///< of the slowest rank, by run
  std::vector<std::vector<double>> parts_s;  ///< the mean over ranks, by part and run

  [[nodiscard]] double median_total_s() const;
  [[nodiscard]] double median_s(std::size_t part) const;
};

/// Adds a run of which this rank says its time, and that of each part.  Collective.
void add_run(environment& env, bar_samples& to, double total_s, const std::vector<double>& parts_s);

/// One bar of a figure.
struct stacked_bar {
  std::string group;  ///< where on the x axis
  std::string name;   ///< within its group, short: "G", "M"
  bar_samples times = {};
  std::optional<bool> verified = {};  ///< nothing for a model
  json remarks = json::object();
};

/// A bar that a model gives: one time for each part, and their sum.
[[nodiscard]] stacked_bar modelled_bar(std::string group, std::string name,
                                       const std::vector<double>& parts_s);

/// `parts`: names such as "comm_sync_s".  Returns {"title", "parts", "groups": [{"name", "bars":
/// [{"name", "total_s", "parts_s", "verified"}]}]}.  Groups and bars are in the order of `bars`.
[[nodiscard]] json bar_figure(const std::string& title, const std::vector<std::string>& parts,
                              const std::vector<stacked_bar>& bars);

/// Returns a plait-result/1 of kind "probe".  Rank 0.
[[nodiscard]] json probe_result(const environment& env, const std::string& application,
                                json parameters, json figures,
                                const std::vector<std::string>& sentences);

/// Says in such a result, in its environment and in a sentence, what windows run on.
void say_windows(json& result, const window_choice& chosen);

/// Prints the figures of such a result, a line for each bar.
void print_bars(const json& result);

}  // namespace plait::measure
