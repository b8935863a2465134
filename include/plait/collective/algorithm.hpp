// SPDX-License-Identifier: BSD-3-Clause
/// The collective operations, the algorithms there are for each, and what sets these apart.
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plait::collective {

/// Names the collective operations of MPI. Those whose names end in v, and `reduce_scatter`, have
/// blocks of different sizes.
enum class operation : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  neighbour_allgather,
  neighbour_allgatherv,
  neighbour_alltoall,
  neighbour_alltoallv,
};

/// Between the neighbours that a rank names, not all ranks.
[[nodiscard]] constexpr bool is_neighbourly(operation what) noexcept {
  return what >= operation::neighbour_allgather;
}

/// P ranks, vectors (or results) of m bytes, k = ceil(log2 P).
enum class algorithm : std::uint8_t {
  linear,         ///< every pair that has data for each other, all at once: 1 round
  dissemination,  ///< barrier: in round i to rank + 2^i, from rank - 2^i: k rounds
  /// A tree of k rounds.  Every subtree is a run of consecutive ranks whatever the root is, so that
  /// reductions keep the order and gathered blocks arrive in place.
  binomial,
  /// From rank to rank, in fragments that follow each other.  `reduce` has one chain on either side
  /// of the root (both end there), all others have a single one.
  chain,
  /// Sends to rank + 1 and receives from rank - 1.  In reductions P parts of about m / P bytes go
  /// round.
  ring,
  /// In round i with rank ^ 2^i; where P is no power of two, the surplus ranks hand their data to a
  /// neighbour first and are sent the result last.  `scan`, `exscan`: in round i to rank + 2^i.
  recursive_doubling,
  /// P - 1 exchanges, in round i with rank ^ i, or to rank + i and from rank - i if P is no power
  /// of two.  `alltoall`: the messages of `linear`, in another order.
  pairwise,
  /// k rounds of one message to each rank [Bruck et al. 1997].  `alltoall`: each block travels up
  /// to k times.
  bruck,
};

inline constexpr std::array<operation, 20> all_operations{operation::barrier,
                                                          operation::bcast,
                                                          operation::reduce,
                                                          operation::allreduce,
                                                          operation::gather,
                                                          operation::gatherv,
                                                          operation::scatter,
                                                          operation::scatterv,
                                                          operation::allgather,
                                                          operation::allgatherv,
                                                          operation::alltoall,
                                                          operation::alltoallv,
                                                          operation::reduce_scatter_block,
                                                          operation::reduce_scatter,
                                                          operation::scan,
                                                          operation::exscan,
                                                          operation::neighbour_allgather,
                                                          operation::neighbour_allgatherv,
                                                          operation::neighbour_alltoall,
                                                          operation::neighbour_alltoallv};

inline constexpr std::array<algorithm, 8> all_algorithms{
    algorithm::linear, algorithm::dissemination,      algorithm::binomial, algorithm::chain,
    algorithm::ring,   algorithm::recursive_doubling, algorithm::pairwise, algorithm::bruck};

[[nodiscard]] std::string_view to_string(operation what) noexcept;
[[nodiscard]] std::string_view to_string(algorithm how) noexcept;
[[nodiscard]] std::optional<operation> operation_from(std::string_view name) noexcept;
[[nodiscard]] std::optional<algorithm> algorithm_from(std::string_view name) noexcept;

/// Lists the algorithms that exist for `what`.  Never empty.
[[nodiscard]] std::vector<algorithm> algorithms_of(operation what);
/// Returns a list such as "binomial, chain, ring or recursive_doubling".
[[nodiscard]] std::string algorithm_names(operation what);

/// Returns whether operands are combined in the order of ranks, x0 OP x1 OP ..., so that OP need
/// not be commutative.  Brackets may stand anywhere.  True where there is no OP. Errors:
/// usage_error, with the list, if `what` has no such algorithm.
[[nodiscard]] bool keeps_order(operation what, algorithm how);

}  // namespace plait::collective
