// SPDX-License-Identifier: BSD-3-Clause
/// Options of a collective call, and the call itself with its types forgotten.  The calls are in
/// collective_calls.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <plait/collective/algorithm.hpp>
#include <plait/collective/shape.hpp>
#include <plait/comm/collective/library_call.hpp>
#include <plait/comm/communicator.hpp>
#include <plait/task/access.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

/// Among whom a collective operation runs, and how.
struct collective_options {
  /// Communicator of the operation.  Roots and neighbours are its ranks.  All ranks if left out.
  communicator among = {};
  /// Names the algorithm.  Left out: the one that takes the least time in
  /// `runtime_options::network`, if that is known, else one that suits the number of ranks and the
  /// size.
  std::optional<collective::algorithm> algorithm = {};
  /// True if a op b = b op a.  If not, operands are combined in the order of ranks.
  bool commutative = true;
  /// Size of the fragments of algorithms that cut messages (`chain`).  Bytes.
  std::size_t fragment_bytes = std::size_t{32} * 1024;
  /// Says which library carries the call out; the same on every rank.  With `library` the call is
  /// one task.  The task starts when all of its data is ready on this rank and all earlier such
  /// calls have started.  A task that needs a part of the result waits for all of it.  The library
  /// chooses the algorithm, and whether the bits of a sum are the same on every rank.  It combines
  /// inside MPI's calls, in the thread that polls.  Not among neighbours, nor for buffers above 2
  /// GiB. Where each rank has sizes of its own (gatherv and related operations) such a buffer ends
  /// the job, for the other ranks cannot know.
  collective::back_end back_end = collective::back_end::schedules;

  friend bool operator==(const collective_options&, const collective_options&) = default;
};

/// Elements of one buffer for each rank.
using collective::block;

/// Lists the ranks that a rank exchanges with in a neighbourhood collective, as
/// MPI_Dist_graph_create_adjacent does.  A rank may occur several times, and may be the rank
/// itself.  The i-th edge from a to b among a's destinations is the i-th among b's sources.
/// `no_rank` stands for a missing neighbour.  Its part of a buffer keeps its place, and is neither
/// sent nor written.
struct neighbourhood {
  std::vector<int> sources;
  std::vector<int> destinations;
};

/// One collective operation, its types forgotten.
struct collective_call {
  /// A constructor, for compilers clear an aggregate whole, with the room for two boxes, at each
  /// call.
  explicit collective_call(task_name name_) noexcept : name(name_) {}

  task_name name;
  collective::shape shape;  ///< without `rank` and `ranks`
  byte_range send = {};
  byte_range receive = {};
  /// Set where a buffer is a box.  Then only the size of the range counts, unless the box lies in
  /// one piece.
  std::optional<strided_bytes> send_box = {};
  std::optional<strided_bytes> receive_box = {};
  /// Containers whose elements the buffers are, if any: a replay refuses the call once these lie
  /// elsewhere.
  detail::container send_elements_of = {};
  detail::container receive_elements_of = {};
  std::shared_ptr<const combine_bytes> combine = {};
  access_mode word = access_mode::inout;  ///< of `bcast`: what this rank named its buffer with
  collective_options options = {};
};

}  // namespace plait
