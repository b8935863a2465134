// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace plait::stencil {

namespace {

/// Slow enough for its copies to be seen beside the kernels of a host.
constexpr const char* usual_device = "emulated:bus=5e8";

/// Errors: usage_error where no device is what the word says.
device_options device_of(const std::string& text, const std::string& named,
                         const environment& env) {
  if (text == "cuda" || text == "hip")
    throw usage_error(named + "='" + text +
                      "': rows on a device have kernels for opencl and for emulated devices");
  if (text != "opencl") {
    const emulated_options how = emulated_options_of(text, named);
    return {.gpu = emulated_devices(how).front(),
            .is_emulated = true,
            .bus = {.latency_s = how.latency_s, .per_byte_s = 1 / how.bus_bytes_per_s}};
  }
  const std::vector<device> found = opencl_devices(static_cast<std::size_t>(env.node_rank()),
                                                   static_cast<std::size_t>(env.node_size()));
  if (found.empty())
    throw usage_error(named + "='opencl': OpenCL has no device here with shared virtual memory");
  return {.gpu = found.front(), .bus = usual_bus};
}

}  // namespace

void expect_slabs(const domain& whole) {
  const auto [px, py, pz] = whole.grid().dims();
  if (px > 1 || py > 1)
    throw usage_error(
        fmt::format("--variants has rows on a device, which need processes that divide z alone, "
                    "not a grid of {}x{}x{}; give --grid 1x1x{}",
                    px, py, pz, px * py * pz));
}

bool are_on_device(const std::vector<std::string>& rows) {
  const auto count = std::ranges::count_if(
      rows, [](const std::string& name) { return name.starts_with("device_"); });
  if (count != 0 && count != std::ssize(rows))
    throw usage_error(
        "--variants has rows on a device beside others, which have other bounds; give "
        "device_base,device_olap,device_plait,device_ideal");
  return count != 0;
}

void expect_takes(const device_options& how, const std::vector<std::string>& rows) {
  const auto is_by_hand = [](const std::string& name) {
    return name == "device_base" || name == "device_olap";
  };
  if (!how.is_emulated && std::ranges::any_of(rows, is_by_hand))
    throw usage_error(
        "--variants has rows by hand, which are of emulated devices; with OpenCL give "
        "device_plait,device_ideal");
}

int parts_of(const device_options& how, const device_layout& lies, const std::vector<face>& faces) {
  if (faces.empty()) return 1;
  if (how.parts > 0) return how.parts;
  const double message_bytes =
      static_cast<double>(lies.message_size(faces.front().edge)) * sizeof(double);
  model::staged_way way{.copy_latency_s = how.bus.latency_s,
                        .copy_per_byte_s = how.bus.per_byte_s,
                        .network = model::usual_network()};
  if (how.link_bytes_per_s > 0) way.network.gap_per_byte_s = 1 / how.link_bytes_per_s;
  return model::cheapest_parts(way, message_bytes);
}

void device_words::add_to(measure::command_line& to) {
  to.option("--device", device,
            std::string("The device of rows device_…, as PLAIT_DEVICE names one: opencl, or "
                        "emulated, or with count, bus (bytes/s), latency, delay (s), faults and "
                        "seed; without it that of PLAIT_DEVICE, or ") +
                usual_device);
  to.option("--kernel-rate", cells_per_s,
            "Cells that a kernel computes on an emulated device, a second");
  to.option("--device-parts", parts,
            "Parts of a message from there, and of the kernels beside it; 0 = by the model");
}

device_options device_words::made(const environment& env, double link_bytes_per_s) const {
  measure::check_range("--device-parts", parts, 0, 1024);
  measure::check_positive("--kernel-rate", cells_per_s, std::int64_t{1} << 50);
  const char* const set = std::getenv("PLAIT_DEVICE");
  const std::string of_environment = set == nullptr ? "" : set;
  if (!device.empty() && !of_environment.empty())
    throw usage_error("--device and PLAIT_DEVICE both name a device; leave one out");
  device_options result = !device.empty()           ? device_of(device, "--device", env)
                          : !of_environment.empty() ? device_of(of_environment, "PLAIT_DEVICE", env)
                                                    : device_of(usual_device, "--device", env);
  ::unsetenv("PLAIT_DEVICE");
  result.cells_per_s = cells_per_s;
  result.parts = static_cast<int>(parts);
  result.link_bytes_per_s = link_bytes_per_s;
  return result;
}

}  // namespace plait::stencil
