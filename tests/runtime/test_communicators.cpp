// SPDX-License-Identifier: BSD-3-Clause
// Parts of the ranks: how they are made, and that what is submitted on one never meets what is
// submitted on another.  Their collectives at random: test_random_collectives.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/trace/arrow.hpp>

#include "collective_ways.hpp"
#include "comm/transport_settings.hpp"
#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

struct communicators : ::testing::Test {
  environment& env = test_environment();
  const int rank = env.rank();
  const int ranks = env.size();
  /// This rank's neighbours in a ring of all ranks, as ranks of `all`.
  struct ring {
    int left;
    int right;
  };
  [[nodiscard]] static ring around(const communicator& all) {
    return {(all.rank() + all.size() - 1) % all.size(), (all.rank() + 1) % all.size()};
  }
};

TEST_F(communicators, are_split_by_colour_and_ordered_by_key) {
  const communicator world = env.world();
  EXPECT_EQ(world.size(), ranks);
  EXPECT_EQ(world.rank(), rank);
  const communicator odd_and_even = world.split("parity", rank % 2, -rank);
  EXPECT_EQ(odd_and_even.name(), "parity");
  EXPECT_EQ(odd_and_even.size(), (ranks + 1 - rank % 2) / 2);
  for (int r = 0; r < odd_and_even.size(); ++r) {
    const int largest = (ranks - 1 - rank % 2) / 2 * 2 + rank % 2;
    EXPECT_EQ(odd_and_even.world_rank(r), largest - 2 * r) << r;
  }
  EXPECT_EQ(odd_and_even.world_rank(odd_and_even.rank()), rank);
  const communicator back = odd_and_even.split("ascending", 0, rank);
  EXPECT_EQ(back.rank(), rank / 2);
  EXPECT_EQ(back.world_rank(back.rank()), rank);
}

// Rings and trees of 128 pieces over TCP, more than MPI tags are taken in turn, of 8 elsewhere.
TEST_F(communicators, use_tcp_where_their_ranks_are_on_several_hosts) {
  const communicator world = env.world();
  runtime rt{env, {.tasks = {.workers = 1}}};
  for (const communicator& among :
       {world, world.split("parity", rank % 2), world.split("me", rank)}) {
    const auto host_of = [&](int r) {
      return env.hosts()[static_cast<std::size_t>(among.world_rank(r))];
    };
    bool several = false;
    for (int r = 1; r < among.size(); ++r) several = several || host_of(r) != host_of(0);
    EXPECT_EQ(among.uses_tcp(), several && !detail::has_rdma_card()) << among.name();

    std::vector<double> x(600'000, among.rank() == 0 ? 7 : 0);
    std::vector<double> sums(x.size());
    rt.bcast("bcast", inout(x), 0, {.among = among});
    rt.allreduce("sum", in(x), out(sums), sum{}, {.among = among});
    rt.wait();
    EXPECT_EQ(sums, std::vector<double>(x.size(), 7.0 * among.size())) << among.name();
  }
}

TEST_F(communicators, who_is_no_member_is_told_so_when_it_takes_part) {
  const communicator first =
      env.world().split("first", rank == 0 ? std::optional(0) : std::nullopt);
  EXPECT_EQ(first.size(), rank == 0 ? 1 : 0);
  runtime rt{env, {.tasks = {.workers = 1}}};
  double x = rank;
  if (rank == 0) {
    rt.allreduce("own", inout(x), sum{}, {.among = first});
    rt.wait();
    EXPECT_EQ(x, 0);
    return;
  }
  EXPECT_EQ(refusal([&] { rt.bcast("news", inout(x), 0, {.among = first}); }),
            "bcast 'news': this rank is no member of 'first'");
  EXPECT_EQ(refusal([&] { rt.alltoall("parts", inout(x), {.among = first}); }),
            "alltoall 'parts': this rank is no member of 'first'");
  EXPECT_EQ(refusal([&] { rt.send("news", in(x), 0, 0, first); }),
            "send 'news': this rank is no member of 'first'");
}

TEST_F(communicators, a_negative_colour_on_one_rank_is_refused_on_all) {
  const std::string text = refusal([&] { (void)env.world().split("wrong", -rank); });
  if (ranks == 1) return;
  EXPECT_EQ(text,
            "communicator 'wrong': a rank gives a negative colour; colours are 0 or more, and "
            "std::nullopt for a rank that shall be in none");
}

TEST_F(communicators, ranks_of_calls_are_theirs) {
  const communicator back = env.world().split("back", 0, -rank);
  runtime rt{env, {.tasks = {.workers = 1}}};
  EXPECT_EQ(refusal([&] { rt.recv("ghost", out(std::vector<int>(1)[0]), ranks, 0, back); }),
            "receive 'ghost' from rank " + std::to_string(ranks) + " of 'back'; ranks are 0 to " +
                std::to_string(ranks - 1));
  int news = rank;
  rt.bcast("news", inout(news), 0, {.among = back});
  int from_last = -1;
  if (rank == ranks - 1) {
    for (int r = 0; r < ranks; ++r) rt.send("own", in(rank), r, 5, back);
  }
  rt.recv("own", out(from_last), 0, 5, back);
  rt.wait();
  EXPECT_EQ(news, ranks - 1);
  EXPECT_EQ(from_last, ranks - 1);
}

// All go round the same ring with the same tag: where the communicators were not kept apart, values
// of one would come on another.  They are submitted in another order on every rank.
TEST_F(communicators, messages_of_one_tag_match_on_their_own_communicator) {
  std::vector<communicator> all{env.world()};
  for (int i = 1; i < 4; ++i) {
    all.push_back(env.world().split("copy " + std::to_string(i), 0));
  }
  constexpr int rounds = 100;  // more than there are residues
  runtime rt{env,
             {.engine = {.disturb = {.seed = 3, .probability = 0.1, .longest_delay_s = 1e-3}},
              .tasks = {.workers = 2}}};
  std::vector<std::vector<int>> sent(all.size(), std::vector<int>(rounds));
  std::vector<std::vector<int>> came = sent;
  std::vector<int> next(all.size(), 0);
  std::mt19937 random(static_cast<unsigned>(rank));
  for (std::size_t left = all.size() * rounds; left > 0;) {
    const std::size_t c = random() % all.size();
    const auto k = static_cast<std::size_t>(next[c]);
    if (k == rounds) continue;
    const auto [from, to] = around(all[c]);
    rt.task(
        "produce", [](int& value, int of) { value = of; }, out(sent[c][k]),
        1'000'000 * static_cast<int>(c) + 1000 * rank + static_cast<int>(k));
    rt.recv("ring", out(came[c][k]), from, 7, all[c]);
    rt.send("ring", in(sent[c][k]), to, 7, all[c]);
    ++next[c];
    --left;
  }
  rt.wait();
  for (std::size_t c = 0; c < all.size(); ++c) {
    for (std::size_t k = 0; k < rounds; ++k) {
      ASSERT_EQ(came[c][k], 1'000'000 * static_cast<int>(c) + 1000 * around(env.world()).left +
                                static_cast<int>(k))
          << "communicator " << c << ", message " << k;
    }
  }
}

// Ranks submit what they have on different communicators in different orders, which a single order
// of matching could not bear.
TEST_F(communicators, collectives_on_different_ones_may_be_submitted_in_different_orders) {
  for (const collective::back_end back_end :
       {collective::back_end::schedules, collective::back_end::library}) {
    const communicator one = env.world().split("one", 0);
    const communicator other = env.world().split("other", 0);
    runtime rt{env, {.tasks = {.workers = 1}}};
    std::vector<int> x(10, rank + 1);
    std::vector<int> y(10, 10 * (rank + 1));
    for (int i = 0; i < 20; ++i) {
      const auto on_one = [&] {
        rt.allreduce("one", inout(x), maximum{}, {.among = one, .back_end = back_end});
      };
      const auto on_other = [&] {
        rt.allreduce("other", inout(y), maximum{}, {.among = other, .back_end = back_end});
      };
      if (rank % 2 == 0) {
        on_one();
        on_other();
      } else {
        on_other();
        on_one();
      }
    }
    rt.wait();
    EXPECT_EQ(x, std::vector<int>(10, ranks));
    EXPECT_EQ(y, std::vector<int>(10, 10 * ranks));
  }
}

TEST_F(communicators, are_recorded_and_replayed_beside_what_is_submitted) {
  const communicator parity = env.world().split("parity", rank % 2);
  runtime rt{env,
             {.engine = {.persistent_requests = persistence::always}, .tasks = {.workers = 2}}};
  std::vector<int> largest{rank};
  std::vector<int> here{0};
  int ghost = 0;
  const auto [left, right] = around(parity);
  constexpr int iterations = 70;
  const auto step = [&] {
    rt.allreduce("largest", inout(largest), maximum{}, {.among = parity});
    rt.send("edge", in(largest), right, 1, parity);
    rt.recv("edge", out(ghost), left, 1, parity);
    rt.task(
        "next", [](int came, std::vector<int>& to) { to[0] = came + 1; }, in(ghost),
        inout(largest));
    rt.allreduce("of all", in(largest), out(here), maximum{});
  };
  if (rank % 3 == 0) {  // others may submit what a rank replays
    graph recorded = rt.record(step);
    for (int i = 0; i < 2; ++i) rt.replay(recorded, iterations / 2);
    rt.wait();
  } else {
    for (int i = 0; i < iterations; ++i) step();
    rt.wait();
  }
  const int top = (ranks - 1 - rank % 2) / 2 * 2 + rank % 2;
  EXPECT_EQ(largest[0], top + iterations);
  EXPECT_EQ(here[0], ranks - 1 + iterations);
}

TEST_F(communicators, are_one_runtimes_at_a_time) {
  const communicator copy = env.world().split("copy", 0);
  const auto [left, right] = around(copy);
  int x = rank;
  int ghost = -1;
  const auto shift = [&](runtime& rt) {
    rt.send("edge", in(x), right, 0, copy);
    rt.recv("edge", out(ghost), left, 0, copy);
    rt.wait();
    EXPECT_EQ(ghost, left);
  };
  {
    runtime first{env, {.tasks = {.workers = 1}}};
    shift(first);
    runtime second{env, {.tasks = {.workers = 1}}};
    EXPECT_EQ(
        refusal([&] { second.send("edge", in(x), right, 0, copy); }),
        "send 'edge': 'copy' is another runtime's as long as that lives; split again for this one");
    // Refused before anything of it is submitted: tasks would write what the refusal has freed.
    std::vector<int> blocks(static_cast<std::size_t>(100 * copy.size()), rank);
    EXPECT_EQ(refusal([&] { second.alltoall("blocks", inout(blocks), {.among = copy}); }),
              "alltoall 'blocks': 'copy' is another runtime's as long as that lives; split again "
              "for this one");
    second.wait();
    EXPECT_EQ(blocks, std::vector<int>(blocks.size(), rank));
  }
  runtime third{env, {.tasks = {.workers = 1}}};
  shift(third);
}

TEST_F(communicators, of_the_program_are_adopted) {
  MPI_Comm back = MPI_COMM_NULL;
  MPI_Comm_split(native(env), 0, -rank, &back);
  const communicator ours = adopt(env, back, "back");
  MPI_Comm_free(&back);
  ASSERT_EQ(ours.rank(), ranks - 1 - rank);
  EXPECT_EQ(ours.world_rank(0), ranks - 1);
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<int> all(static_cast<std::size_t>(ranks), 0);
  all[static_cast<std::size_t>(ours.rank())] = rank;
  rt.allgather("all", inout(all), {.among = ours});
  rt.wait();
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], ranks - 1 - r);
}

TEST_F(communicators, traces_keep_their_messages_apart) {
  const communicator back = env.world().split("back", 0, -rank);
  runtime rt{env, {.tasks = {.workers = 1}}};
  rt.start_trace();
  int x = rank;
  int here = -1;
  int there = -1;
  const auto in_world = around(env.world());
  const auto in_back = around(back);
  rt.send("world", in(x), in_world.right);
  rt.recv("world", out(here), in_world.left);
  rt.send("back", in(x), in_back.right, 0, back);
  rt.recv("back", out(there), in_back.left, 0, back);
  rt.wait();
  const auto events = collect_events(env, rt.stop_trace());
  if (rank != 0) return;
  std::ptrdiff_t met = 0;
  for (const trace_arrow& arrow : find_arrows(events)) {
    if (arrow.kind != arrow_kind::message) continue;
    ++met;
    const trace_event& from = events[arrow.from];
    const trace_event& to = events[arrow.to];
    EXPECT_EQ(from.name, to.name);
    const int step = from.name == "world" ? 1 : ranks - 1;
    EXPECT_EQ(to.rank, (from.rank + step) % ranks) << from.name;
    EXPECT_EQ(from.lane, from.name == "world" ? "messages" : "messages of back");
  }
  EXPECT_EQ(met, 2 * ranks);
}

TEST_F(communicators, are_named_when_nothing_moves) {
  if (ranks < 2) return;
  const communicator back = env.world().split("back", 0, -rank);
  std::vector<std::string> reports;
  int ghost = 0;
  {
    runtime rt{env,
               {.tasks = {.workers = 1, .stall_report_s = 0.1},
                .stall_sink = [&](const std::string& text) {
                  reports.push_back(text);
                  if (reports.size() > 1) return;
                  mpi_token_guard guard(env.token());
                  MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, native(env));
                }}};
    const int go = 4;
    if (rank == 0) rt.recv("ghost", out(ghost), ranks - 2, 3, back);
    if (rank == 1) {
      rt.send("unasked", in(go), ranks - 1, 2, back);
      rt.wait();
      {
        mpi_token_guard guard(env.token());
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, native(env), MPI_STATUS_IGNORE);
      }
      rt.send("ghost", in(go), ranks - 1, 3, back);
    }
    rt.wait();
    int unasked = 0;
    if (rank == 0) rt.recv("unasked", out(unasked), ranks - 2, 2, back);
    rt.wait();
  }
  if (rank == 0) {
    EXPECT_EQ(ghost, 4);
    ASSERT_FALSE(reports.empty());
    const std::string peer = "from rank " + std::to_string(ranks - 2) + " of 'back'";
    for (const std::string& part :
         {"receive 'ghost' " + peer + ", tag 3, place 1, 4 bytes: started ",
          "an unexpected message of 4 bytes " + peer + " with tag 2 (place 1) is here"}) {
      EXPECT_NE(reports[0].find(part), std::string::npos) << reports[0];
    }
  }
  env.barrier();
}

TEST_F(communicators, in_use_when_a_task_failed_are_not_used_again) {
  const communicator copy = env.world().split("copy", 0);
  int x = rank;
  {
    runtime rt{env, {.tasks = {.workers = 1}}};
    rt.send("edge", in(x), rank, 0, copy);
    rt.wait_on(x);
    rt.task("fails", [] { throw std::runtime_error("on purpose"); });
    EXPECT_THROW(rt.wait(), std::runtime_error);
  }
  env.barrier();
  runtime rt{env, {.tasks = {.workers = 1}}};
  EXPECT_THROW(rt.send("edge", in(x), rank, 0, copy), error);
}

}  // namespace
}  // namespace plait::test
