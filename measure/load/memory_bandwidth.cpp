// SPDX-License-Identifier: BSD-3-Clause
#include "memory_bandwidth.hpp"

#include <utility>

#include "measure/base/statistics.hpp"

namespace plait::measure {
namespace {

constexpr const char* label = "memory bandwidth";

}  // namespace

void measure_bandwidth(environment& env, comparison& what, std::function<double()> bytes_per_s) {
  what.also.push_back({label, [&env, own = std::move(bytes_per_s)] { return sum(env, own()); }});
}

json kernel_of(const measurements& found, double bytes) {
  const double bytes_per_s = bytes / found.alone().computation_s;
  const double stream = median(found.also.at(label));
  return {{"bytes_per_s", bytes_per_s},
          {"stream_bytes_per_s", stream},
          {"fraction_of_bandwidth", bytes_per_s / stream}};
}

}  // namespace plait::measure
