// SPDX-License-Identifier: BSD-3-Clause
/// OpenBLAS's own solution of a system, with threads of its own, as a variant of our application.
#pragma once

#include <memory>
#include <string>

#include <plait/plait.hpp>

#include "contestant.hpp"
#include "hpl/variant.hpp"

namespace plait::bench::dense {

/// Returns the number of threads that it starts: as many as a rank has workers.
/// Collective.
[[nodiscard]] int lapack_threads(environment& env, const setup& how);

/// dgesv with that many threads while it runs.  Precondition: the only rank.
[[nodiscard]] std::unique_ptr<hpl::variant> make_dgesv(int threads);

/// Returns why there is no such row; empty where there is one.
[[nodiscard]] std::string why_no_lapack(int ranks);

}  // namespace plait::bench::dense
