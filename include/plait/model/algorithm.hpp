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

/// As MPI defines them; `neighbour_exchange` is MPI_Neighbor_alltoall.
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

/// How a collective operation is carried out.
enum class algorithm : std::uint8_t {
  dissemination,       ///< in round r to rank + 2^r, from rank - 2^r
  linear,              ///< straight from and to everybody; in scans, from each rank to the next
  binomial,            ///< along a binomial tree; allreduce: reduce, then bcast
  chain,               ///< from rank to rank, in fragments that follow each other
  ring,                ///< in every round to the next rank, from the one before
  recursive_doubling,  ///< in round r an exchange with the rank 2^r away, of all that is known
  pairwise,            ///< in every round with another rank
  bruck,               ///< in round r to the rank 2^r away, many blocks in one message
};

[[nodiscard]] std::string_view to_string(operation what) noexcept;
[[nodiscard]] std::string_view to_string(algorithm how) noexcept;
/// What `to_string` calls so, if there is such a thing.
[[nodiscard]] std::optional<operation> operation_from(std::string_view name) noexcept;
[[nodiscard]] std::optional<algorithm> algorithm_from(std::string_view name) noexcept;
/// "barrier, bcast, … or neighbour_exchange"
[[nodiscard]] std::string operation_names();

}  // namespace plait::model
