// SPDX-License-Identifier: BSD-3-Clause
/// How a collective call is made and what it is, its types forgotten.  The calls:
/// collective_calls.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <plait/comm/collective/algorithm.hpp>
#include <plait/comm/collective/library_call.hpp>
#include <plait/comm/collective/shape.hpp>
#include <plait/comm/communicator.hpp>
#include <plait/task/access.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

/// Among whom a collective operation runs, and how.
struct collective_options {
  /// Whose operation it is; roots and neighbours are its ranks.  Left out: all ranks.
  communicator among = {};
  /// Which algorithm.  Left out: the one that takes the least time in `runtime_options::network`,
  /// if that is known, else one that suits the number of ranks and the size.
  std::optional<collective::algorithm> algorithm = {};
  /// Whether a op b = b op a.  If not, operands are combined in the order of ranks.
  bool commutative = true;
  /// Of algorithms that cut messages (`chain`).  Bytes.
  std::size_t fragment_bytes = std::size_t{32} * 1024;
  /// Who carries it out; the same on every rank.  With `library` the call is one task: it starts
  /// when all of its data is ready on this rank and all such calls before it have started, and what
  /// needs a part of the result waits for all of it.  The library chooses the algorithm, and
  /// whether the bits of a sum are the same on every rank.  It combines inside MPI's calls, where
  /// whoever looks for messages makes it; not among neighbours, nor buffers above 2 GiB: where each
  /// rank has sizes of its own (gatherv and its kin) such a buffer ends the job, for the other
  /// ranks cannot know.
  collective::back_end back_end = collective::back_end::schedules;
};

/// Elements of one buffer for each rank.
using collective::block;

/// With whom a rank exchanges in a neighbourhood collective, as MPI_Dist_graph_create_adjacent
/// takes it: a rank may occur several times, and may be the rank itself; the i-th edge from a to b
/// among a's destinations is the i-th among b's sources.  `no_rank` stands for a neighbour that is
/// not there: its part of a buffer keeps its place, and is neither sent nor written.
struct neighbourhood {
  std::vector<int> sources;
  std::vector<int> destinations;
};

/// One collective operation, its types forgotten.
struct collective_call {
  task_name name;
  collective::shape shape;  ///< without `rank` and `ranks`
  byte_range send = {};
  byte_range receive = {};
  std::shared_ptr<const combine_bytes> combine = {};
  access_mode word = access_mode::inout;  ///< of `bcast`: what this rank named its buffer with
  collective_options options = {};
};

}  // namespace plait
