// SPDX-License-Identifier: BSD-3-Clause
/// Keeps the messages of one (direction, peer, tag), or the MPI library's collectives, in the order
/// of their submission.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <plait/comm/engine.hpp>
#include <plait/core/error.hpp>

namespace plait {

struct matching_space;

/// See `engine` for the argument.  `take_sequences` belongs to the submitting thread, the rest to
/// the holder of the token.
///
/// As long as messages start in the order of their places, one number says which have.  Only one
/// that overtakes another makes the channel count each residue by itself, until no place is left
/// out.  A program may use each tag once: a channel takes a fifth of what it took with a count of
/// each residue.
class channel {
 public:
  /// `residues`: a power of two, for four divisions a message took 25 ns.  `among`: null for the
  /// signals of a window.  `first_tag`: of MPI, and the residues are added to it.
  explicit channel(std::uint64_t residues, const matching_space* among = nullptr, int first_tag = 0)
      : among_(among),
        first_tag_(first_tag),
        shift_(static_cast<std::uint8_t>(std::countr_zero(residues))),
        last_residue_(residues - 1) {
    PLAIT_EXPECTS(std::has_single_bit(residues), std::to_string(residues));
  }

  [[nodiscard]] const matching_space* among() const noexcept { return among_; }

  /// The first of so many places in the order of matching.
  [[nodiscard]] std::uint64_t take_sequences(std::uint64_t count) noexcept {
    return std::exchange(next_sequence_, next_sequence_ + count);
  }

  [[nodiscard]] std::uint64_t residue(const operation& op) const noexcept {
    return op.sequence & last_residue_;
  }
  /// Returns the tag of a message as MPI sees it.
  [[nodiscard]] int mpi_tag(const operation& op) const noexcept {
    return first_tag_ + static_cast<int>(residue(op));
  }

  /// Returns true if every earlier operation of the same residue has been started.
  [[nodiscard, gnu::always_inline]] bool may_start(const operation& op) const noexcept {
    if (laps_.empty()) return op.sequence - started_ <= last_residue_;  // none below `started_`
    return next_place(residue(op)) == op.sequence;
  }
  /// Notes that the operation starts, if its turn has come; returns whether it has.
  [[nodiscard, gnu::always_inline]] bool starts(const operation& op) {
    if (laps_.empty() && op.sequence == started_) return ++started_, true;
    if (!may_start(op)) return false;
    started_out_of_order(op);
    return true;
  }
  /// Returns whether to ask, when a receive has been started, whether its message was there before:
  /// that of the receive before was, or of the last sixteen none was asked for.
  [[nodiscard]] bool tests_at_start() noexcept { return until_test_ == 0 || --until_test_ == 0; }
  void tested_at_start(bool was_there) noexcept { until_test_ = was_there ? 0 : 16; }

  /// Keeps an operation whose turn has not come.
  void park(operation& op) { parked_.push_back(&op); }

  [[nodiscard]] const std::vector<operation*>& parked() const noexcept { return parked_; }

  /// A parked operation whose turn has come, or null.
  [[nodiscard]] operation* unpark() noexcept {
    if (parked_.empty()) return nullptr;
    const auto found = std::find_if(parked_.begin(), parked_.end(),
                                    [this](const operation* op) { return may_start(*op); });
    if (found == parked_.end()) return nullptr;
    operation* op = *found;
    parked_.erase(found);
    return op;
  }

  /// The place of the message of this residue that is to be started next.
  [[nodiscard]] std::uint64_t next_place(std::uint64_t residue) const noexcept {
    if (laps_.empty()) return started_ + ((residue - started_) & last_residue_);
    return (laps_[residue] << shift_) + residue;
  }
  /// Returns the number of places taken so far.  Submitting thread.
  [[nodiscard]] std::uint64_t places() const noexcept { return next_sequence_; }
  /// Returns whether `leave_out` may be called: a sparse message is left out at the next place, and
  /// all before it have started.  Submitting thread, which holds the token.
  [[nodiscard]] bool may_leave_out() noexcept {
    if (next_sequence_ > next_kept_) next_kept_ = kept_place(next_sequence_);
    return next_sequence_ != next_kept_ && next_sequence_ == started_;
  }
  /// Takes the next place for a message that is left out.
  void leave_out() noexcept { started_ = ++next_sequence_; }

  /// All that is parked, when nothing will be started any more.
  [[nodiscard]] std::vector<operation*> give_up() noexcept { return std::exchange(parked_, {}); }

 private:
  [[gnu::noinline]] void started_out_of_order(const operation& op) {
    if (laps_.empty()) count_each_residue();
    ++laps_[residue(op)];
    ++started_;
    behind_all_ = std::max(behind_all_, op.sequence + 1);
    if (started_ == behind_all_) laps_.clear();
  }
  void count_each_residue() {
    behind_all_ = started_;
    for (std::uint64_t r = 0; r <= last_residue_; ++r) {
      laps_.push_back((started_ + last_residue_ - r) >> shift_);
    }
  }

  const matching_space* const among_;
  const int first_tag_;
  const std::uint8_t shift_;
  std::uint8_t until_test_ = 0;  ///< receives that are started before one is tested at its start
  const std::uint64_t last_residue_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t next_kept_ = 0;   ///< place of a sparse message; of no meaning while it is behind
  std::uint64_t started_ = 0;     ///< how many; where `laps_` is empty, all before this place
  std::uint64_t behind_all_ = 0;  ///< the place behind all that have been started, beside `laps_`
  std::vector<std::uint64_t> laps_;  ///< how many of each residue have been started
  std::vector<operation*> parked_;
};

/// Channels of one communicator by direction, peer and tag; peer and tag are 0 for collectives.
using channel_map = std::map<std::tuple<operation::kind, int, int>, std::unique_ptr<channel>>;

}  // namespace plait
