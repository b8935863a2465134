// SPDX-License-Identifier: BSD-3-Clause
/// The ghost exchange in plain MPI, by persistent messages or by a neighbour collective.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "common/halo_mpi.hpp"
#include "measure/timeline.hpp"
#include "neighbours.hpp"

namespace poisson {

/// Who exchanges ghosts.  In plain MPI: a message for each face, or MPI_(I)neighbor_alltoallv; in
/// tasks: the mover, or neighbour_alltoallv.
enum class exchange_kind : std::uint8_t { mover, collective };
inline constexpr std::array<std::string_view, 2> exchange_names{"mover", "collective"};

/// MPI_(I)neighbor_alltoallv with what is packed for it.
class neighbour_call {
 public:
  /// Collective, as is the destructor.
  neighbour_call(MPI_Comm communicator, const problem& p);
  ~neighbour_call();
  neighbour_call(const neighbour_call&) = delete;
  neighbour_call& operator=(const neighbour_call&) = delete;

  void pack(const values& of);
  void unpack(const values& of);
  void call();
  void start();
  [[nodiscard]] bool test();
  void wait();

  [[nodiscard]] const neighbours& around() const noexcept { return around_; }

 private:
  struct integers {
    std::vector<int> peers, counts, displacements;
  };
  [[nodiscard]] static integers integers_of(const std::vector<neighbours::edge>& edges);

  neighbours around_;
  integers sent_;
  integers received_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Fills the ghosts of one array, keeping the accounts of a variant.
class exchange {
 public:
  exchange(MPI_Comm communicator, problem& p, array& of, exchange_kind how);

  /// All of it, blocking.
  void run(plait::measure::stopwatch& watch);

  void start(plait::measure::stopwatch& watch);
  /// Lets the library progress; nothing more is to be done when it returns true.
  [[nodiscard]] bool look(plait::measure::stopwatch& watch);
  void finish(plait::measure::stopwatch& watch);

 private:
  // Of the collective:
  void pack(plait::measure::stopwatch& watch);
  void unpack(plait::measure::stopwatch& watch);

  values cells_;
  std::optional<plait::stencil::halo_mpi> by_messages_;
  std::optional<neighbour_call> by_collective_;
  plait::ticks posted_ = 0;
};

}  // namespace poisson
