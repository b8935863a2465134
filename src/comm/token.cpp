// SPDX-License-Identifier: BSD-3-Clause
#include <plait/comm/token.hpp>
#include <sched.h>

namespace plait {

void mpi_token::yield() noexcept {
  sched_yield();
}

}  // namespace plait
