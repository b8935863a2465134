// SPDX-License-Identifier: BSD-3-Clause
/// A communicator as an engine sees it: the space in which messages and the library's collectives
/// match.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>
#include <plait/comm/environment.hpp>

#include "comm/matching/channel.hpp"

namespace plait {

/// Duplicates `comm`; its errors are returned.  Collective.  Holder of the token.  Errors: `error`
/// that says how many such live, where there are no more.
[[nodiscard]] MPI_Comm duplicate(MPI_Comm comm);
/// No effect on MPI_COMM_NULL.  Collective in some libraries.  Holder of the token.
void free_duplicate(MPI_Comm& one) noexcept;

/// Each engine has one of its own for all ranks.  One of a `communicator` goes from engine to
/// engine, and its places go on counting: on every rank the same was submitted there.  Its channels
/// are those of one engine at a time, so what the token's holder starts is that engine's.
struct matching_space {
  static constexpr std::size_t origins = 4;  ///< of messages
  struct last_message {
    int peer = 0;
    int tag = 0;
    channel* via = nullptr;  ///< null: none yet
  };

  environment* env = nullptr;
  std::string name;
  /// 0: all ranks.  No two that have two ranks in common have the same.
  int number = 0;
  int rank = -1;
  int size = 0;
  std::vector<int> world_ranks = {};  ///< by rank; empty for all ranks
  bool uses_tcp = false;              ///< see `communicator::uses_tcp`
  MPI_Comm messages = MPI_COMM_NULL;  ///< and the library's collectives
  /// For blocking calls of its ranks.  Of all ranks null: the environment has one.
  MPI_Comm together = MPI_COMM_NULL;
  // Of the thread that enqueues:
  channel_map channels = {};
  std::array<last_message, 2 * origins> last = {};
  engine* user = nullptr;
  bool is_lane = false;   ///< tasks enqueue, and hold the token: so all its state is
                          ///< that of the token's holder
  bool given_up = false;  ///< after a failure ranks may have counted differently

  [[nodiscard]] bool is_world() const noexcept { return number == 0; }
  [[nodiscard]] int world_rank(int one) const {
    return world_ranks.empty() ? one : world_ranks[static_cast<std::size_t>(one)];
  }
  /// " of 'row'", behind a rank; of all ranks nothing.
  [[nodiscard]] std::string suffix() const { return is_world() ? "" : " of '" + name + "'"; }

  /// Returns the channel of the last message of this origin that was sent, or received, if `op` has
  /// the same peer and tag, and null otherwise: so most messages need no search in `channels`.  A
  /// message that is not the program's gets its tag.  The thread that enqueues.
  [[nodiscard]] channel* same_as_last(operation& op) noexcept {
    const last_message& before = last_of(op);
    if (op.peer != before.peer || op.what == operation::kind::collective) return nullptr;
    if (op.of != operation::origin::program) op.tag = before.tag;
    return op.tag == before.tag ? before.via : nullptr;
  }
  /// Keeps the channel of `op` for `same_as_last`.  The thread that enqueues.
  void remember(const operation& op) noexcept { last_of(op) = {op.peer, op.tag, op.via}; }

  /// Collective over `parent`: duplicates it, and twice if these are not all ranks.  Holder of the
  /// token.  Errors: MPI errors.
  void open(MPI_Comm parent);
  /// Collective in some libraries.  Holder of the token.
  void close() noexcept;

 private:
  [[nodiscard]] last_message& last_of(const operation& op) noexcept {
    return last[2 * static_cast<std::size_t>(op.of) + (op.what == operation::kind::send ? 1 : 0)];
  }
};

}  // namespace plait
