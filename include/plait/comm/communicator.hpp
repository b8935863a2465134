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

/// Whether a peer is nobody: `no_rank`, or MPI_PROC_NULL.
[[nodiscard]] bool is_no_rank(int peer) noexcept;

/// Numbers its ranks from 0 and matches by itself: what is submitted here never meets what is
/// submitted elsewhere, though the ranks be the same.  Made by `environment::world` and `split`;
/// made out of nothing it stands for all ranks wherever a call takes one.  A handle: copies are the
/// same communicator, which lives as long as the environment.  It is one runtime's at a time: of
/// the first that uses it, until that ends.
class communicator {
 public:
  communicator() noexcept = default;

  /// As MPI_Comm_split: the ranks that give the same colour make a communicator, in the order of
  /// their keys, and of these ranks' numbers here where keys are equal.  Without a colour: one of
  /// which this rank is no member.  The name is for reports and traces, and need not be the same.
  ///
  ///     plait::communicator row = env.world().split("row", env.rank() / columns);
  ///     rt.allreduce("row sum", in(x), out(y), plait::sum{}, {.among = row});
  ///     rt.send("edge", in(edge), right, tag, row);
  ///
  /// Collective over this communicator.  Blocks; communication in flight progresses meanwhile, but
  /// tasks do not run on this thread: `wait()` for them first.  Main thread.  MPI has some thousand
  /// communicators: make them once.  Errors: usage_error for a negative colour, on all ranks.
  [[nodiscard]] communicator split(std::string name, std::optional<int> colour, int key = 0) const;

  /// Whether it was made by `world` or `split`.
  [[nodiscard]] bool is_made() const noexcept { return self_ != nullptr; }
  // Precondition of the others: it was made by `world` or `split`.
  [[nodiscard]] const std::string& name() const;  ///< of all ranks: "all ranks"
  /// 0 where this rank is no member; then there is nothing else to ask of it or do with it.
  [[nodiscard]] int size() const;
  [[nodiscard]] int rank() const;
  /// What `environment::rank` is on `rank` of these.
  [[nodiscard]] int world_rank(int rank) const;

 private:
  friend struct native_access;
  explicit communicator(std::shared_ptr<matching_space> self) noexcept : self_(std::move(self)) {}

  std::shared_ptr<matching_space> self_;
};

}  // namespace plait
