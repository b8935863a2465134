// SPDX-License-Identifier: BSD-3-Clause
/// The MPI handles an environment owns.
#pragma once

#include <mpi.h>
#include <plait/comm/environment.hpp>

namespace plait {

struct environment::native_handles {
  MPI_Comm program = MPI_COMM_NULL;   ///< given to the program: native()
  MPI_Comm internal = MPI_COMM_NULL;  ///< barrier, gather, clock
};

struct native_access {
  [[nodiscard]] static environment::native_handles& of(environment& env) noexcept {
    return *env.native_;
  }
};

}  // namespace plait
