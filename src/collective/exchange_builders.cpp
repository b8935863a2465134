// SPDX-License-Identifier: BSD-3-Clause
// Data goes straight from who has it to who wants it.
#include <algorithm>
#include <string>

#include <plait/core/error.hpp>
#include <plait/core/no_rank.hpp>

#include "collective/builders.hpp"

namespace plait::collective {
namespace {

// Whom a rank sends to in step 1, 2, ..., ranks - 1, and from whom it receives.
struct partners {
  int to;
  int from;
};

partners partners_in(const operands& o, int step) {
  const bool power_of_two = (o.ranks & (o.ranks - 1)) == 0;
  if (o.how == algorithm::pairwise && power_of_two) return {o.rank ^ step, o.rank ^ step};
  return {o.ring(step), o.ring(-step)};
}

void exchange_all(const operands& o, writer& w, const std::vector<slice>& inputs) {
  for (int step = 1; step < o.ranks; ++step) {
    const auto [to, from] = partners_in(o, step);
    w.receive(from, o.outputs[index(from)]);
    w.send(to, inputs[index(to)]);
    if (o.how == algorithm::pairwise) w.end_round();
  }
  if (o.how == algorithm::linear && o.ranks > 1) w.end_round();
}

}  // namespace

void write_allgather(const operands& o, writer& w) {
  w.copy(o.input, o.outputs[index(o.rank)]);
  exchange_all(o, w, std::vector<slice>(o.outputs.size(), o.input));
}

void write_alltoall(const operands& o, writer& w) {
  std::vector<slice> inputs = o.inputs;
  if (o.in_place) {
    // A block could be received only after it has been sent, on both sides: none would begin.
    for (int rank = 0; rank < o.ranks; ++rank) {
      if (rank == o.rank) continue;
      slice& input = inputs[index(rank)];
      const slice kept = w.scratch(input.size());
      w.copy(input, kept);
      input = kept;
    }
  }
  w.copy(inputs[index(o.rank)], o.outputs[index(o.rank)]);
  exchange_all(o, w, inputs);
}

void write_neighbour_exchange(const operands& o, writer& w) {
  const std::vector<int>& sources = o.call.sources;
  const std::vector<int>& destinations = o.call.destinations;
  PLAIT_EXPECTS(std::ranges::count(sources, o.rank) == std::ranges::count(destinations, o.rank),
                "rank " + std::to_string(o.rank) + " is its own source and destination");
  std::vector<slice> to_itself;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == no_rank) continue;
    if (sources[i] == o.rank) {
      to_itself.push_back(o.outputs[i]);
    } else {
      w.receive(sources[i], o.outputs[i]);
    }
  }
  auto next_to_itself = to_itself.begin();
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i] == no_rank) continue;
    const slice& input = o.inputs.empty() ? o.input : o.inputs[i];
    if (destinations[i] == o.rank) {
      w.copy(input, *next_to_itself++);
    } else {
      w.send(destinations[i], input);
    }
  }
  w.end_round();
}

// Blocks come from rank - 1, rank - 2, ..., 0, each to be put to the left of what is there, then
// from the last rank, ..., rank + 1: those make a sum of their own, which belongs on the right.
void write_pairwise_reduce_scatter(const operands& o, writer& w) {
  const slice own = o.inputs[index(o.rank)];
  // In place the result covers inputs, which are still to be read.
  const slice result = o.in_place ? w.scratch(own.size()) : o.output;
  const bool lowest = o.rank == 0;
  const bool highest = o.rank + 1 == o.ranks;
  landing slots(own.size());
  partial lower(own, result);
  partial upper({}, lowest || highest ? result : w.scratch(own.size()));
  for (int step = 1; step < o.ranks; ++step) {
    w.send(o.ring(step), o.inputs[index(o.ring(step))]);
    (o.ring(-step) < o.rank ? lower : upper).take(w, slots, o.ring(-step), side::left);
    w.end_round();
  }
  if (lowest && !highest) {
    w.operate(own, result, side::left);
  } else {
    w.operate(upper.value(), result, side::right);
    lower.settle(w);
  }
  w.copy(result, o.output);
}

}  // namespace plait::collective
