// SPDX-License-Identifier: BSD-3-Clause
// Data goes round: to rank + 1, from rank - 1.
#include <algorithm>

#include "collective/builders.hpp"

namespace plait::collective {
namespace {

std::size_t largest(const std::vector<slice>& parts) {
  std::size_t most = 0;
  for (const slice& part : parts) most = std::max(most, part.size());
  return most;
}

// Every rank begins with a part of its own and passes on what has come; `own` may lie elsewhere.
void pass_round(const operands& o, writer& w, const slice& own, const std::vector<slice>& parts) {
  for (int step = 0; step + 1 < o.ranks; ++step) {
    w.send(o.ring(1), step == 0 ? own : parts[index(o.ring(-step))]);
    w.receive(o.ring(-1), parts[index(o.ring(-step - 1))]);
    w.end_round();
  }
}

// Part q begins at rank q + 1 and is complete at rank q: its sum is in `sums[q]` there.  On the way
// its partial sums are in theirs, which may be `parts` themselves.
void combine_round(const operands& o, writer& w, const std::vector<slice>& parts,
                   const std::vector<slice>& sums) {
  landing slots(largest(parts));
  slice passed_on = parts[index(o.ring(-1))];
  for (int step = 0; step + 1 < o.ranks; ++step) {
    const std::size_t part = index(o.ring(-step - 2));
    w.send(o.ring(1), passed_on);
    partial sum(parts[part], sums[part]);
    sum.take(w, slots, o.ring(-1), side::left);
    passed_on = sum.value();
    w.end_round();
  }
}

}  // namespace

void write_ring_allgather(const operands& o, writer& w) {
  w.copy(o.input, o.outputs[index(o.rank)]);
  pass_round(o, w, o.input, o.outputs);
}

void write_ring_allreduce(const operands& o, writer& w) {
  if (o.ranks == 1) return w.copy(o.input, o.output);
  const std::vector<slice> sums = parts_of(o.output, o.ranks, o.call.element_bytes);
  combine_round(o, w, parts_of(o.input, o.ranks, o.call.element_bytes), sums);
  pass_round(o, w, sums[index(o.rank)], sums);
}

void write_ring_reduce_scatter(const operands& o, writer& w) {
  const slice own = o.inputs[index(o.rank)];
  // In place the result covers inputs, which are still to be read.
  const slice result = o.in_place ? w.scratch(own.size()) : o.output;
  if (o.ranks == 1) w.copy(own, result);
  landing room(largest(o.inputs));
  std::vector<slice> sums(o.inputs.size());
  for (int step = 0; step + 2 < o.ranks; ++step) {
    const std::size_t part = index(o.ring(-step - 2));
    sums[part] = room.next(w, o.inputs[part].size());
  }
  sums[index(o.rank)] = result;
  combine_round(o, w, o.inputs, sums);
  w.copy(result, o.output);
}

}  // namespace plait::collective
