// SPDX-License-Identifier: BSD-3-Clause
/// Describes a rank to the others when the job begins: its host, its cores and its network card.
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include <sched.h>

#include "comm/transport_settings.hpp"

namespace plait {

/// A rank's words about itself when the job begins, in one message to all others: 432 bytes a rank.
struct introduction {
  std::array<char, 256> host{};
  /// The number that this start of it has; empty where it cannot be read, and then the host's name
  /// has to do.
  std::array<char, 40> kernel{};
  cpu_set_t units{};  ///< empty where it holds too few: then no share can be computed
  std::int64_t has_rdma_card = 0;

  [[nodiscard]] bool shares_node_with(const introduction& other) const {
    return host == other.host && kernel == other.kernel;
  }
};

static_assert(std::is_trivially_copyable_v<introduction>);
static_assert(sizeof(introduction) == 256 + 40 + sizeof(cpu_set_t) + 8);  // no byte is undefined

[[nodiscard]] inline introduction introduce(const std::string& host) {
  introduction mine;
  host.copy(mine.host.data(), mine.host.size() - 1);
  std::ifstream("/proc/sys/kernel/random/boot_id").read(mine.kernel.data(), mine.kernel.size() - 1);
  if (sched_getaffinity(0, sizeof mine.units, &mine.units) != 0) CPU_ZERO(&mine.units);
  mine.has_rdma_card = detail::has_rdma_card() ? 1 : 0;
  return mine;
}

[[nodiscard]] inline std::vector<int> units_of(const introduction& rank) {
  std::vector<int> units;
  for (int unit = 0; unit < CPU_SETSIZE; ++unit) {
    if (CPU_ISSET(unit, &rank.units)) units.push_back(unit);
  }
  if (units.empty()) units.push_back(0);
  return units;
}

}  // namespace plait
