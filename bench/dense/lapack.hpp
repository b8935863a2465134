// SPDX-License-Identifier: BSD-3-Clause
/// OpenBLAS's own solution of a system, with threads of its own, as a variant of our application.
#pragma once

#include <memory>
#include <string>

#include <plait/plait.hpp>

#include "contestant.hpp"
#include "hpl/variant.hpp"

namespace plait::bench::dense {

/// Returns the number of threads of the row `lapack`: as many as a rank has workers.
/// Collective.
[[nodiscard]] int lapack_threads(environment& env, const setup& how);

/// Makes a variant that calls dgesv with `threads` threads.  Precondition: the job has one rank.
[[nodiscard]] std::unique_ptr<hpl::variant> make_dgesv(int threads);

/// Returns why there is no row `lapack` on so many ranks; empty where there is one.
[[nodiscard]] std::string why_no_lapack(int ranks);

}  // namespace plait::bench::dense
