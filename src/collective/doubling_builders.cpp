// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: what a rank has is exchanged with as much of another, which lies beside it in
// the order of ranks.
#include <span>

#include "collective/builders.hpp"
#include "collective/surplus.hpp"

namespace plait::collective {
namespace {

std::span<const slice> run_of(const std::vector<slice>& blocks, int first, int last) {
  return std::span(blocks).subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(last - first));
}

}  // namespace

void write_doubling_allreduce(const operands& o, writer& w) {
  const surplus s(o.ranks, o.rank);
  landing slots(o.input.size());
  partial sum(o.input, o.output);
  if (s.any()) {
    if (s.is_idle()) {
      w.send(s.partner(), o.input);
    } else if (s.in_pair()) {
      sum.take(w, slots, s.partner(), side::left);
    }
    w.end_round();
  }
  for (int round = 0; round < s.rounds(); ++round) {
    if (!s.is_idle()) {
      const int peer = s.peer(round);
      w.send(peer, sum.value());
      sum.take(w, slots, peer, peer < o.rank ? side::left : side::right);
    }
    w.end_round();
  }
  if (s.any()) {
    if (s.is_idle()) {
      w.receive(s.partner(), o.output);
    } else if (s.in_pair()) {
      w.send(s.partner(), sum.value());
    }
    w.end_round();
  }
  if (o.ranks == 1) sum.settle(w);
}

void write_doubling_allgather(const operands& o, writer& w) {
  const surplus s(o.ranks, o.rank);
  const std::vector<slice>& blocks = o.outputs;
  w.copy(o.input, blocks[static_cast<std::size_t>(o.rank)]);
  if (s.any()) {
    if (s.is_idle()) {
      w.send(s.partner(), o.input);
    } else if (s.in_pair()) {
      w.receive(s.partner(), run_of(blocks, o.rank - 1, o.rank));
    }
    w.end_round();
  }
  for (int round = 0; round < s.rounds(); ++round) {
    if (!s.is_idle()) {
      const surplus other(o.ranks, s.peer(round));
      const bool alone = s.last(round) - s.first(round) == 1;
      const slice& own = o.input;
      w.send(s.peer(round),
             alone ? std::span(&own, 1) : run_of(blocks, s.first(round), s.last(round)));
      w.receive(s.peer(round), run_of(blocks, other.first(round), other.last(round)));
    }
    w.end_round();
  }
  if (s.any()) {
    // All but the block of the idle rank.
    if (s.is_idle()) {
      w.receive(s.partner(), run_of(blocks, 0, o.rank));
      w.receive(s.partner(), run_of(blocks, o.rank + 1, o.ranks));
    } else if (s.in_pair()) {
      w.send(s.partner(), run_of(blocks, 0, o.rank - 1));
      w.send(s.partner(), run_of(blocks, o.rank, o.ranks));
    }
    w.end_round();
  }
}

}  // namespace plait::collective
