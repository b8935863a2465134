// SPDX-License-Identifier: BSD-3-Clause
// Barriers.  A message says that its sender and all whom the sender has heard of have come.
#include "collective/builders.hpp"
#include "collective/surplus.hpp"

namespace plait::collective {
namespace {

// Nothing but shared bytes orders actions, and each send must wait for all receives before it.  So
// each receive shares one byte with the one before, which puts receives in order, and a send reads
// what the latest has received, but for that one byte: a receive need not wait for a send, or none
// could begin where sends wait for their receives.  A message of a later round is therefore shorter
// than one of an earlier round: round i of n has n - i bytes.
class tokens {
 public:
  tokens(writer& w, int rounds)
      : w_(w),
        left_(static_cast<std::size_t>(rounds)),
        scratch_(w.scratch(left_ + 1 + left_ * (left_ - 1) / 2)),
        latest_(part_of(scratch_, 0, left_ + 1)) {}

  void send(int peer) { w_.send(peer, part_of(latest_, 0, left_)); }
  void receive(int peer) {
    latest_ = {buffer::scratch, latest_.end - 1, latest_.end - 1 + left_};
    w_.receive(peer, latest_);
  }
  void end_round() {
    --left_;
    w_.end_round();
  }

 private:
  writer& w_;
  std::size_t left_;  ///< rounds, and bytes of a message of this one
  slice scratch_;
  slice latest_;  ///< at first, bytes that nobody has received
};

}  // namespace

void write_dissemination_barrier(const operands& o, writer& w) {
  int rounds = 0;
  while (1 << rounds < o.ranks) ++rounds;
  if (rounds == 0) return;
  tokens t(w, rounds);
  for (int round = 0; round < rounds; ++round) {
    t.send(o.ring(1 << round));
    t.receive(o.ring(-(1 << round)));
    t.end_round();
  }
}

void write_doubling_barrier(const operands& o, writer& w) {
  if (o.ranks == 1) return;
  const surplus s(o.ranks, o.rank);
  tokens t(w, s.rounds() + (s.any() ? 2 : 0));
  if (s.any()) {
    if (s.is_idle()) {
      t.send(s.partner());
    } else if (s.in_pair()) {
      t.receive(s.partner());
    }
    t.end_round();
  }
  for (int round = 0; round < s.rounds(); ++round) {
    if (!s.is_idle()) {
      t.send(s.peer(round));
      t.receive(s.peer(round));
    }
    t.end_round();
  }
  if (s.any()) {
    if (s.is_idle()) {
      t.receive(s.partner());
    } else if (s.in_pair()) {
      t.send(s.partner());
    }
    t.end_round();
  }
}

}  // namespace plait::collective
