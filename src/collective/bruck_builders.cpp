// SPDX-License-Identifier: BSD-3-Clause
// Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in
// multiport message-passing systems (1997), with one port.
#include <algorithm>

#include "collective/builders.hpp"

namespace plait::collective {
namespace {

// The blocks of `number` ranks from `first` on, round the ring.
std::vector<slice> run_of(const operands& o, int first, int number) {
  if (number == 1 && first == o.rank) return {o.input};
  std::vector<slice> run;
  for (int i = 0; i < number; ++i) run.push_back(o.outputs[index((first + i) % o.ranks)]);
  return run;
}

// The block that goes to rank + way, for each way.
std::vector<slice> inputs_by_way(const operands& o, writer& w) {
  std::vector<slice> blocks{o.inputs[index(o.rank)]};
  for (int way = 1; way < o.ranks; ++way) {
    slice block = o.inputs[index(o.ring(way))];
    if (o.in_place) {
      const slice kept = w.scratch(block.size());  // other blocks arrive before this one leaves
      w.copy(block, kept);
      block = kept;
    }
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

// After a round each rank has the blocks of twice as many ranks, from its own on.  Blocks are
// received where they belong, so that there is no rotation at the end: a message is copied only
// where its blocks go round from the last to the first, or lie apart.
void write_bruck_allgather(const operands& o, writer& w) {
  w.copy(o.input, o.outputs[index(o.rank)]);
  for (int distance = 1; distance < o.ranks; distance *= 2) {
    const int number = std::min(distance, o.ranks - distance);
    w.send(o.ring(-distance), run_of(o, o.rank, number));
    w.receive(o.ring(distance), run_of(o, o.ring(distance), number));
    w.end_round();
  }
}

// The block that has `way` ranks to go moves on by 2^i in round i if that is one of the powers of
// two that make up `way`.  In a message the longest way comes first: the blocks of the last round,
// which have all arrived, are then in the order of their sources.
void write_bruck_alltoall(const operands& o, writer& w) {
  const std::size_t block_bytes = o.outputs.front().size();
  std::vector<slice> at = inputs_by_way(o, w);
  w.copy(at.front(), o.outputs[index(o.rank)]);
  for (int hop = 1; hop < o.ranks; hop *= 2) {
    std::vector<int> ways;
    std::vector<slice> leaving;
    for (int way = o.ranks - 1; way >= hop; --way) {
      if ((way & hop) == 0) continue;
      ways.push_back(way);
      leaving.push_back(at[index(way)]);
    }
    w.send(o.ring(hop), leaving);
    if (2 * hop >= o.ranks) {
      std::vector<slice> arriving;
      for (const int way : ways) arriving.push_back(o.outputs[index(o.ring(-way))]);
      w.receive(o.ring(-hop), arriving);
    } else {
      const slice stage = w.scratch(ways.size() * block_bytes);
      w.receive(o.ring(-hop), stage);
      for (std::size_t i = 0; i < ways.size(); ++i) {
        at[index(ways[i])] = part_of(stage, i * block_bytes, block_bytes);
      }
      // No power of two is left of these ways.
      for (int way = hop; way < 2 * hop; ++way) {
        w.copy(at[index(way)], o.outputs[index(o.ring(-way))]);
      }
    }
    w.end_round();
  }
}

}  // namespace plait::collective
