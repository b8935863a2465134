// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport_settings.hpp"

#include <cstdlib>

#include <mpi.h>

namespace plait::detail {

std::string set_transport_defaults() {
  std::string set;
#ifdef MPICH_NUMVERSION
  for (const char* name : {"UCX_TCP_RX_SEG_SIZE", "UCX_TCP_TX_SEG_SIZE"}) {
    constexpr const char* value = "512k";
    if (std::getenv(name) != nullptr || setenv(name, value, 0) != 0) continue;
    if (!set.empty()) set += ' ';
    set += std::string(name) + '=' + value;
  }
#endif
  return set;
}

}  // namespace plait::detail
