// SPDX-License-Identifier: BSD-3-Clause
/// Computes the cost of collective operations by closed formulas: the time they take and the
/// processor time in it.  The formulas are in docs/internals/model.md and beside the code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plait/model/algorithm.hpp>
#include <plait/model/parameters.hpp>

namespace plait::model {

/// One call of a collective operation.
struct call_shape {
  int ranks = 1;
  /// m.  barrier: ignored; bcast: the message; reduce, allreduce, scan, exscan: the vector of each
  /// rank; allgather, gather: what each rank gives; scatter, reduce_scatter: what each rank is left
  /// with; alltoall, neighbour_exchange: what goes from one rank to one other.
  double size_bytes = 0;
  /// `chain`: the message goes in the least number of equal parts not larger than this.
  double fragment_bytes = 8192;
  int degree = 0;  ///< `neighbour_exchange`: neighbours of each rank
};

/// Seconds, from the common start of all ranks to the end of the last one.
struct collective_cost {
  double total_s = 0;
  /// No rank's processor is busy for longer than this in it.
  double processor_s = 0;

  /// Returns the time that computation can hide, in which processors wait for the network and each
  /// other.
  [[nodiscard]] double network_s() const noexcept { return total_s - processor_s; }
};

/// Returns the algorithms that `cost` knows for an operation; never empty.
[[nodiscard]] std::vector<algorithm> algorithms_of(operation what);
/// Returns a list such as "linear, binomial or chain".
[[nodiscard]] std::string algorithm_names(operation what);

/// Returns the cost of one call.  One rank alone pays nothing.  Where the processors need longer
/// than the formula for the total says (o above g, with little latency), the total is the
/// processors' time: processor_s <= total_s always.  Throws usage_error, one line, if there is no
/// such algorithm for the operation, for parameters that `validate` refuses, and where ranks < 1,
/// size_bytes < 0, fragment_bytes <= 0 or degree < 0.
///
///     cost(operation::bcast, algorithm::chain, network, {.ranks = 64, .size_bytes = 1e6}).total_s
[[nodiscard]] collective_cost cost(operation what, algorithm how, const parameters& network,
                                   const call_shape& shape);

/// Returns the cost of one call behind a traffic shaper that has rested.  Of the bytes that a rank
/// sends, the first `burst_bytes` pass as in `at_once`, the rest as in `network`: max(all at once,
/// all at the rate - B (G - G at once)).  A tree up and down has 2 B, and a chain has a fragment
/// more for each rank within.  Throws as `cost` does, and for a negative burst.
[[nodiscard]] collective_cost cost_after_rest(operation what, algorithm how,
                                              const parameters& network, const parameters& at_once,
                                              double burst_bytes, const call_shape& shape);

/// An algorithm and what the call costs with it.
struct choice {
  algorithm how = algorithm::linear;
  collective_cost cost;
};

/// Returns the algorithm with the smallest total; of equal ones the first of `algorithms_of`.
/// Throws as `cost` does.
[[nodiscard]] choice cheapest(operation what, const parameters& network, const call_shape& shape);

/// Returns the cost of one call by the formulas that LibNBC's authors published, which know one
/// algorithm an operation and no gap g between messages; nothing for operations other than barrier,
/// allreduce and bcast.  With k = ⌈log2 P⌉:
///
///     barrier    k (2o + L)                       processor 2ok
///     allreduce  2k (2o + L + mG) + k m γ         processor (4o + mγ) k
///     bcast      k (2o + L + mG)                  processor 2ok
///
/// 2o is the overhead of a send and of a receive.  Throws as `cost` does.
/// [Hoefler and Lumsdaine, Communication/Computation Overlap, slide 12]
[[nodiscard]] std::optional<collective_cost> libnbc_published(operation what,
                                                              const parameters& network,
                                                              const call_shape& shape);

/// LibNBC's choice for an operation.
struct libnbc_algorithm {
  algorithm how = algorithm::linear;
  double fragment_bytes = 0;  ///< for `chain`
};

/// Returns the algorithm that LibNBC takes, as in Open MPI's component libnbc (bcast, allreduce and
/// alltoall since LibNBC's own release); nothing for reduce_scatter, where it is a reduce and a
/// scatter.  Preconditions: ranks >= 1, size_bytes >= 0, which means what it does in `call_shape`.
[[nodiscard]] std::optional<libnbc_algorithm> libnbc_choice(operation what, int ranks,
                                                            double size_bytes);

}  // namespace plait::model
