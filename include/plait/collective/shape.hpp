// SPDX-License-Identifier: BSD-3-Clause
/// The shape of a collective call, as one rank sees it, and the schedule that follows from it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plait/collective/algorithm.hpp>
#include <plait/collective/schedule.hpp>

namespace plait::collective {

/// A block of a buffer, in elements.
struct block {
  std::size_t count = 0;
  std::size_t displacement = 0;
  friend auto operator<=>(const block&, const block&) = default;
};

/// Blocks of these sizes, one right behind the other.
[[nodiscard]] std::vector<block> packed(std::span<const std::size_t> counts);

/// Cuts long messages: one of more than `bytes` goes in 2 to `most` equal pieces.
///
/// A long message begins with a handshake and goes on in parts, each of which waits until both
/// sides poll.  Pieces wait beside each other, and pieces up to the library's eager limit (64 KiB
/// over TCP in Open MPI) do not wait at all.  An action that follows needs its piece only.
/// [nodes=2,rate=1gbit, beside work: alltoall of 64 KiB costs the program 17 % of the blocking
/// call, in 2 pieces 9; of 256 KiB 15 to 50 %, in 8 pieces 12]
struct pieces {
  std::size_t bytes = std::size_t{32} * 1024;
  std::size_t most = 8;
  friend auto operator<=>(const pieces&, const pieces&) = default;
};

/// All that a schedule depends on besides the algorithm; equal shapes have equal schedules.
///
///   operation                          send buffer          receive buffer
///   barrier                            -                    -
///   bcast                              -                    vector (on the root: the input)
///   reduce, allreduce, scan, exscan    vector               vector (reduce: on the root)
///   gather(v), allgather(v)            vector               blocks (gather: on the root)
///   scatter(v)                         blocks (on the root) vector
///   alltoall(v)                        blocks               blocks
///   reduce_scatter(_block)             blocks               vector
///   neighbour_allgather(v)             vector               blocks, one for each source
///   neighbour_alltoall(v)              blocks, one for      blocks, one for each source
///                                      each destination
///
/// A vector is the first `count` elements of its buffer.  Blocks are one for each rank unless said
/// otherwise: of `count` elements each, block i at i * count; or, where the operation has blocks of
/// different sizes, those listed in `send_blocks` or `receive_blocks`.  A rank that has such a list
/// of all ranks' blocks finds the length of its own vector there (its contribution to allgatherv,
/// say) and does not look at `count`.
///
/// Ranks must agree as in MPI: a block has the same size for who sends and for who receives it, the
/// block sizes of allgatherv and reduce_scatter are the same on every rank, and so are `count`
/// (except for gatherv, scatterv and neighbour_allgatherv), `root`, `element_bytes` and
/// `fragment_bytes` and `cut`.  Blocks may be empty; then no message is sent for them.
/// Receive blocks may lie anywhere but not overlap; what lies between them is not touched.
struct shape {
  operation what = operation::barrier;
  int ranks = 1;
  int rank = 0;
  int root = 0;
  std::size_t element_bytes = 1;
  std::size_t count = 0;
  std::vector<block> send_blocks = {};
  std::vector<block> receive_blocks = {};
  /// Neighbours may occur several times and include the rank itself: as
  /// MPI_Dist_graph_create_adjacent takes them.  The i-th edge from a to b among a's destinations
  /// is the i-th among b's sources.  An edge to `no_rank` is none: its block is not touched.
  std::vector<int> sources = {};
  std::vector<int> destinations = {};
  /// The input is in the receive buffer, where the result is put; the send buffer is not read.
  /// gather(v), allgather(v): a rank's contribution is in its block.  alltoall(v): the block sent
  /// to a rank is the one that its data replaces.  reduce_scatter(_block): the blocks are those of
  /// `send_blocks` (or i * count), the result is put at the beginning, nothing else is changed.
  /// reduce, gather(v), scatter(v): of meaning on the root only.  scatter(v): the root's own block
  /// stays in the send buffer.  No effect on barrier and bcast; not for neighbour operations.
  bool in_place = false;
  /// `chain`: bytes of one fragment, rounded down to whole elements, at least one element.
  std::size_t fragment_bytes = std::size_t{32} * 1024;
  /// Cuts messages, and what is combined of them.
  pieces cut = {};

  friend auto operator<=>(const shape&, const shape&) = default;
};

/// Returns how much of a message is sent at once, in whole elements.  The last piece is of the
/// rest.  Precondition: element_bytes > 0.
[[nodiscard]] std::size_t piece_size(std::size_t message_bytes, const pieces& cut,
                                     std::size_t element_bytes);

/// True for the operations whose `in_place` is the root's alone: reduce, gather(v), scatter(v).
[[nodiscard]] bool only_root_is_in_place(operation what) noexcept;

/// Lengths of the lists of blocks that the rank of `call` has to give.  None where the operation
/// has no such list, or only the root has the list.
struct list_lengths {
  std::optional<std::size_t> send_blocks;
  std::optional<std::size_t> receive_blocks;
};
[[nodiscard]] list_lengths lists_of(const shape& call);

/// Number of elements of a buffer of the rank of `call`.
struct extent {
  enum class rule : std::uint8_t {
    any,       ///< there is none, or it is not touched
    exactly,   ///< so many
    at_least,  ///< so many: its blocks lie where they are listed
  };
  rule has = rule::any;
  std::size_t elements = 0;
  std::size_t parts = 1;  ///< of one size
};
/// Numbers of elements of both buffers of a rank.
struct extents {
  extent send;
  extent receive;
};
/// Preconditions: root and neighbours in range, lists of the right length.
[[nodiscard]] extents extents_of(const shape& call);

/// Says which bytes of its two buffers the rank of `call` reads and writes, and how much of them
/// belongs to the call, touched or not.  No slice is empty; the same preconditions as `build`.
struct footprint {
  std::vector<slice> read;
  std::vector<slice> written;
  std::size_t send_bytes = 0;
  std::size_t receive_bytes = 0;
};
[[nodiscard]] footprint footprint_of(const shape& call);

/// Builds the schedule of the rank of `call`.  Local.  Preconditions: ranks and neighbours in
/// range, lists of the right length, receive blocks apart.  Errors: usage_error, with the list of
/// algorithms that exist, if the operation has no such algorithm.
///
/// Only `ring` reductions need a commutative operator (`keeps_order`).  Each allreduce gives the
/// same bits on every rank, for any operator that is a function of its two operands.  Binomial,
/// chain and ring compute each element once and pass the element on. recursive_doubling computes
/// each element on every rank, with the same operands on the same sides of the same brackets.
///
/// Messages of a barrier carry a few bytes of scratch, so that each depends on all before it.
///
/// Where data is reduced, at most two messages of a rank are under way that wait for another to be
/// combined first.  Scratch is 2 messages, plus a partial result where the receive buffer cannot
/// hold it.  Blocks that travel together are copied if, and only where, they do not lie together.
///
/// Cost: O(actions), and O(P log P) for the precondition on receive blocks.
[[nodiscard]] schedule build(const shape& call, algorithm how);

}  // namespace plait::collective
