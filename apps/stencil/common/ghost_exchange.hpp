// SPDX-License-Identifier: BSD-3-Clause
/// The ways to exchange ghosts: messages for each face, or a neighbour collective; in plain MPI and
/// as tasks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/rows/plain_exchange.hpp"
#include "packed_faces.hpp"

namespace plait::stencil {

/// In plain MPI: a message for each face, or MPI_(I)neighbor_alltoallv; in tasks: the mover, or
/// neighbour_alltoallv.
enum class exchange_kind : std::uint8_t { mover, collective };
inline constexpr std::array<std::string_view, 2> exchange_names{"mover", "collective"};

/// Makes the exchange of an array's ghosts in plain MPI.  `u` outlives it, in place.  Collective.
[[nodiscard]] std::unique_ptr<measure::watched_exchange> make_exchange(MPI_Comm communicator,
                                                                       block_array<double, 3>& u,
                                                                       exchange_kind how);

/// Fills the ghosts of one array by tasks.
class ghost_tasks {
 public:
  /// `u` outlives it, in place.
  ghost_tasks(const environment& env, block_array<double, 3>& u, exchange_kind how);
  void submit(runtime& rt);

 private:
  void submit_collective(runtime& rt);

  view<double, 3> cells_;
  std::optional<move_plan> ghosts_;
  std::optional<packed_faces> sent_, received_;
};

}  // namespace plait::stencil
