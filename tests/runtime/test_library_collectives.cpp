// SPDX-License-Identifier: BSD-3-Clause
// What is peculiar to collectives of the MPI library's own as tasks.  That their results are right
// is in test_collectives and test_vector_collectives.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/trace/critical_path.hpp>

#include "collective_ways.hpp"
#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using ints = std::vector<std::int32_t>;

struct library_collectives : ::testing::Test {
  environment& env = test_environment();
  const int rank = env.rank();
  const int ranks = env.size();
  const int last = ranks - 1;
  const std::size_t ranks_u = static_cast<std::size_t>(ranks);
  const collective_options library = by_library();
};

/// 24 bytes, of which MPI knows nothing.
struct extreme {
  double value = 0;
  std::int64_t where = 0;
  std::array<char, 3> tag{};
  friend bool operator==(const extreme&, const extreme&) = default;
};

/// An operation with a state of its own.
struct nearest_to {
  double target;
  extreme operator()(const extreme& a, const extreme& b) const {
    return std::abs(a.value - target) <= std::abs(b.value - target) ? a : b;
  }
};

TEST_F(library_collectives, operations_of_the_program_have_their_state) {
  runtime rt{env, {.tasks = {.workers = 2}}};
  const std::vector<extreme> x{{1.0 + rank, rank, {'x', 'y', static_cast<char>('a' + rank)}}};
  std::vector<std::vector<extreme>> nearest(ranks_u, std::vector<extreme>(1));
  for (int target = 0; target < ranks; ++target) {  // all in flight together
    rt.allreduce("nearest", in(x), out(nearest[static_cast<std::size_t>(target)]),
                 nearest_to{1.0 + target}, library);
  }
  rt.wait();
  for (int target = 0; target < ranks; ++target) {
    const extreme expected{1.0 + target, target, {'x', 'y', static_cast<char>('a' + target)}};
    EXPECT_EQ(nearest[static_cast<std::size_t>(target)][0], expected) << target;
  }
}

TEST_F(library_collectives, what_an_operation_throws_is_thrown_by_wait) {
  runtime rt{env, {.tasks = {.workers = 1}}};
  const ints x{rank};
  ints y{0};
  const auto refuses = [](std::int32_t a, std::int32_t b) -> std::int32_t {
    if (a >= 0 && b >= 0) throw std::runtime_error("cannot be combined");
    return a;
  };
  rt.allreduce("fails", in(x), out(y), refuses, library);
  bool thrown = false;
  try {
    rt.wait();
  } catch (const std::runtime_error& e) {
    thrown = std::string(e.what()) == "cannot be combined";
  }
  // Who combines depends on the library's algorithm; somebody does, and nobody hangs.
  const int mine = thrown ? 1 : 0;
  int any = 0;
  {
    mpi_token_guard guard(env.token());
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, native(env));
  }
  EXPECT_EQ(any, ranks > 1 ? 1 : 0);
}

// Large enough for MPICH to combine in the blocks of others.
TEST_F(library_collectives, in_place_leave_the_blocks_of_others_as_they_are) {
  runtime rt{env, {.tasks = {.workers = 1}}};
  const std::size_t count = (std::size_t{1} << 18) / ranks_u;
  const auto given = [&](int of, std::size_t i) {
    return of + static_cast<std::int32_t>(i % 1000);
  };
  ints equal(ranks_u * count);
  for (std::size_t i = 0; i < equal.size(); ++i) equal[i] = given(rank, i);
  ints unequal = equal;
  rt.reduce_scatter_block("equal", inout(equal), sum{}, library);
  rt.reduce_scatter("unequal", inout(unequal),
                    collective::packed(std::vector<std::size_t>(ranks_u, count)), sum{}, library);
  rt.wait();
  for (const ints& x : {equal, unequal}) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::int32_t expected = given(rank, i);
      if (i < count) {
        expected = 0;
        for (int of = 0; of < ranks; ++of)
          expected += given(of, static_cast<std::size_t>(rank) * count + i);
      }
      ASSERT_EQ(x[i], expected) << "rank " << rank << ", element " << i;
    }
  }
}

TEST_F(library_collectives, sums_in_place) {
  runtime rt{env, {.tasks = {.workers = 2}}};
  std::vector<double> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) + rank;
  rt.allreduce("total", inout(x), sum{}, library);
  rt.wait();
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(x[i], static_cast<double>(i) * ranks + ranks * (ranks - 1) / 2.0) << i;
  }
}

TEST_F(library_collectives, gaps_between_blocks_are_other_tasks_to_use) {
  if (ranks < 2) return;
  // The last rank has nothing to give before rank 0 has used a gap: nothing would move if that
  // waited for the collective.
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<block> blocks;
  for (std::size_t r = 0; r < ranks_u; ++r) blocks.push_back({2, 3 * r});
  ints x(2, rank + 1);
  ints all(3 * ranks_u, -1);
  if (rank == last) rt.recv("go", out(x[0]), 0);
  rt.allgatherv("all", in(x), out(all), blocks, library);
  if (rank == 0) {
    rt.task(
        "mark", [](std::int32_t& gap) { gap = 77; }, inout(all[2]));
    rt.send("go", in(all[2]), last);
  }
  rt.wait();
  for (std::size_t r = 0; r < ranks_u; ++r) {
    const auto own = static_cast<std::int32_t>(r) + 1;
    EXPECT_EQ(all[3 * r], own == ranks ? 77 : own);
    EXPECT_EQ(all[3 * r + 1], own);
    EXPECT_EQ(all[3 * r + 2], rank == 0 && r == 0 ? 77 : -1);
  }
}

TEST_F(library_collectives, one_that_is_ready_waits_for_those_before_it_to_be_called) {
  if (ranks < 2) return;
  // On rank 0 the first becomes ready last: by a message that the last rank sends after nothing
  // but its own calls.
  runtime rt{env, {.tasks = {.workers = 1}}};
  ints x{10 * rank};
  ints first{0};
  ints second{0};
  const ints one{1};
  if (rank == 0) rt.recv("go", out(x), last);
  rt.allreduce("first", in(x), out(first), sum{}, library);
  rt.allreduce("second", in(one), out(second), sum{}, library);
  if (rank == last) {
    const ints go{5};
    rt.send("go", in(go), 0);
    rt.wait();
  }
  rt.wait();
  std::int32_t expected = 5;
  for (int r = 1; r < ranks; ++r) expected += 10 * r;
  EXPECT_EQ(first[0], expected);
  EXPECT_EQ(second[0], ranks);
}

TEST_F(library_collectives, replays_mix_with_calls_that_are_not_recorded) {
  runtime rt{env, {.tasks = {.workers = 2}}};
  ints x{rank};
  ints y{0};
  ints blocks(ranks_u, rank);
  ints others(ranks_u, -1);
  constexpr int iterations = 30;
  graph step = rt.record([&] {
    rt.allreduce("largest", in(x), out(y), maximum{}, library);
    rt.alltoall("exchange", in(blocks), out(others), library);
    rt.bcast("news", inout(blocks), 0);
    rt.task(
        "next",
        [](const ints& all, const ints& parts, ints& to, ints& mine) {
          to[0] = all[0] + 1;
          std::ranges::copy(parts, mine.begin());
        },
        in(y, others), inout(x, blocks));
  });
  for (int round = 0; round < 3; ++round) {
    rt.allreduce("between", inout(x), maximum{}, library);
    rt.replay(step, iterations);
  }
  rt.wait();
  EXPECT_EQ(x[0], ranks - 1 + 3 * iterations);
}

TEST_F(library_collectives, what_feeds_one_goes_first_in_a_replay) {
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::array<int, 8> inner{};
  int rim = 0;
  int total = 0;
  int begin = 0;
  std::vector<int> order;
  const auto note = [](const int&, int& value, std::vector<int>* to, int task) {
    ++value;
    to->push_back(task);
  };
  graph step = rt.record([&] {
    for (int i = 0; i < 8; ++i) {
      rt.task("inner", note, in(begin), inout(inner[static_cast<std::size_t>(i)]), &order, i);
    }
    rt.task("rim", note, in(begin), inout(rim), &order, 8);
    rt.allreduce("total", in(rim), out(total), sum{}, library);
    rt.task("end", note, in(total), inout(begin), &order, 9);
  });
  constexpr std::size_t iterations = 20;
  rt.replay(step, iterations).wait();
  ASSERT_EQ(order.size(), 10 * iterations);
  for (std::size_t i = 8; i < iterations; ++i) EXPECT_EQ(order[10 * i], 8) << "iteration " << i;
}

TEST_F(library_collectives, a_rank_may_replay_what_the_others_submit) {
  runtime rt{env, {.tasks = {.workers = 2}}};
  ints x{rank};
  constexpr int iterations = 20;
  const auto step = [&] {
    rt.allreduce("largest", inout(x), maximum{}, library);
    rt.task(
        "next", [](ints& to) { ++to[0]; }, inout(x));
  };
  if (rank == 0) {
    graph recorded = rt.record(step);
    rt.replay(recorded, iterations).wait();
  } else {
    for (int i = 0; i < iterations; ++i) step();
    rt.wait();
  }
  EXPECT_EQ(x[0], last + iterations);
}

TEST_F(library_collectives, a_trace_has_them_among_the_messages_without_another_side) {
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<double> x(100, rank);
  double largest = 0;
  rt.start_trace();
  rt.allreduce("total", inout(x), sum{}, library);
  rt.task(
      "use", [](const std::vector<double>& all, double& to) { to = all[0]; }, in(x), out(largest));
  rt.wait();
  std::vector<trace_event> events = collect_events(env, rt.stop_trace());
  if (rank != 0) return;
  const auto found = std::ranges::find(events, "total", &trace_event::name);
  ASSERT_NE(found, events.end());
  EXPECT_EQ(found->kind, event_kind::message);
  EXPECT_FALSE(found->message.has_value());
  EXPECT_EQ(std::ranges::count(events, "total", &trace_event::name), ranks);
  EXPECT_FALSE(critical_path(events).empty());
}

TEST_F(library_collectives, one_that_does_not_come_is_named_when_nothing_moves) {
  if (ranks < 2) return;
  std::vector<std::string> reports;
  std::atomic<bool> reported{false};
  runtime rt{
      env,
      {.tasks = {.workers = 1, .stall_report_s = 0.1}, .stall_sink = [&](const std::string& text) {
         reports.push_back(text);
         if (!reported.exchange(true)) {
           for (int r = 1; r < ranks; ++r) {
             mpi_token_guard guard(env.token());
             MPI_Send(nullptr, 0, MPI_BYTE, r, 0, native(env));
           }
         }
       }}};
  ints x{rank};
  ints y{0};
  if (rank != 0) {
    mpi_token_guard guard(env.token());
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, native(env), MPI_STATUS_IGNORE);
  }
  rt.allreduce("total", in(x), out(y), sum{}, library);
  rt.bcast("answer", inout(y), 0, library);
  rt.wait();
  EXPECT_EQ(y[0], ranks * (ranks - 1) / 2);
  if (rank == 0) {
    ASSERT_FALSE(reports.empty());
    const std::string& text = reports[0];
    EXPECT_NE(text.find("allreduce 'total' of the MPI library, place 1, 4 bytes: started "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("bcast 'answer' of the MPI library, place 2, 4 bytes: not started, waits "
                        "for allreduce 'total' of the MPI library"),
              std::string::npos)
        << text;
  }
  env.barrier();
}

TEST_F(library_collectives, what_the_library_cannot_do_is_refused_in_one_line) {
  runtime rt{env, {.tasks = {.workers = 1}}};
  const ints x(2 * ranks_u);
  ints y(2 * ranks_u);
  EXPECT_EQ(refusal([&] {
              rt.neighbour_alltoall("halo", in(x), out(y), {{rank}, {rank}}, library);
            }),
            "neighbour_alltoall 'halo': the MPI library has neighbourhoods only in communicators "
            "that all ranks make "
            "together, which would block; leave back_end at collective::back_end::schedules");
  collective_options both = library;
  both.algorithm = collective::algorithm::binomial;
  EXPECT_EQ(refusal([&] { rt.allreduce("total", in(x), out(y), sum{}, both); }),
            "allreduce 'total': the MPI library chooses its algorithms; name one, or "
            "collective::back_end::library, not both");
  ints small(1);
  EXPECT_EQ(
      refusal([&] { rt.allgather("all", in(x), out(small), library); }),
      "allgather 'all': the receive buffer has 1 element and needs " +
          std::to_string(2 * ranks * ranks) +
          (ranks == 1 ? ""
                      : ", " + std::to_string(ranks) + " parts of " + std::to_string(2 * ranks)));
  // Never touched: refused before anybody reads it.
  const std::span<const std::byte> large(reinterpret_cast<const std::byte*>(x.data()),
                                         std::size_t{1} << 31);
  const std::span<std::byte> result(
      reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(x.data()) ^
                                   (std::uintptr_t{1} << 40)),
      std::size_t{1} << 31);
  EXPECT_EQ(refusal([&] {
              rt.allreduce(
                  "bytes", in(large), out(result), [](std::byte a, std::byte b) { return a | b; },
                  library);
            }),
            "allreduce 'bytes': a buffer of 2147483648 bytes is more than the MPI library counts "
            "(2147483647); leave back_end at collective::back_end::schedules");
  rt.wait();
}

}  // namespace
}  // namespace plait::test
