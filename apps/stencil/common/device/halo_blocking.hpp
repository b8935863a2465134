// SPDX-License-Identifier: BSD-3-Clause
/// The ghosts of an emulated device's array as programs for accelerators usually bring them: a
/// copy, a wait, blocking MPI, a copy, a wait.
#pragma once

#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/face.hpp"
#include "layout.hpp"
#include "measure/rows/plain_exchange.hpp"

namespace plait::stencil {

/// Messages between pinned memories, one for each face.
class halo_blocking final : public measure::plain_exchange {
 public:
  /// Precondition: faces across z.
  halo_blocking(const device& gpu, const device_layout& lies, std::vector<face> faces,
                MPI_Comm communicator);

  /// Sends the edges of an array, of which all commands have ended, and fills its ghosts.  Blocks.
  void fill(const span_there& of, measure::stopwatch& watch);

 private:
  device gpu_;
  device_layout lies_;
  std::vector<face> faces_;
  std::vector<pinned<double>> incoming_, outgoing_;  ///< by face
};

}  // namespace plait::stencil
