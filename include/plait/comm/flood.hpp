// SPDX-License-Identifier: BSD-3-Clause
/// Timed messages between two ranks in both directions at once.  A burst (burst.hpp) says what one
/// direction carries; equations of patterns in which all ranks send need this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/comm/environment.hpp>

namespace plait {

/// One flood: each of the senders starts `messages` non-blocking sends of `size_bytes` at once.
struct flood {
  int messages = 1;            ///< at least 1
  std::size_t size_bytes = 1;  ///< at least 1; all messages together at most 2^30
  bool both_ways = true;       ///< else the first rank alone sends
};

/// Two ranks, which time floods between them by the library's own MPI_Isend, MPI_Irecv and
/// MPI_Waitall.  No tasks may be in flight: a whole flood holds the token.
class flood_pair {
 public:
  /// Preconditions: two different ranks of `env`, which outlives this.  Local.
  flood_pair(environment& env, int first, int second);

  /// Returns the seconds from a meeting of the two ranks to the end of the last message, of the
  /// rank that took longer, on both ranks.  Collective over the two ranks, with the same arguments.
  /// Blocks.  Errors: `error` when what arrives is not what was sent, and MPI's.
  double run(const flood& what);

  /// Messages whose content was checked so far, on this rank, and their bytes.
  [[nodiscard]] std::uint64_t messages_checked() const noexcept { return messages_checked_; }
  [[nodiscard]] std::uint64_t bytes_checked() const noexcept { return bytes_checked_; }

 private:
  double exchange(const flood& what, bool sends, bool receives);
  double later(double own);

  environment& env_;
  int first_;
  int second_;
  std::uint64_t floods_ = 0;
  std::uint64_t messages_checked_ = 0;
  std::uint64_t bytes_checked_ = 0;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

}  // namespace plait
