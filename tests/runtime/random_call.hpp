// SPDX-License-Identifier: BSD-3-Clause
/// A random collective call, for tests: its buffers, its submission, and its result by MPI itself.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/runtime/runtime.hpp>

#include "collective_blocks.hpp"
#include "collective_ways.hpp"

namespace plait::test {

/// One call, as one rank of its communicator sees it.
struct random_call {
  std::size_t number;
  std::size_t where;  ///< among the groups
  collective::operation op = collective::operation::barrier;
  collective_options options = {};
  bool in_place = false;
  int root = 0;
  int rank = 0;
  int ranks = 1;
  std::size_t count = 0;  ///< of vectors and equal parts
  layout sent{std::vector<block>{}};
  layout received{std::vector<block>{}};
  neighbourhood around = {};
  ints x = {};       ///< what is sent
  ints y = {};       ///< what is received, or in place both
  ints source = {};  ///< what a task puts into x, or in place into y

  [[nodiscard]] bool is_root() const { return rank == root; }
  /// In place, and this rank gives one buffer only.
  [[nodiscard]] bool one_buffer() const {
    return in_place && (!collective::only_root_is_in_place(op) || is_root());
  }
  [[nodiscard]] bool scatters() const {
    return op == collective::operation::scatter || op == collective::operation::scatterv;
  }
  [[nodiscard]] ints& input() {
    return op == collective::operation::bcast || (one_buffer() && !scatters()) ? y : x;
  }
  [[nodiscard]] std::string text() const {
    return "call " + std::to_string(number) + ": " + std::string(to_string(op)) + " by " +
           name_of(options) + (in_place ? " in place" : "") + ", root " + std::to_string(root) +
           ", on group " + std::to_string(where) + " of " + std::to_string(ranks) + " ranks, " +
           std::to_string(count) + " elements";
  }
};

/// Draws the sizes of the two buffers of a call that is not in place: from `same` what all ranks
/// must draw alike, from `mine` the places of blocks on this rank.
void lay_out(random_call& j, std::mt19937& same, std::mt19937& mine);
/// Makes the buffers, and the data that this rank contributes.
void allocate(random_call& j);
void submit(runtime& rt, random_call& j);
/// Returns the elements that y must hold at the end, by MPI's blocking call that is not in place.
[[nodiscard]] ints expected_result(const random_call& j, MPI_Comm comm);

}  // namespace plait::test
