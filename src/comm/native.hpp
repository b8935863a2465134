// SPDX-License-Identifier: BSD-3-Clause
/// The MPI handles that an environment and an engine own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <mpi.h>
#include <plait/comm/communicator.hpp>
#include <plait/comm/engine.hpp>
#include <plait/comm/environment.hpp>

#include "comm/departures.hpp"
#include "comm/error_handlers.hpp"

namespace plait {

struct environment::native_handles {
  std::optional<error_handlers> handlers;
  MPI_Comm whole = MPI_COMM_NULL;     ///< the program's, or all ranks
  MPI_Comm program = MPI_COMM_NULL;   ///< given to the program: native()
  MPI_Comm internal = MPI_COMM_NULL;  ///< barrier, gather, clock
  /// The meeting at the end: who leaves after a failure must meet no barrier of another rank's.
  MPI_Comm leaving = MPI_COMM_NULL;
  /// Spaces of the communicators that were made, in this order.
  std::vector<std::shared_ptr<matching_space>> spaces;
  int numbers_taken = 0;       ///< of communicators
  bool has_rdma_card = false;  ///< some host of the job
  departures left;             ///< the token's holder's
};

/// Returns the ranks of `comm` as `world` numbers them.  Holder of the token.  Errors: MPI errors.
[[nodiscard]] std::vector<int> ranks_in(MPI_Comm world, MPI_Comm comm, int size);

struct native_access {
  [[nodiscard]] static environment::native_handles& of(environment& env) noexcept {
    return *env.native_;
  }
  /// On which windows come and go: one of an engine's own, for after a failure a rank leaves some
  /// of that out, and then must meet no barrier of another rank's.
  [[nodiscard]] static MPI_Comm windows_of(engine& messages) noexcept;

  /// Collective over `comm`.  As `environment::barrier`.
  static void await_all(environment& env, MPI_Comm comm);
  /// Completes what `start(request)` begins, with the token only while MPI is called.  `all_ranks`:
  /// they are waited for, and the job ends if one has left.  Errors: MPI errors.
  static void complete(environment& env, bool all_ranks,
                       const std::function<void(MPI_Request*)>& start);

  [[nodiscard]] static communicator as_communicator(
      std::shared_ptr<matching_space> space) noexcept {
    return communicator(std::move(space));
  }
  /// The environment keeps it.
  [[nodiscard]] static communicator make(std::shared_ptr<matching_space> space);
  /// Null: all ranks.
  [[nodiscard]] static matching_space* space_of(const communicator& among) noexcept;
};

}  // namespace plait
