// SPDX-License-Identifier: BSD-3-Clause
/// Collective operations and the algorithms for them, with their names.  What they cost is in
/// collective.hpp.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plait::model {

/// Names the collective operations that MPI defines.  `neighbour_exchange` is
/// MPI_Neighbor_alltoall.
enum class operation : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  allgather,
  alltoall,
  gather,
  scatter,
  reduce_scatter,
  scan,
  exscan,
  neighbour_exchange,
};

/// Names the ways to carry out a collective operation.
enum class algorithm : std::uint8_t {
  dissemination,       ///< in round r to rank + 2^r, from rank - 2^r
  linear,              ///< straight from and to all ranks; in scans, from each rank to the next
  binomial,            ///< along a binomial tree; allreduce: reduce, then bcast
  chain,               ///< from rank to rank, in fragments that follow each other
  ring,                ///< in every round to rank + 1, from rank - 1
  recursive_doubling,  ///< in round r an exchange with the rank 2^r away, of all that is known
  pairwise,            ///< in every round with another rank
  bruck,               ///< in round r to the rank 2^r away, many blocks in one message
};

[[nodiscard]] std::string_view to_string(operation what) noexcept;
[[nodiscard]] std::string_view to_string(algorithm how) noexcept;
/// Returns the operation with this name, if there is one.
[[nodiscard]] std::optional<operation> operation_from(std::string_view name) noexcept;
[[nodiscard]] std::optional<algorithm> algorithm_from(std::string_view name) noexcept;
/// Returns "barrier, bcast, … or neighbour_exchange".
[[nodiscard]] std::string operation_names();

}  // namespace plait::model
