// SPDX-License-Identifier: BSD-3-Clause
/// Stands in for MPI functions, and counts the calls that came while another thread was in MPI:
/// MPI_THREAD_SERIALIZED allows none.
#pragma once

#include <plait/comm/environment.hpp>

namespace plait::test {

/// Calls MPI as a program does when `wait()` has returned: without the token.  This rank only.
void call_mpi(environment& env);

/// Returns the number of such calls on this rank since it was asked last.
[[nodiscard]] int calls_beside_others() noexcept;

/// Returns the number of calls on this rank that have come here.
[[nodiscard]] long long calls_of_mpi() noexcept;

}  // namespace plait::test
