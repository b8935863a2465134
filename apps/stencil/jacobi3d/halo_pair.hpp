// SPDX-License-Identifier: BSD-3-Clause
/// The ghosts of both iterates in plain MPI, which take turns.
#pragma once

#include <utility>

#include "common/halo_mpi.hpp"
#include "problem.hpp"

namespace jacobi3d {

class halo_pair {
 public:
  halo_pair(problem& p, MPI_Comm communicator) : u_(communicator, p.u), v_(communicator, p.v) {}

  /// Returns those of the iterate that this step reads.
  [[nodiscard]] plait::stencil::halo_mpi& next() {
    return *std::exchange(next_, next_ == &u_ ? &v_ : &u_);
  }

 private:
  plait::stencil::halo_mpi u_;  ///< of what is u at first
  plait::stencil::halo_mpi v_;
  plait::stencil::halo_mpi* next_ = &u_;
};

}  // namespace jacobi3d
