// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport_settings.hpp"

#include <cstdlib>

#include <mpi.h>

namespace plait {

void prefer_settings_that_hide() noexcept {
#if defined(MPICH_VERSION)
  for (const char* name : {"UCX_TCP_RX_SEG_SIZE", "UCX_TCP_TX_SEG_SIZE"}) {
    setenv(name, "512k", 0);
  }
#endif
}

}  // namespace plait
