// SPDX-License-Identifier: BSD-3-Clause
/// Some of the ranks, or all: among whom messages and collectives match.  Where an MPI_Comm of the
/// program's own becomes one: mpi.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <plait/core/no_rank.hpp>

namespace plait {

struct matching_space;

namespace detail {
[[nodiscard]] bool is_proc_null(int peer) noexcept;
}

/// Returns whether a peer is missing: `no_rank`, or MPI_PROC_NULL.
[[nodiscard]] inline bool is_no_rank(int peer) noexcept {
  return peer < 0 && (peer == no_rank || detail::is_proc_null(peer));
}

/// Numbers its ranks from 0 and matches by itself: what is submitted here never meets what is
/// submitted elsewhere, though the ranks be the same.  Made by `environment::world` and `split`;
/// made out of nothing it stands for all ranks wherever a call takes one.  A handle: copies are the
/// same communicator, which lives as long as the environment.  It is one runtime's at a time: of
/// the first that uses it, until that ends.
class communicator {
 public:
  communicator() noexcept = default;

  /// Makes a communicator of the ranks that give the same colour, as MPI_Comm_split does.  Ranks
  /// are in the order of their keys, and where keys are equal in the order of their numbers in this
  /// communicator.  A rank without a colour gets a communicator of which the rank is no member.
  /// The name is for reports and traces, and may differ between ranks.
  ///
  ///     plait::communicator row = env.world().split("row", env.rank() / columns);
  ///     rt.allreduce("row sum", in(x), out(y), plait::sum{}, {.among = row});
  ///     rt.send("edge", in(edge), right, tag, row);
  ///
  /// Collective over this communicator.  Blocks.  Communication in flight progresses meanwhile, but
  /// tasks do not run on this thread: `wait()` for them first.  Main thread.  MPI has some thousand
  /// communicators, so make each once.  Errors: usage_error for a negative colour, on all ranks.
  [[nodiscard]] communicator split(std::string name, std::optional<int> colour, int key = 0) const;

  /// Makes a lane: a communicator of the same ranks whose messages tasks submit, one task at a time
  /// (lane.hpp).  Collective; the rest as `split`.
  [[nodiscard]] communicator lane(std::string name) const;
  [[nodiscard]] bool is_lane() const noexcept { return is_made() && says_lane(); }

  /// Returns whether `world` or `split` made this communicator.
  [[nodiscard]] bool is_made() const noexcept { return self_ != nullptr; }
  // Precondition of the others: it was made by `world` or `split`.
  [[nodiscard]] const std::string& name() const;  ///< of all ranks: "all ranks"
  /// 0 where this rank is no member; then there is nothing else to ask of it or do with it.
  [[nodiscard]] int size() const;
  [[nodiscard]] int rank() const;
  /// Returns the `environment::rank` of `rank` of this communicator.
  [[nodiscard]] int world_rank(int rank) const;
  /// Returns whether messages among its ranks go by TCP: they are on several hosts, and no host of
  /// the job has a network card with RDMA.  The same on all its ranks.
  [[nodiscard]] bool uses_tcp() const;

  /// True for copies of one, and for two made out of nothing.
  friend bool operator==(const communicator&, const communicator&) = default;

 private:
  friend struct native_access;
  [[nodiscard]] bool says_lane() const noexcept;
  explicit communicator(std::shared_ptr<matching_space> self) noexcept : self_(std::move(self)) {}

  std::shared_ptr<matching_space> self_;
};

}  // namespace plait
