// SPDX-License-Identifier: BSD-3-Clause
/// The MPI handles that an environment and an engine own.
#pragma once

#include <mpi.h>
#include <plait/comm/engine.hpp>
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
  /// On which windows come and go: one of an engine's own, for after a failure a rank leaves some
  /// of that out, and then must meet no barrier of another rank's.
  [[nodiscard]] static MPI_Comm windows_of(engine& messages) noexcept;
};

}  // namespace plait
