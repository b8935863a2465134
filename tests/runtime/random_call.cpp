// SPDX-License-Identifier: BSD-3-Clause
#include "random_call.hpp"

#include <algorithm>
#include <utility>

namespace plait::test {
namespace {

using what = collective::operation;

std::vector<block> equal_parts(std::size_t parts, std::size_t count) {
  return collective::packed(std::vector<std::size_t>(parts, count));
}

}  // namespace

void lay_out(random_call& j, std::mt19937& same, std::mt19937& mine) {
  const auto ranks = static_cast<std::size_t>(j.ranks);
  const auto own = static_cast<std::size_t>(j.rank);
  j.count = random_count(same);
  std::vector<std::size_t> counts(ranks);
  for (std::size_t& count : counts) count = random_count(same);
  std::vector<std::vector<std::size_t>> pairs(ranks, std::vector<std::size_t>(ranks));
  for (std::size_t a = 0; a < ranks; ++a) {
    for (std::size_t b = 0; b < ranks; ++b) {
      pairs[a][b] = random_count(same) % 300;
      if (j.in_place && b < a) pairs[a][b] = pairs[b][a];
    }
  }
  std::vector<int> offsets(same() % 4);
  for (int& offset : offsets) offset = static_cast<int>(same() % ranks);
  if (is_neighbourly(j.op)) {
    for (const int offset : offsets) {
      j.around.destinations.push_back((j.rank + offset) % j.ranks);
      j.around.sources.push_back((j.rank - offset + j.ranks) % j.ranks);
    }
  }
  const layout equal(equal_parts(ranks, j.count));
  std::vector<std::size_t> to;
  std::vector<std::size_t> from;
  switch (j.op) {
    case what::barrier:
    case what::bcast:
    case what::reduce:
    case what::allreduce:
    case what::scan:
    case what::exscan:
      break;
    case what::gather:
      j.received = equal;
      break;
    case what::scatter:
      j.sent = equal;
      break;
    case what::allgather:
      j.received = equal;
      break;
    case what::alltoall:
      j.sent = j.received = equal;
      break;
    case what::reduce_scatter_block:
      j.sent = equal;
      break;
    case what::gatherv:
    case what::allgatherv:
      j.received = layout(counts, mine);
      j.count = counts[own];
      break;
    case what::scatterv:
      j.sent = layout(counts, mine);
      j.count = counts[own];
      break;
    case what::reduce_scatter:
      j.sent = layout(collective::packed(counts));
      j.count = counts[own];
      break;
    case what::alltoallv:
      for (std::size_t r = 0; r < ranks; ++r) from.push_back(pairs[r][own]);
      j.sent = layout(pairs[own], mine);
      j.received = layout(from, mine);
      if (j.in_place) j.sent = j.received;
      break;
    case what::neighbour_allgather:
      j.received = layout(equal_parts(offsets.size(), j.count));
      break;
    case what::neighbour_alltoall:
      j.sent = j.received = layout(equal_parts(offsets.size(), j.count));
      break;
    case what::neighbour_allgatherv:
      for (const int source : j.around.sources)
        from.push_back(counts[static_cast<std::size_t>(source)]);
      j.received = layout(from, mine);
      j.count = counts[own];
      break;
    case what::neighbour_alltoallv:
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        to.push_back(pairs[own][i % ranks]);
        from.push_back(pairs[static_cast<std::size_t>(j.around.sources[i])][i % ranks]);
      }
      j.sent = layout(to, mine);
      j.received = layout(from, mine);
      break;
  }
}

void allocate(random_call& j) {
  const bool blocks_sent = j.scatters() || j.op == what::alltoall || j.op == what::alltoallv ||
                           j.op == what::reduce_scatter || j.op == what::reduce_scatter_block ||
                           j.op == what::neighbour_alltoall || j.op == what::neighbour_alltoallv;
  const bool blocks_received = !j.received.blocks.empty() || is_neighbourly(j.op);
  std::size_t sent = blocks_sent ? j.sent.size : j.count;
  std::size_t received = blocks_received ? j.received.size : j.count;
  if (j.scatters() && !j.is_root()) sent = 0;
  if ((j.op == what::gather || j.op == what::gatherv || j.op == what::reduce) && !j.is_root())
    received = 0;
  if (j.op == what::barrier) sent = received = 0;
  if (j.op == what::bcast) sent = 0;
  if (j.one_buffer()) {
    if (j.scatters()) {
      received = 0;
    } else {
      received = std::max(received, blocks_sent ? sent : 0);
      sent = 0;
    }
  }
  j.x = empty_ints(sent);
  j.y = empty_ints(received);
  j.source = values(j.rank, j.input().size(), static_cast<int>(j.number));
}

void submit(runtime& rt, random_call& j) {
  const auto sends = [&] { return j.is_root() ? j.sent.blocks : std::vector<block>{}; };
  const auto receives = [&] { return j.is_root() ? j.received.blocks : std::vector<block>{}; };
  const bool one = j.one_buffer();
  const auto& o = j.options;
  switch (j.op) {
    case what::barrier:
      return rt.barrier("barrier", inout(j.y), o);
    case what::bcast:
      return rt.bcast("bcast", inout(j.y), j.root, o);
    case what::reduce:
      return one ? rt.reduce("reduce", inout(j.y), j.root, sum{}, o)
                 : rt.reduce("reduce", in(j.x), out(j.y), j.root, sum{}, o);
    case what::allreduce:
      return one ? rt.allreduce("allreduce", inout(j.y), sum{}, o)
                 : rt.allreduce("allreduce", in(j.x), out(j.y), sum{}, o);
    case what::scan:
      return one ? rt.scan("scan", inout(j.y), sum{}, o)
                 : rt.scan("scan", in(j.x), out(j.y), sum{}, o);
    case what::exscan:
      return one ? rt.exscan("exscan", inout(j.y), sum{}, o)
                 : rt.exscan("exscan", in(j.x), out(j.y), sum{}, o);
    case what::gather:
      return one ? rt.gather("gather", inout(j.y), j.root, o)
                 : rt.gather("gather", in(j.x), out(j.y), j.root, o);
    case what::gatherv:
      return one ? rt.gatherv("gatherv", inout(j.y), j.received.blocks, j.root, o)
                 : rt.gatherv("gatherv", in(j.x), out(j.y), receives(), j.root, o);
    case what::scatter:
      return one ? rt.scatter("scatter", in(j.x), j.root, o)
                 : rt.scatter("scatter", in(j.x), out(j.y), j.root, o);
    case what::scatterv:
      return one ? rt.scatterv("scatterv", in(j.x), j.sent.blocks, j.root, o)
                 : rt.scatterv("scatterv", in(j.x), sends(), out(j.y), j.root, o);
    case what::allgather:
      return one ? rt.allgather("allgather", inout(j.y), o)
                 : rt.allgather("allgather", in(j.x), out(j.y), o);
    case what::allgatherv:
      return one ? rt.allgatherv("allgatherv", inout(j.y), j.received.blocks, o)
                 : rt.allgatherv("allgatherv", in(j.x), out(j.y), j.received.blocks, o);
    case what::alltoall:
      return one ? rt.alltoall("alltoall", inout(j.y), o)
                 : rt.alltoall("alltoall", in(j.x), out(j.y), o);
    case what::alltoallv:
      return one ? rt.alltoallv("alltoallv", inout(j.y), j.received.blocks, o)
                 : rt.alltoallv("alltoallv", in(j.x), j.sent.blocks, out(j.y), j.received.blocks,
                                o);
    case what::reduce_scatter_block:
      return one ? rt.reduce_scatter_block("reduce_scatter_block", inout(j.y), sum{}, o)
                 : rt.reduce_scatter_block("reduce_scatter_block", in(j.x), out(j.y), sum{}, o);
    case what::reduce_scatter:
      return one ? rt.reduce_scatter("reduce_scatter", inout(j.y), j.sent.blocks, sum{}, o)
                 : rt.reduce_scatter("reduce_scatter", in(j.x), j.sent.blocks, out(j.y), sum{}, o);
    case what::neighbour_allgather:
      return rt.neighbour_allgather("halo", in(j.x), out(j.y), j.around, o);
    case what::neighbour_allgatherv:
      return rt.neighbour_allgatherv("halo", in(j.x), out(j.y), j.received.blocks, j.around, o);
    case what::neighbour_alltoall:
      return rt.neighbour_alltoall("halo", in(j.x), out(j.y), j.around, o);
    case what::neighbour_alltoallv:
      return rt.neighbour_alltoallv("halo", in(j.x), j.sent.blocks, out(j.y), j.received.blocks,
                                    j.around, o);
  }
}

namespace {

/// Returns the elements that this rank contributes: x where the call is not in place.
ints contribution(const random_call& j) {
  if (!j.one_buffer() || j.scatters()) return j.source;
  if (j.received.blocks.empty() || j.op == what::alltoall || j.op == what::alltoallv) {
    return j.source;  // the whole buffer
  }
  const block own = j.received.blocks[static_cast<std::size_t>(j.rank)];
  ints part = empty_ints(own.count);
  std::copy_n(j.source.begin() + static_cast<std::ptrdiff_t>(own.displacement), own.count,
              part.begin());
  return part;
}

}  // namespace

ints expected_result(const random_call& j, MPI_Comm comm) {
  const ints x = contribution(j);
  const bool from_y = j.one_buffer() && !j.scatters();
  ints y = empty_ints(std::max(j.y.size(), j.count));
  const ints& before = from_y || j.op == what::bcast ? j.source : empty_ints(j.y.size());
  std::ranges::copy(before, y.begin());
  const ints kept = y;
  const int n = as_int(j.count);
  const MPI_Datatype type = MPI_INT32_T;
  std::vector<MPI_Request> requests;
  switch (j.op) {
    case what::barrier:
      break;
    case what::bcast:
      MPI_Bcast(y.data(), n, type, j.root, comm);
      break;
    case what::reduce:
      MPI_Reduce(x.data(), y.data(), n, type, MPI_SUM, j.root, comm);
      break;
    case what::allreduce:
      MPI_Allreduce(x.data(), y.data(), n, type, MPI_SUM, comm);
      break;
    case what::scan:
      MPI_Scan(x.data(), y.data(), n, type, MPI_SUM, comm);
      break;
    case what::exscan:
      MPI_Exscan(x.data(), y.data(), n, type, MPI_SUM, comm);
      if (j.rank == 0) y = kept;  // MPI leaves it open what it has there
      break;
    case what::gather:
    case what::gatherv:
      MPI_Gatherv(x.data(), n, type, y.data(), j.received.counts.data(),
                  j.received.displacements.data(), type, j.root, comm);
      break;
    case what::scatter:
    case what::scatterv:
      MPI_Scatterv(x.data(), j.sent.counts.data(), j.sent.displacements.data(), type, y.data(), n,
                   type, j.root, comm);
      break;
    case what::allgather:
    case what::allgatherv:
      MPI_Allgatherv(x.data(), n, type, y.data(), j.received.counts.data(),
                     j.received.displacements.data(), type, comm);
      break;
    case what::alltoall:
    case what::alltoallv:
      MPI_Alltoallv(x.data(), j.sent.counts.data(), j.sent.displacements.data(), type, y.data(),
                    j.received.counts.data(), j.received.displacements.data(), type, comm);
      break;
    case what::reduce_scatter_block:
    case what::reduce_scatter:
      MPI_Reduce_scatter(x.data(), y.data(), j.sent.counts.data(), type, MPI_SUM, comm);
      break;
    default:  // by the equivalent code of the standard; see test_vector_collectives
      for (std::size_t i = 0; i < j.around.destinations.size(); ++i) {
        const bool parts = !j.sent.blocks.empty();
        MPI_Isend(x.data() + (parts ? j.sent.displacements[i] : 0), parts ? j.sent.counts[i] : n,
                  type, j.around.destinations[i], 0, comm, &requests.emplace_back());
        MPI_Irecv(y.data() + j.received.displacements[i], j.received.counts[i], type,
                  j.around.sources[i], 0, comm, &requests.emplace_back());
      }
      MPI_Waitall(as_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  y.resize(j.y.size());
  return y;
}

}  // namespace plait::test
