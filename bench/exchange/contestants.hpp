// SPDX-License-Identifier: BSD-3-Clause
/// The ways to exchange and compute that are compared.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "load.hpp"
#include "measure/rows/contestant.hpp"

namespace plait::bench::exchange {

using measure::exposed_s;

using contestant = measure::contestant<load>;

/// MPI_Isend and MPI_Irecv, the work, MPI_Waitall.
inline constexpr const char* nonblocking_name = "nonblocking";

[[nodiscard]] contestant blocking();
[[nodiscard]] contestant nonblocking();
/// MPI_Isend and MPI_Irecv, the work with MPI_Testall between two pieces, MPI_Waitall.
[[nodiscard]] contestant nonblocking_tested();
/// Messages and pieces as tasks, under a policy of progress.
[[nodiscard]] contestant plait_tasks(progress policy);
/// Messages and pieces as tasks, under `sleeping` that looks at least so often.
[[nodiscard]] contestant plait_sleeping(int worst_delay_us);
/// Tasks of StarPU-MPI, if it was found when this was built.
[[nodiscard]] contestant starpu_mpi_tasks();

/// All that were found when this was built, the base first.
[[nodiscard]] std::vector<contestant> all_contestants();
/// The names of those that were not, with what to install.
[[nodiscard]] std::map<std::string, std::string> missing_contestants();

// Messages and computation, each alone: the contestants are held against these.  Seconds of one
// step on this rank; collective.
[[nodiscard]] double communication_alone_s(environment& env, const load& what);
[[nodiscard]] double computation_alone_s(environment& env, const load& what);
/// `exchange_s`: how long an exchange takes, the same on every rank.  See measure::transport_s.
[[nodiscard]] double transport_s(environment& env, const load& what, double exchange_s);

}  // namespace plait::bench::exchange
