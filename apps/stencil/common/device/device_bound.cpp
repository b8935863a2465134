// SPDX-License-Identifier: BSD-3-Clause
#include "device_bound.hpp"

#include <algorithm>
#include <cstdio>

namespace plait::stencil {

using measure::json;

json to_json(const device_options& how) {
  json result{{"name", how.gpu.name()}, {"parts", how.parts}};
  if (!how.is_emulated) return result;
  result.update({{"bus_bytes_per_s", 1 / how.bus.per_byte_s},
                 {"copy_latency_s", how.bus.latency_s},
                 {"cells_per_s", how.cells_per_s}});
  return result;
}

void add_device(json& out, const measure::measurements& found) {
  double bus_s = 0;
  for (const measure::measured_variant& one : found.variants) {
    const double to_host_s = one.figure("to_host_s");
    const double to_device_s = one.figure("to_device_s");
    out["variants"][one.name]["device"] = {{"to_host_s", to_host_s},
                                           {"to_device_s", to_device_s},
                                           {"host_cpu_s", one.figure("host_cpu_s")},
                                           {"host_sleeps", one.figure("host_sleeps")}};
    if (one.communicates) bus_s = std::max({bus_s, to_host_s, to_device_s});
  }
  out["device"] = {{"bus_s", bus_s}, {"bound_s", std::max(out["bound_s"].get<double>(), bus_s)}};
}

void print_device(const json& result) {
  if (!result.contains("device")) return;
  const double bound_s = result["device"]["bound_s"].get<double>();
  std::printf("bound of device, bus and link %.4f s, copies %.4f s each way at most\n", bound_s,
              result["device"]["bus_s"].get<double>());
  for (const auto& [name, one] : result["variants"].items())
    std::printf("%s / bound %.3f\n", name.c_str(),
                one["total_s"]["median"].get<double>() / bound_s);
}

}  // namespace plait::stencil
