// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <mpi.h>
#include <plait/comm/environment.hpp>
#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"
#include "comm/native.hpp"

namespace plait {

/// Requires two different ranks of the environment, between which something is measured.
inline void expect_pair(const environment& env, int first, int second) {
  PLAIT_EXPECTS(
      first != second && first >= 0 && second >= 0 && first < env.size() && second < env.size(),
      std::to_string(first) + " and " + std::to_string(second));
}

/// Returns the peer's time for one's own.  Collective over the two ranks, whose thread holds the
/// token; `tag` is of the internal communicator.
[[nodiscard]] inline double swap_times(environment& env, int peer, int tag, double own_s) {
  double other_s = 0;
  mpi_call(MPI_Sendrecv(&own_s, 1, MPI_DOUBLE, peer, tag, &other_s, 1, MPI_DOUBLE, peer, tag,
                        native_access::of(env).internal, MPI_STATUS_IGNORE),
           "MPI_Sendrecv");
  return other_s;
}

}  // namespace plait
