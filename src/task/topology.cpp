// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <hwloc.h>
#include <plait/core/error.hpp>
#include <plait/task/topology.hpp>

namespace plait {
namespace {

using machine_pointer =
    std::unique_ptr<hwloc_topology,
                    decltype([](auto* machine) { hwloc_topology_destroy(machine); })>;
using bitmap_pointer =
    std::unique_ptr<hwloc_bitmap_s, decltype([](auto* bitmap) { hwloc_bitmap_free(bitmap); })>;

[[nodiscard]] machine_pointer load_machine() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw error("hwloc cannot be initialised");
  machine_pointer machine(raw);
  if (hwloc_topology_load(raw) != 0) throw error("hwloc cannot read this machine's topology");
  return machine;
}

/// Returns the units that the calling thread may run on.
[[nodiscard]] bitmap_pointer usable_units(hwloc_topology_t machine) {
  bitmap_pointer mask(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(machine, mask.get(), HWLOC_CPUBIND_THREAD) != 0)
    hwloc_bitmap_copy(mask.get(), hwloc_topology_get_allowed_cpuset(machine));
  return mask;
}

/// Calls `use(unit, core)` for each usable unit, ascending.
template <class Use>
void for_each_unit(hwloc_topology_t machine, Use use) {
  const bitmap_pointer mask = usable_units(machine);
  int unit = -1;
  while ((unit = hwloc_bitmap_next(mask.get(), unit)) != -1) {
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(machine, static_cast<unsigned>(unit));
    if (object == nullptr) continue;
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, object);
    use(unit, core != nullptr ? core : object);
  }
}

}  // namespace

topology discover_topology() {
  const machine_pointer machine = load_machine();
  topology result;
  std::set<hwloc_obj_t> cores;
  for_each_unit(machine.get(), [&](int unit, hwloc_obj_t core) {
    result.usable.push_back(unit);
    cores.insert(core);
  });
  if (result.usable.empty()) throw error("this process may not run on any processor hwloc knows");
  result.usable_cores = static_cast<int>(cores.size());
  return result;
}

std::vector<memory_domain> memory_domains() {
  const machine_pointer machine = load_machine();
  std::vector<memory_domain> result;
  std::set<hwloc_obj_t> seen;
  for_each_unit(machine.get(), [&](int unit, hwloc_obj_t core) {
    if (!seen.insert(core).second || core->nodeset == nullptr) return;
    const int number = hwloc_bitmap_first(core->nodeset);
    const auto place = std::ranges::find(result, number, &memory_domain::number);
    if (place != result.end()) {
      place->units.push_back(unit);
    } else {
      result.push_back({.number = number, .units = {unit}});
    }
  });
  std::ranges::sort(result, {}, &memory_domain::number);
  if (result.empty()) result.push_back({.number = 0, .units = discover_topology().usable});
  return result;
}

bool keep_in_domain(int domain, std::span<const std::byte> memory) {
  if (memory.empty()) return true;
  const machine_pointer machine = load_machine();
  const bitmap_pointer nodes(hwloc_bitmap_alloc());
  hwloc_bitmap_only(nodes.get(), static_cast<unsigned>(domain));
  return hwloc_set_area_membind(machine.get(), memory.data(), memory.size(), nodes.get(),
                                HWLOC_MEMBIND_BIND,
                                HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE) == 0;
}

struct bound_thread::mask {
  machine_pointer machine = load_machine();
  bitmap_pointer units = usable_units(machine.get());
};

bound_thread::bound_thread(int unit) {
  auto before = std::make_unique<mask>();
  const bitmap_pointer one(hwloc_bitmap_alloc());
  hwloc_bitmap_only(one.get(), static_cast<unsigned>(unit));
  if (hwloc_set_cpubind(before->machine.get(), one.get(), HWLOC_CPUBIND_THREAD) == 0)
    before_ = std::move(before);
}

bound_thread::~bound_thread() {
  if (before_ != nullptr)
    (void)hwloc_set_cpubind(before_->machine.get(), before_->units.get(), HWLOC_CPUBIND_THREAD);
}

}  // namespace plait
