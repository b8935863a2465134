// SPDX-License-Identifier: BSD-3-Clause
#include "collective/operands.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <plait/core/error.hpp>
#include <plait/core/no_rank.hpp>

namespace plait::collective {
namespace {

enum class content { nothing, vector, blocks, listed };

struct contents {
  content sent;
  content received;
};

// What the table of shape.hpp says, in the order of `operation`.
constexpr std::array<contents, all_operations.size()> contents_by_operation{{
    {content::nothing, content::nothing},  // barrier
    {content::nothing, content::vector},   // bcast
    {content::vector, content::vector},    // reduce
    {content::vector, content::vector},    // allreduce
    {content::vector, content::blocks},    // gather
    {content::vector, content::listed},    // gatherv
    {content::blocks, content::vector},    // scatter
    {content::listed, content::vector},    // scatterv
    {content::vector, content::blocks},    // allgather
    {content::vector, content::listed},    // allgatherv
    {content::blocks, content::blocks},    // alltoall
    {content::listed, content::listed},    // alltoallv
    {content::blocks, content::vector},    // reduce_scatter_block
    {content::listed, content::vector},    // reduce_scatter
    {content::vector, content::vector},    // scan
    {content::vector, content::vector},    // exscan
    {content::vector, content::blocks},    // neighbour_allgather
    {content::vector, content::listed},    // neighbour_allgatherv
    {content::blocks, content::blocks},    // neighbour_alltoall
    {content::listed, content::listed},    // neighbour_alltoallv
}};

bool is_alltoall(operation what) noexcept {
  return what == operation::alltoall || what == operation::alltoallv;
}

// How many ranks a rank's blocks are for, and from.
std::size_t destinations_of(const shape& call) {
  return is_neighbourly(call.what) ? call.destinations.size()
                                   : static_cast<std::size_t>(call.ranks);
}
std::size_t sources_of(const shape& call) {
  return is_neighbourly(call.what) ? call.sources.size() : static_cast<std::size_t>(call.ranks);
}

void check_ranks(const shape& call) {
  PLAIT_EXPECTS(call.ranks >= 1, std::to_string(call.ranks));
  PLAIT_EXPECTS(call.rank >= 0 && call.rank < call.ranks,
                std::to_string(call.rank) + " of " + std::to_string(call.ranks));
  PLAIT_EXPECTS(call.root >= 0 && call.root < call.ranks,
                std::to_string(call.root) + " of " + std::to_string(call.ranks));
  PLAIT_EXPECTS(call.element_bytes >= 1, "an element has no bytes");
  PLAIT_EXPECTS(!(call.in_place && is_neighbourly(call.what)), std::string(to_string(call.what)));
  for (const std::vector<int>* neighbours : {&call.sources, &call.destinations}) {
    for (const int peer : *neighbours) {
      if (peer == no_rank) continue;
      PLAIT_EXPECTS(peer >= 0 && peer < call.ranks,
                    "neighbour " + std::to_string(peer) + " of " + std::to_string(call.ranks));
    }
  }
}

void check_apart(std::vector<slice> blocks) {
  std::erase_if(blocks, [](const slice& b) { return b.empty(); });
  std::ranges::sort(blocks, {}, &slice::begin);
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    PLAIT_EXPECTS(blocks[i - 1].end <= blocks[i].begin,
                  "two receive blocks have byte " + std::to_string(blocks[i].begin));
  }
}

std::vector<slice> blocks_in(buffer where, content of, const shape& call,
                             const std::vector<block>& listed, std::size_t number) {
  std::vector<slice> blocks;
  if (of != content::blocks && of != content::listed) return blocks;
  PLAIT_EXPECTS(of == content::blocks || listed.size() == number,
                std::to_string(listed.size()) + " blocks, not " + std::to_string(number));
  for (std::size_t i = 0; i < number; ++i) {
    const block b = of == content::listed ? listed[i] : block{call.count, i * call.count};
    blocks.push_back({where, b.displacement * call.element_bytes,
                      (b.displacement + b.count) * call.element_bytes});
  }
  return blocks;
}

// Makes the input what `shape::in_place` says it is.
void put_in_place(operands& o) {
  const auto own = static_cast<std::size_t>(o.rank);
  switch (o.call.what) {
    case operation::reduce:
    case operation::allreduce:
    case operation::scan:
    case operation::exscan:
      o.input = o.output;
      break;
    case operation::gather:
    case operation::gatherv:
    case operation::allgather:
    case operation::allgatherv:
      o.input = o.outputs[own];
      break;
    case operation::scatter:
    case operation::scatterv:
      o.output = o.inputs[own];
      break;
    case operation::alltoall:
    case operation::alltoallv:
      o.inputs = o.outputs;
      break;
    case operation::reduce_scatter_block:
    case operation::reduce_scatter:
      for (slice& s : o.inputs) s.where = buffer::receive;
      break;
    default:
      break;
  }
}

}  // namespace

// Of these only the root has the blocks, or the result.
bool only_root_is_in_place(operation what) noexcept {
  return what == operation::reduce || what == operation::gather || what == operation::gatherv ||
         what == operation::scatter || what == operation::scatterv;
}

std::vector<block> packed(std::span<const std::size_t> counts) {
  std::vector<block> blocks;
  std::size_t displacement = 0;
  for (const std::size_t count : counts) {
    blocks.push_back({count, displacement});
    displacement += count;
  }
  return blocks;
}

operands operands_of(const shape& call, algorithm how) {
  check_ranks(call);
  contents has = contents_by_operation[static_cast<std::size_t>(call.what)];
  const bool complete = !only_root_is_in_place(call.what) || call.rank == call.root;
  operands o{.call = call,
             .how = how,
             .ranks = call.ranks,
             .rank = call.rank,
             .root = call.root,
             .in_place = call.in_place && complete};
  // alltoall(v) in place: what is sent is where what is received will be.
  if (o.in_place && is_alltoall(call.what)) has.sent = content::nothing;

  if (complete) {
    o.inputs = blocks_in(buffer::send, has.sent, call, call.send_blocks, destinations_of(call));
    o.outputs =
        blocks_in(buffer::receive, has.received, call, call.receive_blocks, sources_of(call));
    check_apart(o.outputs);
  }
  std::size_t size = call.count * call.element_bytes;
  if (!is_neighbourly(call.what)) {
    const auto own = static_cast<std::size_t>(call.rank);
    if (!o.inputs.empty()) size = o.inputs[own].size();
    if (!o.outputs.empty()) size = o.outputs[own].size();
  }
  if (has.sent == content::vector) o.input = {buffer::send, 0, size};
  if (has.received == content::vector && (complete || call.what != operation::reduce)) {
    o.output = {buffer::receive, 0, size};
  }
  if (o.in_place) put_in_place(o);
  return o;
}

footprint footprint_of(const operands& o) {
  footprint found;
  const auto include = [&found](std::vector<slice>& list, const slice& s) {
    if (s.empty()) return;
    std::size_t& extent = s.where == buffer::send ? found.send_bytes : found.receive_bytes;
    extent = std::max(extent, s.end);
    list.push_back(s);
  };
  include(found.read, o.input);
  for (const slice& s : o.inputs) include(found.read, s);
  const bool root_gives_it = o.call.what == operation::bcast && o.is_root();
  include(root_gives_it ? found.read : found.written, o.output);
  for (const slice& s : o.outputs) include(found.written, s);
  // Rank 0 has nobody before it.
  if (o.call.what == operation::exscan && o.rank == 0) found.written.clear();
  return found;
}

footprint footprint_of(const shape& call) {
  return footprint_of(operands_of(call, algorithms_of(call.what).front()));
}

list_lengths lists_of(const shape& call) {
  list_lengths lengths;
  if (only_root_is_in_place(call.what) && call.rank != call.root) return lengths;
  const contents has = contents_by_operation[static_cast<std::size_t>(call.what)];
  const bool sends_what_it_receives = call.in_place && is_alltoall(call.what);
  if (has.sent == content::listed && !sends_what_it_receives)
    lengths.send_blocks = destinations_of(call);
  if (has.received == content::listed) lengths.receive_blocks = sources_of(call);
  return lengths;
}

extents extents_of(const shape& call) {
  const contents has = contents_by_operation[static_cast<std::size_t>(call.what)];
  const bool complete = !only_root_is_in_place(call.what) || call.rank == call.root;
  const bool in_place = call.in_place && complete;
  std::size_t own = call.count;  // elements of a vector
  if (complete && !is_neighbourly(call.what)) {
    const auto rank = static_cast<std::size_t>(call.rank);
    if (has.sent == content::listed && !(in_place && is_alltoall(call.what)))
      own = call.send_blocks[rank].count;
    if (has.received == content::listed) own = call.receive_blocks[rank].count;
  }
  const auto buffer = [&](content of, const std::vector<block>& listed, std::size_t number) {
    using rule = extent::rule;
    switch (of) {
      case content::nothing:
        return extent{};
      case content::vector:
        return extent{rule::exactly, own, 1};
      case content::blocks:
        return complete ? extent{rule::exactly, number * call.count, number} : extent{};
      case content::listed:
        break;
    }
    if (!complete) return extent{};
    std::size_t end = 0;
    for (const block& b : listed) {
      if (b.count > 0) end = std::max(end, b.displacement + b.count);
    }
    return extent{rule::at_least, end, number};
  };
  const extent sent = buffer(has.sent, call.send_blocks, destinations_of(call));
  extent received = buffer(has.received, call.receive_blocks, sources_of(call));
  if (!in_place) {
    // Not touched: no result elsewhere than on the root, and nobody is before rank 0.
    if (call.what == operation::reduce && !complete) received = {};
    if (call.what == operation::exscan && call.rank == 0) received = {};
    return {sent, received};
  }
  switch (call.what) {
    case operation::scatter:
    case operation::scatterv:
      return {sent, {}};
    case operation::reduce_scatter:
    case operation::reduce_scatter_block: {  // the blocks are in the receive buffer
      extent both = sent;
      both.elements = std::max(sent.elements, received.elements);
      return {{}, both};
    }
    default:
      return {{}, received};
  }
}

std::vector<slice> fragments_of(const slice& whole, const shape& call) {
  const std::size_t elements = std::max<std::size_t>(call.fragment_bytes / call.element_bytes, 1);
  const std::size_t size = elements * call.element_bytes;
  std::vector<slice> fragments;
  for (std::size_t begin = 0; begin < whole.size(); begin += size) {
    fragments.push_back(part_of(whole, begin, std::min(size, whole.size() - begin)));
  }
  return fragments;
}

std::vector<slice> parts_of(const slice& whole, int parts, std::size_t element_bytes) {
  const auto number = static_cast<std::size_t>(parts);
  const std::size_t elements = whole.size() / element_bytes;
  std::vector<slice> cut;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t size = (elements / number + (i < elements % number ? 1 : 0)) * element_bytes;
    cut.push_back(part_of(whole, begin, size));
    begin += size;
  }
  return cut;
}

}  // namespace plait::collective
