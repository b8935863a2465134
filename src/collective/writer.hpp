// SPDX-License-Identifier: BSD-3-Clause
/// Writes a schedule action by action.  What concerns no bytes leaves no action.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <plait/collective/schedule.hpp>
#include <plait/collective/shape.hpp>

namespace plait::collective {

/// Sides of an operator on which an operand may stand.
enum class side { left, right };

/// `size` bytes of `whole`, from `offset` on.
[[nodiscard]] inline slice part_of(const slice& whole, std::size_t offset, std::size_t size) {
  return {whole.where, whole.begin + offset, whole.begin + offset + size};
}

class writer {
 public:
  /// Scratch of its own, at a multiple of 64 bytes.
  [[nodiscard]] slice scratch(std::size_t size_bytes);

  void send(int peer, const slice& from);
  void receive(int peer, const slice& to);
  /// One message of all these bytes.  Those that do not lie together go through scratch; whether
  /// they do may differ between sender and receiver.
  void send(int peer, std::span<const slice> pieces);
  void receive(int peer, std::span<const slice> pieces);
  /// to = from OP to if `from` stands on the left.
  void operate(const slice& from, const slice& to, side of_from);
  /// Nothing to do if they are the same.
  void copy(const slice& from, const slice& to);

  /// Puts all further operations into round `round` of this phase, counted from 0.
  void in_round(int round) noexcept { round_ = first_round_ + round; }
  /// Ends this phase, which has `rounds` rounds on every rank, and begins the next one.
  void end_phase(int rounds) noexcept { round_ = first_round_ += rounds; }
  void end_round() noexcept { end_phase(1); }

  /// Cuts messages and combinations, where they are long, between elements.
  [[nodiscard]] schedule finish(const pieces& cut, std::size_t element_bytes) &&;

 private:
  using kind = action::kind;
  schedule written_;
  int first_round_ = 0;
  int round_ = 0;
};

/// Two slots where operands arrive in turn.  One is not enough: with a ring of ranks, each of which
/// cannot receive before it has sent what arrived last, none could begin.
class landing {
 public:
  explicit landing(std::size_t size_bytes) noexcept : size_bytes_(size_bytes) {}
  /// Precondition: no more than `size_bytes`.
  [[nodiscard]] slice next(writer& w, std::size_t size_bytes);

 private:
  std::size_t size_bytes_;
  std::array<slice, 2> slots_{};  // there is no scratch before it is needed
  int turn_ = 0;
};

/// A partial result: a value that peers' values are combined with.  The value is not copied to
/// where the result shall be; what arrives first is put there, and the value combined with it.
class partial {
 public:
  /// `value` is where the result shall be (and may be overwritten), or elsewhere (then it is only
  /// read), or empty (there is none yet).
  partial(const slice& value, const slice& target) noexcept : value_(value), target_(target) {}

  void take(writer& w, landing& slots, int peer, side of_peer);
  [[nodiscard]] const slice& value() const noexcept { return value_; }
  /// Puts it where it shall be, if nothing was taken.
  void settle(writer& w) const { w.copy(value_, target_); }

 private:
  slice value_;
  slice target_;
};

}  // namespace plait::collective
