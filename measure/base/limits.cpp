// SPDX-License-Identifier: BSD-3-Clause
#include "limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace plait::measure {
namespace {

/// In the unit a reader would choose.
std::string duration(double seconds) {
  if (std::abs(seconds) < 1e-3) return fmt::format("{:.3g} µs", 1e6 * seconds);
  if (std::abs(seconds) < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

std::string what_limits(const measured_alone& alone) {
  const double processor = alone.computation_s + alone.transport_cpu_s;
  const std::string messages = fmt::format(
      "{} {}", alone.wire_s ? "the bytes of a link at its rate take" : "communication alone takes",
      duration(alone.messages_s()));
  if (alone.messages_s() > processor)
    return fmt::format("the network: {}, computation and the transport's processor time {}",
                       messages, duration(processor));
  if (alone.transport_cpu_s > 0.02 * alone.computation_s &&
      processor > 1.02 * std::max(alone.computation_s, alone.messages_s()))
    return fmt::format(
        "the processor: computation takes {} and the transport {} of its time, which cannot be "
        "hidden",
        duration(alone.computation_s), duration(alone.transport_cpu_s));
  return fmt::format("computation, {}; {}", duration(alone.computation_s), messages);
}

/// Nothing where it is not worth a word.
std::string what_slows(const slower_computation& by, const measured_alone& alone) {
  if (by.total_s <= 0.02 * alone.computation_s) return {};
  std::string parts;
  if (alone.transport_cpu_s > 0) parts += fmt::format("transport {}, ", duration(by.transport_s));
  if (by.proxy_s)
    parts += fmt::format("proxy thread {} (transport work included), ", duration(*by.proxy_s));
  return fmt::format("; computation is {} slower beside messages: of it {}caches and others {}",
                     duration(by.total_s), parts, duration(by.rest_s()));
}

std::string distance(const std::string& name, double total_s, const breakdown& spent,
                     const slower_computation& slowed, const measured_alone& alone) {
  const double attainable = attainable_s(alone);
  const double excess = total_s - attainable;
  const std::string limit = what_limits(alone);
  if (excess < -0.05 * attainable)
    return fmt::format(
        "{} takes {:.0f} % less than attainable, which was measured too high here: it was set by "
        "{}",
        name, -100 * excess / attainable, limit);
  if (excess <= 0.05 * attainable)
    return fmt::format("{} is within 5 % of what is attainable, limited by {}", name, limit);
  const std::array parts{std::pair{"waiting for messages", spent.exposed_s},
                         std::pair{"posting and polling messages", spent.posting_s},
                         // The transport's part is in `attainable` already.
                         std::pair{"computation slower beside messages than the transport explains",
                                   slowed.total_s - slowed.transport_s},
                         std::pair{"the runtime itself", spent.overhead_s},
                         std::pair{"idle workers", spent.idle_s}};
  const auto largest =
      std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; });
  return fmt::format("{} takes {:.0f} % more than attainable, most of it {} ({}); the limit is {}",
                     name, 100 * excess / attainable, largest->first, duration(largest->second),
                     limit);
}

}  // namespace

cheapest_found cheapest_of_rounds(const std::vector<double>& alone,
                                  const std::vector<std::vector<double>>& shown) {
  cheapest_found result{.samples = alone, .from = std::vector<std::size_t>(alone.size(), 0)};
  for (std::size_t one = 0; one < shown.size(); ++one) {
    PLAIT_EXPECTS(shown[one].size() == alone.size(), fmt::format("{} rounds", shown[one].size()));
    for (std::size_t round = 0; round < alone.size(); ++round)
      if (shown[one][round] < result.samples[round]) {
        result.samples[round] = shown[one][round];
        result.from[round] = one + 1;
      }
  }
  return result;
}

double bound_s(const measured_alone& alone) {
  return std::max(alone.computation_s, alone.messages_s());
}

double attainable_s(const measured_alone& alone) {
  return std::max(alone.messages_s(), alone.computation_s + alone.transport_cpu_s);
}

std::optional<double> hidden_fraction(double total_s, double base_s, double bound_s, double noise) {
  if (!(base_s - bound_s > noise * base_s)) return std::nullopt;
  return (base_s - total_s) / (base_s - bound_s);
}

bool beats(const summary& total, const summary& attainable_s) {
  return total.q3 < attainable_s.q1 - (total.q3 - total.q1);
}

double slower_computation::rest_s() const {
  return std::max(total_s, 0.0) - std::max(transport_s, proxy_s.value_or(0));
}

slower_computation slower(const breakdown& spent, const measured_alone& alone,
                          std::optional<double> proxy_cpu_s) {
  slower_computation result;
  result.total_s = spent.compute_s - alone.compute_s.value_or(alone.computation_s);
  const double excess = std::max(result.total_s, 0.0);
  result.transport_s = std::clamp(alone.transport_cpu_s, 0.0, excess);
  if (proxy_cpu_s) result.proxy_s = std::clamp(*proxy_cpu_s, 0.0, excess);
  return result;
}

std::string limiter(const std::string& name, double total_s, const breakdown& spent,
                    const measured_alone& alone, std::optional<double> proxy_cpu_s) {
  const slower_computation slowed = slower(spent, alone, proxy_cpu_s);
  return distance(name, total_s, spent, slowed, alone) + what_slows(slowed, alone);
}

}  // namespace plait::measure
