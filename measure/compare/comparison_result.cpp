// SPDX-License-Identifier: BSD-3-Clause
#include "comparison_result.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"

namespace plait::measure {
namespace {

/// Distance of base from the bound, as a share of base, up to which there is nothing to hide: runs
/// differ as much from each other.
constexpr double worth_hiding = 0.05;

[[nodiscard]] bool is_an_ideal(const comparison& what, const measured_variant& one) {
  return one.name == what.ideal.name ||
         std::ranges::find(what.own_ideals, one.name, &compared_variant::name) !=
             what.own_ideals.end();
}

/// Returns what a variant that does not compute as base does can be held against.
json own_limits(const measured_variant& one, const measured_alone& alone,
                const measured_variant& ideal, const measurements& found) {
  return {{"ideal", ideal.name},
          {"computation_s", to_json(summarize(found.computation_of(ideal).samples))},
          {"bound_s", bound_s(alone)},
          {"attainable_s", attainable_s(alone)},
          {"ratio_to_ideal", to_json(one.total_s() / alone.computation_s)}};
}

/// Of each round, `bound(round)`.
summary by_round(const std::vector<measured_alone>& rounds,
                 double (*bound)(const measured_alone&)) {
  std::vector<double> bounds;
  for (const measured_alone& round : rounds) bounds.push_back(bound(round));
  return summarize(std::move(bounds));
}

/// Says by variant in how many rounds it needed least for base's computation, less than that took
/// alone.
json computation_from(const measurements& found) {
  json result = json::object();
  for (const std::size_t from : found.computation_of(found.find_ideal(found.ideal)).from) {
    if (from == 0) continue;
    json& rounds = result[found.variants[from - 1].name];
    rounds = rounds.is_null() ? 1 : rounds.get<int>() + 1;
  }
  return result;
}

json slower_result(const measured_variant& one, const measured_alone& alone,
                   bool transport_is_known) {
  const slower_computation by = slower(one.spent(), alone, one.proxy_cpu_s());
  return {{"total_s", to_json(by.total_s)},
          {"transport_s", transport_is_known ? to_json(by.transport_s) : json(nullptr)},
          {"proxy_s", to_json(by.proxy_s)}};
}

json variant_result(const comparison& what, const measurements& found, const compared_variant& code,
                    const measured_variant& one) {
  const measured_variant* base = found.find(what.base);
  json result{{"total_s", to_json(one.total())}};
  const breakdown spent = one.spent();
  result["compute_s"] = spent.compute_s;
  result["posting_s"] = spent.posting_s;
  result["exposed_s"] = spent.exposed_s;
  result["overhead_s"] = spent.overhead_s;
  result["idle_s"] = spent.idle_s;
  result["verified"] = one.verified;
  result["max_error"] = one.max_error;
  result["error_bound"] = code.error_bound;
  if (code.operations > 0) result["gflops"] = 1e-9 * code.operations / one.total_s();
  result["ratio_to_base"] = base != nullptr ? json(one.total_s() / base->total_s()) : json(nullptr);
  result["workers"] = one.workers;
  result["processes"] = one.processes;
  result["computes_as_base"] = found.computes_as_base(one);
  result["slower_computation"] = nullptr;
  const std::optional<measured_alone> alone = found.alone_of(one);
  if (alone && !is_an_ideal(what, one)) {
    const measured_messages& messages = one.leads ? found.leaders : found.messages;
    const bool transport_is_known = std::isfinite(median(messages.transport_cpu_s));
    result["slower_computation"] = slower_result(one, *alone, transport_is_known);
    if (!found.computes_as_base(one))
      result["own_limits"] = own_limits(one, *alone, *found.own_ideal_of(one), found);
  }
  if (one.has_proxy()) result["proxy_cpu_s"] = to_json(one.proxy_cpu_s());
  result["ledger"] = one.typical().ledger;
  return result;
}

/// Of every variant but base; null where the formula says nothing of it.
json hidden_fractions(const comparison& what, const measurements& found) {
  json result = json::object();
  const measured_variant* base = found.find(what.base);
  if (base == nullptr) return result;
  const double bound = bound_s(found.alone());
  for (const measured_variant& one : found.variants) {
    if (one.name == what.base) continue;
    result[one.name] =
        found.computes_as_base(one) && !is_an_ideal(what, one)
            ? to_json(hidden_fraction(one.total_s(), base->total_s(), bound, worth_hiding))
            : json(nullptr);
  }
  return result;
}

json beaten_by(const comparison& what, const measurements& found) {
  json result = json::array();
  for (const measured_variant& one : found.variants) {
    const std::vector<measured_alone> rounds = found.rounds_of(one);
    if (!rounds.empty() && !is_an_ideal(what, one) &&
        beats(one.total(), by_round(rounds, attainable_s)))
      result.push_back(one.name);
  }
  return result;
}

}  // namespace

json result_of(const environment& env, const comparison& what, const session_options& wanted,
               const measurements& found) {
  const double rate = wanted.link_rate_bytes_per_s;
  const measured_alone alone = found.alone();
  json result = new_result("application", "app", what.application, what.parameters,
                           describe_environment(env));
  result["environment"]["link_rate_Bps"] = rate > 0 ? json(rate) : json(nullptr);
  result["variants"] = json::object();
  for (std::size_t i = 0; i < found.variants.size(); ++i)
    result["variants"][found.variants[i].name] =
        variant_result(what, found, what.variants[i], found.variants[i]);
  const measured_messages& messages = found.messages;
  const measured_variant& ideal = found.find_ideal(found.ideal);
  const std::vector<measured_alone> rounds = found.rounds_of(ideal);
  result["communication_s"] = to_json(summarize(found.communication_of(messages)));
  result["computation_s"] = to_json(summarize(found.computation_of(ideal).samples));
  result["computation_from"] = computation_from(found);
  const summary transport = summarize(messages.transport_cpu_s);
  result["transport_cpu_s"] = to_json(transport);
  const std::chrono::duration<double> look = messages.transport_look;
  result["transport_look_s"] = std::isfinite(transport.median) ? json(look.count()) : json(nullptr);
  result["wire_bound_s"] = to_json(messages.wire_bound_s);
  result["bound_s"] = bound_s(alone);
  result["attainable_s"] = attainable_s(alone);
  result["bound_by_round_s"] = to_json(by_round(rounds, bound_s));
  result["attainable_by_round_s"] = to_json(by_round(rounds, attainable_s));
  result["hidden_fraction"] = hidden_fractions(what, found);
  result["beats_attainable"] = beaten_by(what, found);
  result["timeline"] = json::object();
  for (const measured_variant& one : found.variants) {
    result["timeline"][one.name] = one.timeline;
    if (!one.trace_summary.is_null()) result["trace_summary"][one.name] = one.trace_summary;
  }
  return result;
}

std::string limiter_of(const measured_variant& one, const measurements& found) {
  if (const std::optional<measured_alone> alone = found.alone_of(one))
    return limiter(one.name, one.total_s(), one.spent(), *alone, one.proxy_cpu_s());
  const measured_variant& ideal = found.find_ideal(found.ideal);
  const auto unknown = [&](const std::string& why) {
    return fmt::format("{} {}; its limit is not known", one.name, why);
  };
  if (one.processes != ideal.processes)
    return unknown(fmt::format("runs with {} of {} processes, and computation alone is that of all",
                               one.processes, ideal.processes));
  if (one.workers != ideal.workers)
    return unknown(fmt::format("has {} threads a process, and computation alone is that of {}",
                               one.workers, ideal.workers));
  return unknown("does not compute as base does, and its computation alone was not measured");
}

}  // namespace plait::measure
