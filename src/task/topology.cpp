// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <set>

#include <hwloc.h>
#include <plait/core/error.hpp>
#include <plait/task/topology.hpp>

namespace plait {
namespace {

struct topology_deleter {
  void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
};
struct bitmap_deleter {
  void operator()(hwloc_bitmap_s* b) const { hwloc_bitmap_free(b); }
};

}  // namespace

topology discover_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw error("hwloc cannot be initialised");
  const std::unique_ptr<hwloc_topology, topology_deleter> machine(raw);
  if (hwloc_topology_load(raw) != 0) throw error("hwloc cannot read this machine's topology");
  const std::unique_ptr<hwloc_bitmap_s, bitmap_deleter> mask(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(raw, mask.get(), HWLOC_CPUBIND_THREAD) != 0) {
    hwloc_bitmap_copy(mask.get(), hwloc_topology_get_allowed_cpuset(raw));
  }
  topology result;
  std::set<hwloc_obj_t> cores;
  int unit = -1;
  while ((unit = hwloc_bitmap_next(mask.get(), unit)) != -1) {
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(raw, static_cast<unsigned>(unit));
    if (object == nullptr) continue;
    result.usable.push_back(unit);
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(raw, HWLOC_OBJ_CORE, object);
    cores.insert(core != nullptr ? core : object);
  }
  if (result.usable.empty()) throw error("this process may not run on any processor hwloc knows");
  result.usable_cores = static_cast<int>(cores.size());
  return result;
}

}  // namespace plait
