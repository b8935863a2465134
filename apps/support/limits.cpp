// SPDX-License-Identifier: BSD-3-Clause
#include "limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace plait::app {
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

}  // namespace

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

std::string limiter(const std::string& name, double total_s, const breakdown& spent,
                    const measured_alone& alone) {
  const double attainable = attainable_s(alone);
  const double excess = total_s - attainable;
  const std::string limit = what_limits(alone);
  if (excess < -0.05 * attainable && spent.compute_s < 0.95 * alone.computation_s)
    return fmt::format(
        "{} takes {:.0f} % less than attainable with {} of computation: its own takes {}, since "
        "what follows on cells comes while they are in the cache; it waits {} for messages",
        name, -100 * excess / attainable, duration(alone.computation_s), duration(spent.compute_s),
        duration(spent.exposed_s));
  if (excess < -0.05 * attainable)
    return fmt::format(
        "{} takes {:.0f} % less than attainable, which was measured too high here: it was set by "
        "{}",
        name, -100 * excess / attainable, limit);
  if (excess <= 0.05 * attainable)
    return fmt::format("{} is within 5 % of what is attainable, limited by {}", name, limit);
  const std::array parts{
      std::pair{"waiting for messages", spent.exposed_s},
      std::pair{"posting and polling messages", spent.posting_s},
      std::pair{"computation slower than alone", spent.compute_s - alone.computation_s},
      std::pair{"the runtime itself", spent.overhead_s}, std::pair{"idle workers", spent.idle_s}};
  const auto largest =
      std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; });
  return fmt::format("{} takes {:.0f} % more than attainable, most of it {} ({}); the limit is {}",
                     name, 100 * excess / attainable, largest->first, duration(largest->second),
                     limit);
}

}  // namespace plait::app
