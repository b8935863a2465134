// SPDX-License-Identifier: BSD-3-Clause
// Collective operations whose parts differ in size, or whose ranks have neighbours, as tasks; held
// against MPI's blocking ones.
#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "collective_blocks.hpp"
#include "collective_ways.hpp"
#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using kind = collective::operation;

constexpr int rounds = 12;

struct vector_collectives : ::testing::Test {
  environment& env = test_environment();
  const int rank = env.rank();
  const int ranks = env.size();
  const std::size_t own = static_cast<std::size_t>(rank);
  const MPI_Comm comm = native(env);
  std::mt19937 same{17};                                     // on every rank
  std::mt19937 mine{static_cast<unsigned>(env.rank()) + 3};  // not
  runtime rt{env, {.tasks = {.workers = 2}}};

  /// What MPI returns, which nobody else calls meanwhile.
  int alone(const auto& call) {
    mpi_token_guard guard(env.token());
    return call();
  }
  std::vector<std::size_t> counts_of_all() {
    std::vector<std::size_t> counts(static_cast<std::size_t>(ranks));
    for (std::size_t& count : counts) count = random_count(same);
    return counts;
  }
};

TEST_F(vector_collectives, gatherv_and_scatterv_equal_mpi_for_every_root) {
  for (int round = 0; round < 2 * rounds; ++round) {
    const collective_options options = round % 2 == 0 ? collective_options{} : by_library();
    const int root = round / 2 % ranks;
    const auto counts = counts_of_all();
    const layout blocks(counts, mine);
    const bool is_root = rank == root;
    const ints part = values(rank, counts[own], round);
    ints all = empty_ints(is_root ? blocks.size : 0);
    ints expected = empty_ints(all.size());
    rt.gatherv("gatherv", in(part), out(all), is_root ? blocks.blocks : std::vector<block>{}, root,
               options);
    rt.wait();
    ASSERT_EQ(alone([&] {
                return MPI_Gatherv(part.data(), as_int(part.size()), MPI_INT32_T, expected.data(),
                                   blocks.counts.data(), blocks.displacements.data(), MPI_INT32_T,
                                   root, comm);
              }),
              MPI_SUCCESS);
    ASSERT_EQ(all, expected) << "gatherv, round " << round;

    ints back = empty_ints(counts[own]);
    ints expected_back = empty_ints(back.size());
    rt.scatterv("scatterv", in(all), is_root ? blocks.blocks : std::vector<block>{}, out(back),
                root, options);
    rt.wait();
    ASSERT_EQ(alone([&] {
                return MPI_Scatterv(all.data(), blocks.counts.data(), blocks.displacements.data(),
                                    MPI_INT32_T, expected_back.data(), as_int(back.size()),
                                    MPI_INT32_T, root, comm);
              }),
              MPI_SUCCESS);
    ASSERT_EQ(back, expected_back) << "scatterv, round " << round;
    ASSERT_EQ(back, part);
  }
}

TEST_F(vector_collectives, allgatherv_equals_mpi_in_every_way) {
  for (const collective_options& way : ways_of(kind::allgatherv)) {
    for (int round = 0; round < rounds; ++round) {
      const auto counts = counts_of_all();
      const layout blocks(counts, mine);
      const ints part = values(rank, counts[own], round);
      ints all = empty_ints(blocks.size);
      ints expected = empty_ints(all.size());
      rt.allgatherv("allgatherv", in(part), out(all), blocks.blocks, way);
      rt.wait();
      ASSERT_EQ(alone([&] {
                  return MPI_Allgatherv(part.data(), as_int(part.size()), MPI_INT32_T,
                                        expected.data(), blocks.counts.data(),
                                        blocks.displacements.data(), MPI_INT32_T, comm);
                }),
                MPI_SUCCESS);
      ASSERT_EQ(all, expected) << name_of(way) << ", round " << round;
    }
  }
}

TEST_F(vector_collectives, reduce_scatter_equals_mpi_in_every_way) {
  for (const collective_options& way : ways_of(kind::reduce_scatter)) {
    for (int round = 0; round < rounds; ++round) {
      const auto counts = counts_of_all();
      const auto blocks = collective::packed(counts);
      const std::vector<int> mpi_counts(counts.begin(), counts.end());
      const ints x = values(rank, blocks.back().displacement + blocks.back().count, round);
      ints y = empty_ints(counts[own]);
      ints expected = empty_ints(y.size());
      rt.reduce_scatter("reduce_scatter", in(x), blocks, out(y), sum{}, way);
      rt.wait();
      ASSERT_EQ(alone([&] {
                  return MPI_Reduce_scatter(x.data(), expected.data(), mpi_counts.data(),
                                            MPI_INT32_T, MPI_SUM, comm);
                }),
                MPI_SUCCESS);
      ASSERT_EQ(y, expected) << name_of(way) << ", round " << round;
    }
  }
}

/// A random graph with loops and parallel edges, the same on every rank, and what one rank sees.
struct random_graph {
  struct edge {
    int from;
    int to;
    std::size_t count;  ///< elements, where they differ
  };
  std::vector<edge> in_edges;
  std::vector<edge> out_edges;
  neighbourhood around;
  environment& env;
  MPI_Comm comm = MPI_COMM_NULL;

  random_graph(std::mt19937& same, environment& of) : env(of) {
    const auto ranks = static_cast<unsigned>(env.size());
    const auto edges = same() % (3 * ranks + 1);
    for (auto i = edges; i > 0; --i) {
      const edge e{static_cast<int>(same() % ranks), static_cast<int>(same() % ranks),
                   random_count(same)};
      if (e.from == env.rank()) {
        out_edges.push_back(e);
        around.destinations.push_back(e.to);
      }
      if (e.to == env.rank()) {
        in_edges.push_back(e);
        around.sources.push_back(e.from);
      }
    }
    mpi_token_guard guard(env.token());
    MPI_Dist_graph_create_adjacent(
        native(env), static_cast<int>(around.sources.size()), around.sources.data(), MPI_UNWEIGHTED,
        static_cast<int>(around.destinations.size()), around.destinations.data(), MPI_UNWEIGHTED,
        MPI_INFO_NULL, 0, &comm);
  }
  ~random_graph() {
    mpi_token_guard guard(env.token());
    MPI_Comm_free(&comm);
  }
  random_graph(const random_graph&) = delete;
  random_graph& operator=(const random_graph&) = delete;
};

/// Exchanges blocks as MPI_Neighbor_alltoallv must, by the equivalent code in its standard
/// (MPI-4.1, section 8.6): the k-th edge to a rank meets the k-th edge from it.  MPICH up to 5.0
/// pairs parallel edges in reverse (its pull request 7945), so its own collective cannot be what
/// ours is compared with.
void exchange_as_mpi_says(const random_graph& graph, const ints& x, const layout& sent, ints& y,
                          const layout& received) {
  mpi_token_guard guard(graph.env.token());
  std::vector<MPI_Request> requests;
  for (std::size_t i = 0; i < graph.around.destinations.size(); ++i) {
    requests.emplace_back();
    MPI_Isend(x.data() + sent.displacements[i], sent.counts[i], MPI_INT32_T,
              graph.around.destinations[i], 0, graph.comm, &requests.back());
  }
  for (std::size_t i = 0; i < graph.around.sources.size(); ++i) {
    requests.emplace_back();
    MPI_Irecv(y.data() + received.displacements[i], received.counts[i], MPI_INT32_T,
              graph.around.sources[i], 0, graph.comm, &requests.back());
  }
  ASSERT_EQ(MPI_Waitall(as_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            MPI_SUCCESS);
}

TEST_F(vector_collectives, neighbour_allgather_and_alltoall_equal_mpi) {
  for (int round = 0; round < rounds; ++round) {
    const random_graph graph(same, env);
    const std::size_t count = random_count(same);
    const std::size_t sources = graph.around.sources.size();
    const std::size_t destinations = graph.around.destinations.size();

    const ints x = values(rank, count, round);
    ints y = empty_ints(count * sources);
    ints expected = empty_ints(y.size());
    rt.neighbour_allgather("neighbour_allgather", in(x), out(y), graph.around);
    rt.wait();
    ASSERT_EQ(alone([&] {
                return MPI_Neighbor_allgather(x.data(), as_int(count), MPI_INT32_T, expected.data(),
                                              as_int(count), MPI_INT32_T, graph.comm);
              }),
              MPI_SUCCESS);
    ASSERT_EQ(y, expected) << "neighbour_allgather, round " << round;

    const ints parts = values(rank, count * destinations, round + 100);
    std::ranges::fill(y, untouched);
    rt.neighbour_alltoall("neighbour_alltoall", in(parts), out(y), graph.around);
    rt.wait();
    exchange_as_mpi_says(graph, parts, layout(collective::packed(std::vector(destinations, count))),
                         expected, layout(collective::packed(std::vector(sources, count))));
    ASSERT_EQ(y, expected) << "neighbour_alltoall, round " << round;
  }
}

TEST_F(vector_collectives, neighbour_allgatherv_and_alltoallv_equal_mpi) {
  for (int round = 0; round < rounds; ++round) {
    const random_graph graph(same, env);

    const auto lengths = counts_of_all();
    std::vector<std::size_t> from_sources;
    for (const int source : graph.around.sources)
      from_sources.push_back(lengths[static_cast<std::size_t>(source)]);
    const layout gathered(from_sources, mine);
    const ints x = values(rank, lengths[own], round);
    ints y = empty_ints(gathered.size);
    ints expected = empty_ints(y.size());
    rt.neighbour_allgatherv("neighbour_allgatherv", in(x), out(y), gathered.blocks, graph.around);
    rt.wait();
    ASSERT_EQ(alone([&] {
                return MPI_Neighbor_allgatherv(
                    x.data(), as_int(x.size()), MPI_INT32_T, expected.data(),
                    gathered.counts.data(), gathered.displacements.data(), MPI_INT32_T, graph.comm);
              }),
              MPI_SUCCESS);
    ASSERT_EQ(y, expected) << "neighbour_allgatherv, round " << round;

    const auto counts_of = [](const std::vector<random_graph::edge>& edges) {
      std::vector<std::size_t> counts;
      for (const auto& e : edges) counts.push_back(e.count);
      return counts;
    };
    const layout sent(counts_of(graph.out_edges), mine);
    const layout received(counts_of(graph.in_edges), mine);
    const ints parts = values(rank, sent.size, round + 100);
    ints z = empty_ints(received.size);
    ints expected_z = empty_ints(z.size());
    rt.neighbour_alltoallv("neighbour_alltoallv", in(parts), sent.blocks, out(z), received.blocks,
                           graph.around);
    rt.wait();
    exchange_as_mpi_says(graph, parts, sent, expected_z, received);
    ASSERT_EQ(z, expected_z) << "neighbour_alltoallv, round " << round;
  }
}

/// A task that needs one neighbour's part does not wait for the others.
TEST_F(vector_collectives, a_halo_that_has_come_is_used_before_the_others) {
  if (ranks < 3) return;
  // Everybody exchanges with everybody; the last rank sends only when rank 1 has used rank 0's
  // part.
  const int last = ranks - 1;
  neighbourhood all;
  for (int r = 0; r < ranks; ++r) {
    all.sources.push_back(r);
    all.destinations.push_back(r);
  }
  ints x(static_cast<std::size_t>(ranks), rank);
  ints y = empty_ints(x.size());
  std::int32_t go = untouched;
  runtime one{env, {.tasks = {.workers = 1}}};
  if (rank == last) {
    one.recv("go", out(go), 1);
    one.task(
        "produce", [](std::int32_t value, ints& to) { std::ranges::fill(to, value); }, in(go),
        out(x));
  }
  one.neighbour_alltoall("halo", in(x), out(y), all);
  if (rank == 1) {
    one.task(
        "use", [](std::int32_t part, std::int32_t& to) { to = part + 42; }, in(y[0]), out(go));
    one.send("go", in(go), last);
  }
  one.wait();
  EXPECT_EQ(y[static_cast<std::size_t>(last)], 42);
}

// Open MPI takes a call whose two addresses are equal for one in place.  A rank that only sends, to
// the next one, gives the same memory twice: nothing of it is received into.
TEST_F(vector_collectives, an_empty_buffer_may_be_where_the_other_one_is) {
  for (const collective_options& way : ways_of(kind::alltoallv)) {
    for (int round = 0; round < 3; ++round) {
      const bool sends = rank % 2 == 0 && rank + 1 < ranks;
      const bool receives = rank % 2 == 1;
      ints x(4, 10 * rank + round);
      std::vector<block> to(static_cast<std::size_t>(ranks));
      std::vector<block> from(static_cast<std::size_t>(ranks));
      if (sends) to[own + 1].count = 4;
      if (receives) from[own - 1].count = 4;
      const std::span<const std::int32_t> sent(x.data(), sends ? 4 : 0);
      const std::span<std::int32_t> received(x.data(), receives ? 4 : 0);
      rt.alltoallv("to the next", in(sent), to, out(received), from, way);
      std::int32_t next = -1;
      const std::int32_t one = 1;
      rt.allreduce("and so on", in(one), out(next), sum{},
                   way.algorithm ? collective_options{} : way);
      rt.wait();
      ASSERT_EQ(x, ints(4, 10 * (receives ? rank - 1 : rank) + round)) << name_of(way);
      ASSERT_EQ(next, ranks) << name_of(way);
    }
  }
}

TEST_F(vector_collectives, blocks_of_both_buffers_may_be_in_the_gaps_of_one_memory) {
  for (const collective_options& way : ways_of(kind::alltoallv)) {
    std::vector<block> to;
    std::vector<block> from;
    for (int r = 0; r < ranks; ++r) {
      to.push_back({1, 2 * static_cast<std::size_t>(r)});
      from.push_back({1, 2 * static_cast<std::size_t>(r) + 1});
    }
    ints both(2 * static_cast<std::size_t>(ranks), untouched);
    for (int r = 0; r < ranks; ++r) both[2 * static_cast<std::size_t>(r)] = 100 * rank + r;
    rt.alltoallv("beside", in(std::as_const(both)), to, out(both), from, way);
    rt.wait();
    for (int r = 0; r < ranks; ++r) {
      ASSERT_EQ(both[2 * static_cast<std::size_t>(r)], 100 * rank + r) << name_of(way);
      ASSERT_EQ(both[2 * static_cast<std::size_t>(r) + 1], 100 * r + rank) << name_of(way);
    }
  }
  for (const collective_options& way : ways_of(kind::allgatherv)) {
    ints both(static_cast<std::size_t>(ranks) + 1, untouched);
    both[0] = rank;
    std::vector<block> blocks;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) blocks.push_back({1, r + 1});
    rt.allgatherv("behind", in(std::as_const(both[0])), out(both), blocks, way);
    rt.wait();
    for (int r = 0; r < ranks; ++r)
      ASSERT_EQ(both[static_cast<std::size_t>(r) + 1], r) << name_of(way);
    ASSERT_EQ(both[0], rank) << name_of(way);
  }
}

TEST_F(vector_collectives, what_does_not_fit_is_refused_in_one_line) {
  const ints x(6);
  ints y(2);
  const std::string last = std::to_string(ranks - 1);
  const std::string all = std::to_string(ranks);
  EXPECT_EQ(refusal([&] {
              rt.neighbour_allgather("halo", in(x), out(y), {{ranks}, {}});
            }),
            "neighbour_allgather 'halo': neighbour " + all + "; ranks are 0 to " + last);
  EXPECT_EQ(refusal([&] {
              rt.neighbour_allgather("halo", in(x), out(y), {{rank}, {rank}});
            }),
            "neighbour_allgather 'halo': the receive buffer has 2 elements and needs 6");
  EXPECT_EQ(refusal([&] {
              rt.neighbour_allgatherv("halo", in(x), out(y), {}, {{rank}, {rank}});
            }),
            "neighbour_allgatherv 'halo': 0 blocks for 1 sources");
  EXPECT_EQ(refusal([&] {
              rt.neighbour_alltoallv("halo", in(x), {}, out(y), std::vector<block>{{1, 0}},
                                     {{rank}, {rank}});
            }),
            "neighbour_alltoallv 'halo': 0 blocks for 1 destinations");
  EXPECT_EQ(refusal([&] { rt.gatherv("all", in(x), out(y), {}, rank); }),
            "gatherv 'all': 0 blocks for " + all + " ranks");
  EXPECT_EQ(refusal([&] { rt.scatterv("all", in(x), {}, out(y), rank); }),
            "scatterv 'all': 0 blocks for " + all + " ranks");
  const std::vector<block> large(static_cast<std::size_t>(ranks), {7, 0});
  EXPECT_EQ(refusal([&] { rt.reduce_scatter("all", in(x), large, out(y)); }),
            "reduce_scatter 'all': send block 0, 7 elements from 0 on, is not in the send buffer "
            "of 6 elements");
  rt.wait();
}

}  // namespace
}  // namespace plait::test
