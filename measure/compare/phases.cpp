// SPDX-License-Identifier: BSD-3-Clause
#include "phases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/base/statistics.hpp"

namespace plait::measure {
namespace {

[[nodiscard]] double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Beginnings of phases on one clock, by rank.
using beginnings = std::map<int, std::vector<double>>;

[[nodiscard]] beginnings beginnings_of(const std::vector<node_phases>& nodes) {
  beginnings result;
  for (const node_phases& one : nodes) {
    auto& begun = result[one.rank] = one.record.begun_s;
    for (double& at : begun) at += one.clock_offset_s;
  }
  return result;
}

/// Returns how much later the latest neighbour has begun each phase, less than 0 where all were
/// earlier.
[[nodiscard]] std::vector<double> lags_of(const node_phases& node, const beginnings& all) {
  const std::vector<double>& own = all.at(node.rank);
  std::vector<double> lags(own.size(), 0);
  bool first = true;
  for (const int neighbour : node.record.neighbours) {
    const auto found = all.find(neighbour);
    if (found == all.end()) continue;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double lag = found->second[i] - own[i];
      lags[i] = first ? lag : std::max(lags[i], lag);
    }
    first = false;
  }
  return lags;
}

struct waits {
  double lag_s = 0;
  double transfer_s = 0;
  double polling_s = 0;
};

[[nodiscard]] waits split(const phase_record& of, const std::vector<double>& lags,
                          double exchange_s) {
  waits result;
  for (std::size_t i = 0; i < of.waited_s.size(); ++i) {
    const double before = of.posted_s[i] + of.inner_s[i];
    const double late = std::max(0.0, lags[i]);
    // What of the lag is left when the wait begins.
    const double lag = std::clamp(late - before, 0.0, of.waited_s[i]);
    const double arrives = late + exchange_s - before;
    const double until_arrival = std::clamp(arrives, lag, of.waited_s[i]);
    result.lag_s += lag;
    result.transfer_s += until_arrival - lag;
    result.polling_s += of.waited_s[i] - until_arrival;
  }
  return result;
}

void add_drift(const std::vector<double>& lags, std::size_t per_iteration, double& sum,
               std::size_t& count) {
  for (std::size_t i = per_iteration; i < lags.size(); i += per_iteration) {
    sum += std::abs(lags[i] - lags[i - per_iteration]);
    ++count;
  }
}

}  // namespace

rest_of_time rest_of(const std::vector<node_phases>& nodes, double exchange_s, int per_iteration) {
  PLAIT_EXPECTS(!nodes.empty() && per_iteration > 0, "phases of at least one node");
  rest_of_time result;
  const beginnings all = beginnings_of(nodes);
  const double share = 1.0 / static_cast<double>(nodes.size());
  std::vector<double> swept;
  double waited_for_neighbours = 0;
  double drift = 0;
  std::size_t drifts = 0;
  for (const node_phases& node : nodes) {
    const phase_record& one = node.record;
    const double inner = sum_of(one.inner_s);
    const double after = sum_of(one.after_s);
    swept.push_back(inner + after);
    result.computation_s += share * (one.inner_computed_s + one.after_computed_s);
    result.threads_s += share * (inner - one.inner_computed_s);
    result.annulus_s += share * (after - one.after_computed_s);
    result.posting_s += share * sum_of(one.posted_s);
    const std::vector<double> lags = lags_of(node, all);
    const waits parts = split(one, lags, exchange_s);
    waited_for_neighbours += share * parts.lag_s;
    result.transfer_s += share * parts.transfer_s;
    result.polling_s += share * parts.polling_s;
    add_drift(lags, static_cast<std::size_t>(per_iteration), drift, drifts);
    for (const double lag : lags) result.largest_lag_s = std::max(result.largest_lag_s, lag);
    if (node.proxy_cpu_s) {
      const double run = sum_of(one.posted_s) + inner + sum_of(one.waited_s) + after;
      if (run > 0)
        result.proxy_utilisation =
            result.proxy_utilisation.value_or(0) + share * *node.proxy_cpu_s / run;
    }
  }
  const double most = *std::ranges::max_element(swept);
  double behind = 0;
  for (const double one : swept) behind += share * (most - one);
  result.nodes_s = std::min(waited_for_neighbours, behind);
  result.lag_s = waited_for_neighbours - result.nodes_s;
  if (drifts > 0) result.drift_s = drift / static_cast<double>(drifts);
  return result;
}

json to_json(const phase_record& one) {
  return {
      {"begun_s", one.begun_s},      {"posted_s", one.posted_s},
      {"inner_s", one.inner_s},      {"waited_s", one.waited_s},
      {"after_s", one.after_s},      {"computed_s", {one.inner_computed_s, one.after_computed_s}},
      {"neighbours", one.neighbours}};
}

phase_record phase_record_from(const json& one) {
  const auto list = [&one](const char* name) { return one.at(name).get<std::vector<double>>(); };
  const std::vector<double> computed = list("computed_s");
  return {.begun_s = list("begun_s"),
          .posted_s = list("posted_s"),
          .inner_s = list("inner_s"),
          .waited_s = list("waited_s"),
          .after_s = list("after_s"),
          .inner_computed_s = computed.at(0),
          .after_computed_s = computed.at(1),
          .neighbours = one.at("neighbours").get<std::vector<int>>()};
}

json to_json(const std::vector<rest_of_time>& runs, const std::vector<double>& totals_s,
             int iterations) {
  if (runs.empty()) return nullptr;
  const auto median_of = [&runs](auto&& value) {
    std::vector<double> values;
    for (const rest_of_time& one : runs) values.push_back(value(one));
    return median(values);
  };
  const double middle_s = median(totals_s);
  const auto typical = std::ranges::min_element(
      totals_s, {}, [middle_s](double total_s) { return std::abs(total_s - middle_s); });
  const rest_of_time& shown = runs[static_cast<std::size_t>(typical - totals_s.begin())];
  json result;
  const auto per_iteration = [&](const char* name, double rest_of_time::*part) {
    result[name] = shown.*part / iterations;
  };
  per_iteration("computation_s", &rest_of_time::computation_s);
  per_iteration("threads_s", &rest_of_time::threads_s);
  per_iteration("annulus_s", &rest_of_time::annulus_s);
  per_iteration("posting_s", &rest_of_time::posting_s);
  per_iteration("nodes_s", &rest_of_time::nodes_s);
  per_iteration("lag_s", &rest_of_time::lag_s);
  per_iteration("transfer_s", &rest_of_time::transfer_s);
  per_iteration("polling_s", &rest_of_time::polling_s);
  std::vector<double> drifts;
  for (std::size_t i = 0; i < runs.size(); ++i)
    drifts.push_back(runs[i].drift_s * iterations / totals_s[i]);
  result["sum_share"] = shown.sum_s() / *typical;
  result["drift_share"] = median(drifts);
  result["largest_lag_s"] = median_of([](const rest_of_time& one) { return one.largest_lag_s; });
  result["proxy_utilisation"] = nullptr;
  if (std::ranges::all_of(runs, [](const auto& one) { return one.proxy_utilisation.has_value(); }))
    result["proxy_utilisation"] =
        median_of([](const rest_of_time& one) { return *one.proxy_utilisation; });
  return result;
}

void add_largest_part(json& result, const std::string& variant) {
  constexpr std::array<std::pair<const char*, const char*>, 7> parts{
      {{"threads_s", "imbalance between threads"},
       {"annulus_s", "imbalance in the sweep after the wait"},
       {"posting_s", "posting"},
       {"nodes_s", "imbalance between nodes"},
       {"lag_s", "the phase lag between neighbours"},
       {"transfer_s", "messages on their way"},
       {"polling_s", "polling"}}};
  const json rest = result["variants"][variant].value("rest", json(nullptr));
  if (rest.is_null() || !result.contains("limiter")) return;
  const auto seconds = [&rest](const auto& part) {
    return rest[part.first].template get<double>();
  };
  double all = rest["computation_s"].get<double>();
  for (const auto& part : parts) all += seconds(part);
  const auto& most = *std::ranges::max_element(parts, {}, seconds);
  result["limiter"] = result["limiter"].get<std::string>() +
                      fmt::format("; beside computation most is {}, {:.1f} % of an iteration",
                                  most.second, 100 * seconds(most) / all);
}

}  // namespace plait::measure
