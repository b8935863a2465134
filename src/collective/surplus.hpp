// SPDX-License-Identifier: BSD-3-Clause
/// Recursive doubling among a number of ranks that is no power of two.
#pragma once

namespace plait::collective {

/// Groups of ranks whose number is a power of two.  Of the first 2s ranks, s being the surplus over
/// a power of two, the even ones let the odd one next to them act for them.  These pairs, and the
/// other ranks, are the groups, numbered from 0 in the order of ranks.
class surplus {
 public:
  surplus(int ranks, int rank) noexcept : rank_(rank) {
    while (2 * groups_ <= ranks) groups_ *= 2;
    surplus_ = ranks - groups_;
    while (1 << rounds_ < groups_) ++rounds_;
  }

  [[nodiscard]] bool in_pair() const noexcept { return rank_ < 2 * surplus_; }
  /// Returns true if the other rank of the pair acts for this one.
  [[nodiscard]] bool is_idle() const noexcept { return in_pair() && rank_ % 2 == 0; }
  /// The rank's partner in its pair.
  [[nodiscard]] int partner() const noexcept { return rank_ ^ 1; }

  /// Returns true if there are pairs.  Pairs cost one more round before the exchanges and one after
  /// them.
  [[nodiscard]] bool any() const noexcept { return surplus_ > 0; }
  /// Exchanges between groups.
  [[nodiscard]] int rounds() const noexcept { return rounds_; }
  /// The rank to exchange with in exchange `round`.
  [[nodiscard]] int peer(int round) const noexcept {
    return first_of((group() ^ (1 << round)) + 1) - 1;  // who acts is the last one of its group
  }
  /// The ranks whose groups have exchanged with each other before exchange `round` begin with this
  /// one and end before `last`.
  [[nodiscard]] int first(int round) const noexcept { return first_of(group() >> round << round); }
  [[nodiscard]] int last(int round) const noexcept {
    return first_of(((group() >> round) + 1) << round);
  }

  /// The group of this rank.
  [[nodiscard]] int group() const noexcept { return in_pair() ? rank_ / 2 : rank_ - surplus_; }
  /// The lowest rank of a group.
  [[nodiscard]] int first_of(int number) const noexcept {
    return number <= surplus_ ? 2 * number : number + surplus_;
  }

 private:
  int rank_;
  int groups_ = 1;
  int surplus_ = 0;
  int rounds_ = 0;
};

}  // namespace plait::collective
