// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/model/parameters.hpp>

namespace plait::model {
namespace {

struct field {
  const char* name;
  double parameters::*value;
};
constexpr std::array<field, 8> fields_not_negative{{
    {"o_s (send_overhead_s)", &parameters::send_overhead_s},
    {"o_r (receive_overhead_s)", &parameters::receive_overhead_s},
    {"g (gap_s)", &parameters::gap_s},
    {"G (gap_per_byte_s)", &parameters::gap_per_byte_s},
    {"O (overhead_per_byte_s)", &parameters::overhead_per_byte_s},
    {"γ (reduction_per_byte_s)", &parameters::reduction_per_byte_s},
    {"G₂ (both_ways_per_byte_s)", &parameters::both_ways_per_byte_s},
    {"κ (copy_per_byte_s)", &parameters::copy_per_byte_s},
}};

}  // namespace

void validate(const parameters& network) {
  for (const field& f : fields_not_negative) {
    const double value = network.*f.value;
    if (!std::isfinite(value) || value < 0)
      throw usage_error(
          fmt::format("{} is {:g} s; it must be finite and at least 0", f.name, value));
  }
  if (!(network.eager_limit_bytes >= 0))
    throw usage_error(fmt::format("S (eager_limit_bytes) is {:g} bytes; it must be at least 0",
                                  network.eager_limit_bytes));
  const double overheads_s = network.send_overhead_s + network.receive_overhead_s;
  if (!std::isfinite(network.latency_s) || network.latency_s < -overheads_s)
    throw usage_error(
        fmt::format("L (latency_s) is {:g} s; it must be finite and at least "
                    "-(o_s + o_r) = {:g} s: no message arrives before it is sent",
                    network.latency_s, -overheads_s));
}

}  // namespace plait::model
