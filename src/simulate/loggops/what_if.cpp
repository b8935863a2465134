// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <fmt/format.h>
#include <plait/simulate/what_if.hpp>

#include "simulate/scans.hpp"

namespace plait::simulate {
namespace {

[[nodiscard]] loggops_parameters with(loggops_parameters network, parameter_member which,
                                      std::uint64_t value) {
  network.*which = value;
  return network;
}

[[nodiscard]] std::uint64_t time_with(const program& what, const loggops_parameters& network,
                                      parameter_member which, std::uint64_t value) {
  return run_loggops(what, with(network, which, value)).latest_ns();
}

/// Difference of two times, which are far below 2^63 apart.
[[nodiscard]] std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

[[nodiscard]] std::int64_t lambda_of(const path_terms& terms, parameter_member which) {
  if (which == &loggops_parameters::L) return terms.L;
  if (which == &loggops_parameters::o) return terms.o;
  if (which == &loggops_parameters::g) return terms.g;
  if (which == &loggops_parameters::G) return terms.G;
  if (which == &loggops_parameters::O) return terms.O;
  return 0;
}

}  // namespace

std::string sensitivity_check::why_not_trusted() const {
  const double worst =
      std::abs(at_95_percent) > std::abs(at_105_percent) ? at_95_percent : at_105_percent;
  if (std::abs(worst) <= 0.01) return {};
  return fmt::format("5 % beside it the time is {:+.1f} % off what the sensitivity says",
                     100 * worst);
}

sensitivity_check check_sensitivity(const program& what, const loggops_parameters& network,
                                    parameter_member which, const explanation& explained) {
  const std::uint64_t value = network.*which;
  const std::uint64_t time = explained.outcome.latest_ns();
  sensitivity_check found;
  found.lambda = lambda_of(explained.terms, which);
  found.one_more_ns = difference(time_with(what, network, which, value + 1), time);
  found.one_less_ns =
      value == 0 ? found.lambda : difference(time, time_with(what, network, which, value - 1));
  const auto beside = [&](double factor) {
    const std::uint64_t other = scaled(value, factor);
    const auto expected = static_cast<double>(difference(other, value) * found.lambda);
    const auto seen = static_cast<double>(difference(time_with(what, network, which, other), time));
    return time == 0 ? 0 : (seen - expected) / static_cast<double>(time);
  };
  found.at_95_percent = beside(0.95);
  found.at_105_percent = beside(1.05);
  return found;
}

std::optional<std::uint64_t> tolerated(const program& what, const loggops_parameters& network,
                                       parameter_member which, double factor) {
  const double limit =
      factor * static_cast<double>(time_with(what, network, which, network.*which));
  return largest_within(network.*which, [&](std::uint64_t value) {
    return static_cast<double>(time_with(what, network, which, value)) <= limit;
  });
}

std::optional<take_over> takes_over(const program& what, const loggops_parameters& network,
                                    parameter_member which, bool upwards) {
  const auto limited_by = [&](std::uint64_t value) {
    const loggops_parameters changed = with(network, which, value);
    return limiter_of(explain(what, changed).terms, changed);
  };
  const auto value = first_change(network.*which, upwards, limited_by);
  if (!value) return std::nullopt;
  return take_over{*value, limited_by(*value)};
}

}  // namespace plait::simulate
