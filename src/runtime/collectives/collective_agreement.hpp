// SPDX-License-Identifier: BSD-3-Clause
/// Messages beside a collective call by which ranks find that they name different sizes in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/comm/engine.hpp>
#include <plait/runtime/collective_options.hpp>

#include "runtime/collectives/short_call.hpp"

namespace plait {

/// Agreement of ranks on a collective call: each rank tells others what it has called, and compares
/// what it is told with its own.
///
/// The messages go where the call's own data goes, so that no rank waits for one that the call does
/// not make it wait for: from the root down a tree (bcast, scatter), up to it (reduce, gather),
/// from rank to next rank (scan), round a ring (where all wait for all).  Equal sizes along such a
/// way are equal everywhere.  Where each pair of ranks has a size of its own, each tells the other
/// how much it sends.  They are as many whatever the sizes are, and so meet also where the call's
/// own messages would not: a rank with nothing to send sends none, and long messages go in as many
/// pieces as their rank thinks they have.
///
/// Cost: for allreduce, allgather and their kin one message of 40 bytes sent and one received (by
/// the MPI library, where all are to hear of all, what an `allgather` of them costs); for rooted
/// operations a tree of them; for `alltoallv` what an `alltoall` of 8 bytes costs.  Nothing of the
/// call itself waits for them.  Most ranks hear only what their peers say of themselves: then all
/// but the first messages on each way are sparse (`operation::sparse`), and where one is left out
/// the peer counts as heard and agreeing.
class collective_agreement {
 public:
  /// `shape`: with `rank` and `ranks`, and as `expect_fits` wants it.  `how`: none by the library.
  collective_agreement(const collective::shape& shape, std::optional<collective::algorithm> how);

  /// Returns the channels of its messages, for `engine::leave_out`; none where a message is not
  /// the only one on its channel.
  [[nodiscard]] std::vector<channel*> channels(engine& messages, const communicator& among) const;

  /// Returns the collective call, of 8-byte elements in `memory()`, by which this rank tells and is
  /// told.
  [[nodiscard]] const collective::shape& way() const noexcept { return way_; }
  [[nodiscard]] collective::algorithm how() const noexcept { return how_; }
  /// Returns whether its messages may be left out: none is passed on.
  [[nodiscard]] bool may_be_sparse() const noexcept {
    return how_ == collective::algorithm::linear;
  }
  /// Returns what it tells, and behind that what it hears: one access covers both.
  [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_; }
  [[nodiscard]] schedule_memory memory() noexcept {
    return {reinterpret_cast<std::uintptr_t>(words_.data()),
            reinterpret_cast<std::uintptr_t>(words_.data() + told_)};
  }

  /// Returns the failure of the call of that name, or null.  A failure names both sizes, if this
  /// rank heard others than its own; else it is the one that `put_off` was given.  To be called
  /// when all was heard, once an iteration of a replay.  Thread-safe.
  [[nodiscard]] std::exception_ptr verdict(task_name name);
  /// Keeps a failure of the MPI library, which does not say both sizes, until the verdict of the
  /// iteration, counted from 0.  Returns false if that has been given.  Thread-safe.
  [[nodiscard]] bool put_off(const std::exception_ptr& failure, std::uint64_t iteration) const;

 private:
  void tell_sizes_of_pairs(const collective::shape& s);
  void tell_call(const collective::shape& s, std::optional<collective::algorithm> how);
  [[nodiscard]] std::string disagreement() const;

  collective::operation called_;
  std::size_t element_bytes_;
  collective::shape way_;
  collective::algorithm how_ = collective::algorithm::linear;
  std::vector<std::uint64_t> words_;
  std::size_t told_ = 0;
  std::vector<std::uint64_t> expected_;  ///< to be heard
  mutable std::mutex mutex_;             // of both below
  std::uint64_t verdicts_ = 0;
  mutable std::exception_ptr put_off_ = nullptr;
};

}  // namespace plait
