// SPDX-License-Identifier: BSD-3-Clause
// disagreeing_program OPERATION COUNT OTHER schedules|library: rank 1 has OTHER elements where the
// other ranks have COUNT.  Ends with an error that says so; the others wait for what cannot come.
// disagreeing_program allreduce 1 2 late|replayed: after a hundred calls alike rank 1 has two
// floats where the other ranks have one double.  The call's own messages meet, so only comparing
// tells.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <plait/plait.hpp>

using plait::block;
using plait::in;
using plait::out;

namespace {

void disagree_late(plait::environment& env, plait::runtime& rt, bool replayed) {
  constexpr int times = 400;  // about one call in 16 is compared
  const std::vector<double> one(1, 1.0);
  std::vector<double> sum(1);
  const std::vector<float> two(2, 1.0F);
  std::vector<float> sums(2);
  for (int i = 0; i < 100; ++i) rt.allreduce("alike", in(one), out(sum), plait::sum{});
  rt.wait();
  const auto unlike = [&] {
    if (env.rank() == 1) {
      rt.allreduce("unlike", in(two), out(sums), plait::sum{});
    } else {
      rt.allreduce("unlike", in(one), out(sum), plait::sum{});
    }
  };
  if (replayed && env.rank() == 1) {  // the others submit what this rank replays
    plait::graph recorded = rt.record(unlike);
    rt.replay(recorded, times).wait();
  } else {
    for (int i = 0; i < times; ++i) unlike();
    rt.wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.tasks = {.workers = 1}}};
  if (argc != 5) return 2;
  const std::string what = argv[1];
  const std::string way = argv[4];
  if (way == "late" || way == "replayed") {
    disagree_late(env, rt, way == "replayed");
    for (;;) env.barrier();
  }
  const auto usual = static_cast<std::size_t>(std::atol(argv[2]));
  const auto other = static_cast<std::size_t>(std::atol(argv[3]));
  const std::size_t count = env.rank() == 1 ? other : usual;
  const auto ranks = static_cast<std::size_t>(env.size());
  const plait::collective_options options{.back_end = way == "library"
                                                          ? plait::collective::back_end::library
                                                          : plait::collective::back_end::schedules};
  // The others' sizes are right; of its own rank 1 thinks otherwise.
  const auto blocks = plait::collective::packed(std::vector<std::size_t>(ranks, count));
  const plait::neighbourhood ring{{(env.rank() + env.size() - 1) % env.size()},
                                  {(env.rank() + 1) % env.size()}};
  std::vector<double> x(count, 1.0);
  std::vector<double> y(count);
  std::vector<double> parts(ranks * count, 1.0);
  std::vector<double> results(ranks * count);
  const std::vector<double> sent(ranks * (usual + other), 1.0);
  const auto is_root = env.rank() == 0;
  const auto own = blocks[static_cast<std::size_t>(env.rank())];
  const std::vector<block> alone{{count, 0}};

  if (what == "bcast") rt.bcast("unlike", plait::inout(x), 0, options);
  if (what == "reduce") rt.reduce("unlike", in(x), out(y), 0, plait::sum{}, options);
  if (what == "allreduce") rt.allreduce("unlike", in(x), out(y), plait::sum{}, options);
  if (what == "scan") rt.scan("unlike", in(x), out(y), plait::sum{}, options);
  if (what == "exscan") rt.exscan("unlike", in(x), out(y), plait::sum{}, options);
  if (what == "gather") rt.gather("unlike", in(x), out(results), 0, options);
  if (what == "scatter") rt.scatter("unlike", in(parts), out(y), 0, options);
  if (what == "allgather") rt.allgather("unlike", in(x), out(results), options);
  if (what == "alltoall") rt.alltoall("unlike", in(parts), out(results), options);
  if (what == "gatherv")
    rt.gatherv("unlike", in(x), out(results), is_root ? blocks : std::vector<block>{}, 0, options);
  if (what == "scatterv")
    rt.scatterv("unlike", in(parts), is_root ? blocks : std::vector<block>{}, out(y), 0, options);
  if (what == "allgatherv") rt.allgatherv("unlike", in(x), out(results), blocks, options);
  if (what == "alltoallv") {
    std::vector<block> to = blocks;
    for (block& b : to) b.count = usual;  // what it sends is right
    to[static_cast<std::size_t>(env.rank())] = own;
    rt.alltoallv("unlike", in(sent), to, out(results), blocks, options);
  }
  if (what == "reduce_scatter")
    rt.reduce_scatter("unlike", in(parts), blocks, out(y), plait::sum{}, options);
  if (what == "reduce_scatter_block")
    rt.reduce_scatter_block("unlike", in(parts), out(y), plait::sum{}, options);
  if (what == "neighbour_allgather") rt.neighbour_allgather("unlike", in(x), out(y), ring, options);
  if (what == "neighbour_allgatherv")
    rt.neighbour_allgatherv("unlike", in(x), out(y), alone, ring, options);
  if (what == "neighbour_alltoall") rt.neighbour_alltoall("unlike", in(x), out(y), ring, options);
  if (what == "neighbour_alltoallv")
    rt.neighbour_alltoallv("unlike", in(x), alone, out(y), alone, ring, options);
  rt.wait();
  // A rank whose part was right waits for the end of the job, not to end it before its time.
  for (;;) env.barrier();
}
