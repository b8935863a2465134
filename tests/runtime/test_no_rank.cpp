// SPDX-License-Identifier: BSD-3-Clause
// Peers that are nobody, where a grid ends, and the words of a broadcast.
#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

class line_of_ranks : public ::testing::TestWithParam<int> {  // who stands for nobody
 protected:
  environment& env = test_environment();
  const int rank = env.rank();
  const int left = rank > 0 ? rank - 1 : GetParam();
  const int right = rank + 1 < env.size() ? rank + 1 : GetParam();
};
INSTANTIATE_TEST_SUITE_P(nobody, line_of_ranks, ::testing::Values(no_rank, MPI_PROC_NULL),
                         [](const auto& one) {
                           return one.param == no_rank ? "no_rank" : "MPI_PROC_NULL";
                         });

TEST_P(line_of_ranks, messages_over_the_end_are_none_and_the_others_meet) {
  runtime rt{env, {.tasks = {.workers = 2}}};
  constexpr int rounds = 20;
  for (const int workers_wait : {0, 1}) {
    std::array<std::vector<int>, rounds> from_left;
    std::array<std::vector<int>, rounds> from_right;
    std::array<std::vector<int>, rounds> mine;
    for (int i = 0; i < rounds; ++i) {
      from_left[i].assign(3, -1);
      from_right[i].assign(3, -1);
      mine[i].assign(3, 1000 * rank + i);
      rt.recv("from left", out(from_left[i]), left);
      rt.send("to right", in(mine[i]), right);
      rt.send("to left", in(mine[i]), left);
      rt.recv("from right", out(from_right[i]), right);
      if (workers_wait == 1) rt.wait();
    }
    rt.wait();
    for (int i = 0; i < rounds; ++i) {
      EXPECT_EQ(from_left[i], std::vector<int>(3, rank > 0 ? 1000 * (rank - 1) + i : -1));
      EXPECT_EQ(from_right[i],
                std::vector<int>(3, rank + 1 < env.size() ? 1000 * (rank + 1) + i : -1));
    }
  }
}

// A sum handed along the line, again and again; the first rank receives from nobody.
TEST_P(line_of_ranks, a_recorded_chain_ends_where_the_line_does) {
  runtime rt{env};
  long sum = 0;
  long came = 0;
  graph round = rt.record([&] {
    rt.recv("sum", out(came), left);
    rt.task(
        "add", [](long from_left, long& to) { to += from_left + 1; }, in(came), inout(sum));
    rt.send("sum", in(sum), right);
  });
  EXPECT_EQ(round.messages(), std::size_t{rank > 0 ? 1U : 0U} + (rank + 1 < env.size() ? 1U : 0U));
  constexpr int rounds = 12;
  rt.replay(round, rounds).wait();
  // After n rounds rank r has the sum over the rounds of what rank r - 1 had then, and n.
  std::vector<long> expected(rounds, 0);
  for (int r = 0; r <= rank; ++r) {
    long own = 0;
    for (long& one : expected) one = own += one + 1;
  }
  EXPECT_EQ(sum, expected.back());
}

TEST_P(line_of_ranks, operations_on_nobodys_part_of_a_window_are_none) {
  runtime rt{env};
  std::vector<int> own(4, -1);
  auto w = rt.window(own);
  const int mine = rank;
  int got = -2;
  int seen = -2;
  rt.put_signal("put", w, right, 0, in(mine));
  rt.await_signal("come", w, left, out(own));
  rt.put("put", w, left, 3, in(mine));
  rt.get("get", w, GetParam(), 1, out(got));
  rt.signal("read", w, GetParam(), inout(own), 1);
  rt.await_signal("read", w, GetParam(), out(own), 1);
  rt.task(
      "see", [](const std::vector<int>& all, int& to) { to = all[0]; }, in(own), out(seen));
  rt.wait();
  env.barrier();
  EXPECT_EQ(seen, rank > 0 ? rank - 1 : -1);
  EXPECT_EQ(own[3], rank + 1 < env.size() ? rank + 1 : -1);
  EXPECT_EQ(got, -2);
  env.barrier();
}

TEST_P(line_of_ranks, neighbourhoods_have_ends_as_those_of_mpi_have) {
  runtime rt{env};
  MPI_Comm line = MPI_COMM_NULL;
  const std::array<int, 1> size{env.size()};
  const std::array<int, 1> periodic{0};
  const auto alone = [&](const auto& call) {  // nobody else calls MPI meanwhile
    mpi_token_guard guard(env.token());
    return call();
  };
  alone([&] { return MPI_Cart_create(native(env), 1, size.data(), periodic.data(), 0, &line); });
  const neighbourhood around{{left, right}, {left, right}};
  const std::vector<int> x{10 * rank, 10 * rank + 1};
  std::vector<int> y(2, -1);
  std::vector<int> expected(2, -1);

  rt.neighbour_alltoall("each its own", in(x), out(y), around);
  rt.wait();
  alone([&] {
    return MPI_Neighbor_alltoall(x.data(), 1, MPI_INT, expected.data(), 1, MPI_INT, line);
  });
  EXPECT_EQ(y, expected);

  std::vector<int> all(4, -1);
  std::vector<int> expected_all(4, -1);
  graph once = rt.record([&] { rt.neighbour_allgather("the same", in(x), out(all), around); });
  rt.replay(once, 3).wait();
  alone([&] {
    return MPI_Neighbor_allgather(x.data(), 2, MPI_INT, expected_all.data(), 2, MPI_INT, line);
  });
  EXPECT_EQ(all, expected_all);

  const std::vector<block> blocks{{1, 1}, {1, 0}};  // the other way round
  std::vector<int> z(2, -1);
  rt.neighbour_alltoallv("blocks", in(x), blocks, out(z), {{1, 0}, {1, 1}}, around);
  rt.wait();
  EXPECT_EQ(z[0], rank > 0 ? 10 * (rank - 1) : -1);
  EXPECT_EQ(z[1], rank + 1 < env.size() ? 10 * (rank + 1) + 1 : -1);
  alone([&] { return MPI_Comm_free(&line); });
}

TEST(no_rank_test, a_task_may_not_even_send_to_nobody) {
  runtime rt{test_environment()};
  std::string said;
  const int x = 0;
  rt.task("sends", [&] { said = refusal([&] { rt.send("edge", in(x), no_rank); }); });
  rt.wait();
  EXPECT_EQ(said.substr(0, 45), "send 'edge': a task submits no messages, whos");
}

TEST(no_rank_test, other_numbers_that_are_no_rank_are_refused) {
  runtime rt{test_environment()};
  const int x = 0;
  for (const int peer : {MPI_ANY_SOURCE, test_environment().size(), -100}) {
    EXPECT_NE(refusal([&] { rt.send("edge", in(x), peer); }), "accepted") << peer;
  }
}

class bcast_words : public ::testing::TestWithParam<collective::back_end> {};
INSTANTIATE_TEST_SUITE_P(both, bcast_words,
                         ::testing::Values(collective::back_end::schedules,
                                           collective::back_end::library),
                         [](const auto& one) {
                           return one.param == collective::back_end::library ? "library"
                                                                             : "schedules";
                         });

TEST_P(bcast_words, the_root_reads_and_the_others_write) {
  environment& env = test_environment();
  runtime rt{env};
  const collective_options options{.back_end = GetParam()};
  for (int root = 0; root < env.size(); ++root) {
    const std::vector<int> given(20'000, 7 + root);
    std::vector<int> taken(given.size(), -1);
    std::vector<int> one_line(given.size(), env.rank() == root ? 7 + root : -1);
    const auto submit = [&] {
      if (env.rank() == root) {
        rt.bcast("news", in(given), root, options);
      } else {
        rt.bcast("news", out(taken), root, options);
      }
      rt.bcast("one line", inout(one_line), root, options);
    };
    submit();
    rt.wait();
    if (env.rank() != root) {
      EXPECT_EQ(taken, given);
    }
    EXPECT_EQ(one_line, given);
    std::ranges::fill(taken, -1);
    graph again = rt.record(submit);
    rt.replay(again, 3).wait();
    if (env.rank() != root) {
      EXPECT_EQ(taken, given);
    }
  }
}

// What reads on the root goes side by side with the broadcast: none waits for the other.
TEST_P(bcast_words, a_reader_on_the_root_is_not_ordered_with_it) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<int> x(10, env.rank() == 0 ? 3 : -1);
  int answer = 0;
  if (env.rank() == 0) {
    rt.recv("answer", out(answer), env.size() - 1);  // sent when the news are there
    rt.task(
        "read", [](const std::vector<int>&, int) {}, in(x), in(answer));
    rt.bcast("news", in(x), 0, {.back_end = GetParam()});
  } else {
    rt.bcast("news", out(x), 0, {.back_end = GetParam()});
    if (env.rank() + 1 == env.size()) rt.send("answer", in(x[0]), 0);
  }
  rt.wait();
  if (env.rank() == 0) {
    EXPECT_EQ(answer, 3);
  }
}

TEST_P(bcast_words, a_word_in_the_wrong_place_is_refused) {
  environment& env = test_environment();
  runtime rt{env};
  int x = 0;
  const collective_options options{.back_end = GetParam()};
  const int other = env.size() > 1 ? (env.rank() + 1) % env.size() : -1;
  EXPECT_NE(refusal([&] {
              rt.bcast("news", out(x), env.rank(), options);
            }).find("out(x) is for who is not the root; here name in(x), or inout(x)"),
            std::string::npos);
  if (other < 0) return;
  EXPECT_NE(refusal([&] {
              rt.bcast("news", in(x), other, options);
            }).find("in(x) is for the root, which is " + std::to_string(other)),
            std::string::npos);
}

}  // namespace
}  // namespace plait::test
