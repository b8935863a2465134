// SPDX-License-Identifier: BSD-3-Clause
/// The ways to drive the messages of a step beside its work that are compared.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/contestant.hpp"
#include "step.hpp"

namespace plait::bench::progress_sweep {

using measure::exposed_s;

/// Holds what a run is given: the load, and the memory that its work updates.
struct step_run {
  step_load what;
  std::span<measure::value_block> grid;
};

using step_contestant = measure::contestant<step_run>;

/// All messages, then the work.
[[nodiscard]] step_contestant blocking();
/// MPI_Isend and MPI_Irecv, MPI_Testall between pieces of the work, MPI_Waitall.
[[nodiscard]] step_contestant by_hand();
/// Messages and pieces as tasks of a replayed recording, under a policy of progress.
[[nodiscard]] step_contestant plait_tasks(progress policy);
/// `sleeping`, whose proxy looks at a fixed interval.
[[nodiscard]] step_contestant plait_every(double poll_every_s);
/// `automatic`, each step submitted anew.
[[nodiscard]] step_contestant plait_submitted();

/// All, the one that hides nothing first.
[[nodiscard]] std::vector<step_contestant> all_contestants();

// Messages and computation, each alone: the contestants are held against these.  Seconds of one
// step on this rank; collective.
[[nodiscard]] double communication_alone_s(environment& env, const step_run& run);
[[nodiscard]] double computation_alone_s(environment& env, const step_run& run);
/// `exchange_s`: how long an exchange takes, the same on every rank.  See measure::transport_s.
[[nodiscard]] double transport_s(environment& env, const step_run& run, double exchange_s);

}  // namespace plait::bench::progress_sweep
