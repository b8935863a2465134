// SPDX-License-Identifier: BSD-3-Clause
#include "comparison_result.hpp"

#include <algorithm>

#include <plait/plait.hpp>

#include "result.hpp"
#include "statistics.hpp"

namespace plait::app {
namespace {

/// Where base is closer to the bound than runs are to each other there is nothing to hide.
constexpr double worth_hiding = 0.05;

json variant_result(const measured_variant& one, double error_bound, const measured_variant* base) {
  const summary total = summarize(one.of_runs([](const kept_run& run) { return run.total_s; }));
  const auto median_of = [&](double breakdown::*part) {
    return median(one.of_runs([&](const kept_run& run) { return run.mean.*part; }));
  };
  json result{{"total_s", to_json(total)}};
  result["compute_s"] = median_of(&breakdown::compute_s);
  result["posting_s"] = median_of(&breakdown::posting_s);
  result["exposed_s"] = median_of(&breakdown::exposed_s);
  result["overhead_s"] = median_of(&breakdown::overhead_s);
  result["idle_s"] = median_of(&breakdown::idle_s);
  result["verified"] = one.verified;
  result["max_error"] = one.max_error;
  result["error_bound"] = error_bound;
  result["ratio_to_base"] = base != nullptr ? json(total.median / base->total_s()) : json(nullptr);
  if (one.has_proxy())
    result["proxy_cpu_s"] =
        median(one.of_runs([](const kept_run& run) { return run.proxy_cpu_s.value_or(0); }));
  result["ledger"] = one.typical().ledger;
  return result;
}

json hidden_fractions(const comparison& what, const measurements& found) {
  json result = json::object();
  const measured_variant* base = found.find(what.base);
  if (base == nullptr) return result;
  for (const measured_variant& one : found.variants)
    if (one.name != what.base && one.name != what.ideal.name)
      result[one.name] = to_json(
          hidden_fraction(one.total_s(), base->total_s(), bound_s(found.alone()), worth_hiding));
  return result;
}

}  // namespace

json result_of(const environment& env, const comparison& what, const session_options& wanted,
               const measurements& found) {
  const double rate = wanted.link_rate_bytes_per_s;
  const measured_alone alone = found.alone();
  json result{{"schema", "plait-result/1"}, {"app", what.application}};
  result["parameters"] = what.parameters;
  result["environment"] = describe_environment(env);
  result["environment"]["link_rate_Bps"] = rate > 0 ? json(rate) : json(nullptr);
  result["variants"] = json::object();
  for (std::size_t i = 0; i < found.variants.size(); ++i)
    result["variants"][found.variants[i].name] =
        variant_result(found.variants[i], what.variants[i].error_bound, found.find(what.base));
  result["communication_s"] = to_json(summarize(found.communication_s));
  result["computation_s"] = to_json(summarize(found.computation_s));
  result["transport_cpu_s"] = to_json(summarize(found.transport_cpu_s));
  result["wire_bound_s"] = to_json(found.wire_bound_s);
  result["bound_s"] = bound_s(alone);
  result["attainable_s"] = attainable_s(alone);
  result["hidden_fraction"] = hidden_fractions(what, found);
  result["timeline"] = json::object();
  for (const measured_variant& one : found.variants) {
    result["timeline"][one.name] = one.timeline;
    if (!one.trace_summary.is_null()) result["trace_summary"][one.name] = one.trace_summary;
  }
  return result;
}

std::string limiter_of(const measured_variant& one, const measurements& found) {
  return limiter(one.name, one.total_s(), one.typical().mean, found.alone());
}

}  // namespace plait::app
