// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <optional>

#include <plait/simulate/what_if.hpp>

#include "simulate/scans.hpp"

namespace plait::simulate {
namespace {

constexpr double per_ps = 1000;  // of `byte_ps`, for scans of whole numbers

[[nodiscard]] machine with(machine on, machine_parameter which, std::uint64_t value) {
  if (which == machine_parameter::latency_ns) {
    on.latency_ps = static_cast<std::int64_t>(value) * 1000;
  } else {
    on.byte_ps = static_cast<double>(value) / per_ps;
  }
  return on;
}

[[nodiscard]] std::uint64_t value_of(const machine& on, machine_parameter which) {
  if (which == machine_parameter::latency_ns)
    return static_cast<std::uint64_t>((on.latency_ps + 500) / 1000);
  return static_cast<std::uint64_t>(std::llround(on.byte_ps * per_ps));
}

}  // namespace

std::optional<std::uint64_t> tolerated_latency_ns(const program& what, const machine& on,
                                                  double factor) {
  constexpr auto which = machine_parameter::latency_ns;
  const double limit = factor * static_cast<double>(predict(what, on).time_ps);
  return largest_within(value_of(on, which), [&](std::uint64_t value) {
    return static_cast<double>(predict(what, with(on, which, value)).time_ps) <= limit;
  });
}

std::optional<machine_change> takes_over(const program& what, const machine& on,
                                         machine_parameter which, bool upwards) {
  const auto limited_by = [&](std::uint64_t value) {
    return predict(what, with(on, which, value)).limiter();
  };
  const auto value = first_change(value_of(on, which), upwards, limited_by);
  if (!value) return std::nullopt;
  const auto number = static_cast<double>(*value);
  return machine_change{which == machine_parameter::latency_ns ? number : number / per_ps / 1000,
                        limited_by(*value)};
}

}  // namespace plait::simulate
