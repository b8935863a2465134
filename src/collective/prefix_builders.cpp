// SPDX-License-Identifier: BSD-3-Clause
// scan and exscan.  Whatever arrives comes from lower ranks and belongs on the left.
#include "collective/builders.hpp"

namespace plait::collective {
namespace {

// exscan: the input of a rank that passes on more than that, where it can be combined.  The result
// does not contain the input, so that the receive buffer will not do.
slice own_sum(const operands& o, writer& w, bool needed) {
  if (!needed) return o.input;
  const slice sum = w.scratch(o.input.size());
  w.copy(o.input, sum);
  return sum;
}

// The rounds of a chain through all ranks.
int chain_rounds(const operands& o, std::size_t fragments) {
  return o.ranks == 1 || fragments == 0 ? 0 : o.ranks - 2 + static_cast<int>(fragments);
}

}  // namespace

// Before the round of `distance`, a rank has the sum of `distance` ranks up to itself, or of all
// that there are.
void write_doubling_scan(const operands& o, writer& w) {
  landing slots(o.input.size());
  partial sum(o.input, o.output);
  for (int distance = 1; distance < o.ranks; distance *= 2) {
    if (o.rank + distance < o.ranks) w.send(o.rank + distance, sum.value());
    if (o.rank >= distance) sum.take(w, slots, o.rank - distance, side::left);
    w.end_round();
  }
  sum.settle(w);
}

void write_doubling_exscan(const operands& o, writer& w) {
  const slice sum = own_sum(o, w, o.rank > 0 && o.rank + 2 < o.ranks);
  landing slots(o.input.size());
  for (int distance = 1; distance < o.ranks; distance *= 2) {
    const bool first = distance == 1;
    if (o.rank + distance < o.ranks) {
      // In place, what arrives replaces the input and need not wait until that has been sent.
      w.send(o.rank + distance, first && !o.in_place ? o.input : sum);
    }
    if (o.rank >= distance) {
      const slice came = first ? o.output : slots.next(w, o.input.size());
      w.receive(o.rank - distance, came);
      if (!first) w.operate(came, o.output, side::left);
      if (o.rank + 2 * distance < o.ranks) w.operate(came, sum, side::left);
    }
    w.end_round();
  }
}

void write_chain_scan(const operands& o, writer& w) {
  const std::vector<slice> inputs = fragments_of(o.input, o.call);
  const std::vector<slice> outputs = fragments_of(o.output, o.call);
  landing slots(inputs.empty() ? 0 : inputs.front().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int round = o.rank + static_cast<int>(i);
    partial sum(inputs[i], outputs[i]);
    w.in_round(round - 1);
    if (o.rank > 0) sum.take(w, slots, o.rank - 1, side::left);
    w.in_round(round);
    if (o.rank + 1 < o.ranks) w.send(o.rank + 1, sum.value());
    sum.settle(w);
  }
  w.end_phase(chain_rounds(o, inputs.size()));
}

void write_chain_exscan(const operands& o, writer& w) {
  const bool receives = o.rank > 0;
  const bool sends = o.rank + 1 < o.ranks;
  const std::vector<slice> sums = fragments_of(own_sum(o, w, receives && sends), o.call);
  const std::vector<slice> outputs = fragments_of(o.output, o.call);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int round = o.rank + static_cast<int>(i);
    if (receives) {
      w.in_round(round - 1);
      w.receive(o.rank - 1, outputs[i]);
      if (sends) w.operate(outputs[i], sums[i], side::left);
    }
    w.in_round(round);
    if (sends) w.send(o.rank + 1, sums[i]);
  }
  w.end_phase(chain_rounds(o, outputs.size()));
}

}  // namespace plait::collective
