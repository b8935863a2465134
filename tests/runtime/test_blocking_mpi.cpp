// SPDX-License-Identifier: BSD-3-Clause
// Blocking MPI in tasks: the task is suspended, the worker is not.  [MPI/SMPSs, section 2.2]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/runtime/runtime.hpp>

#include "blocking_test.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class every_policy : public blocking_test {};
INSTANTIATE_TEST_SUITE_P(blocking, every_policy, blocking_cases(), name_of_case);

void receive_int(int& into, int source, int tag, MPI_Comm comm) {
  MPI_Recv(&into, 1, MPI_INT, source, tag, comm, MPI_STATUS_IGNORE);
}
void send_int(const int& value, int target, int tag, MPI_Comm comm) {
  MPI_Send(&value, 1, MPI_INT, target, tag, comm);
}
void send_int_synchronously(const int& value, int target, int tag, MPI_Comm comm) {
  MPI_Ssend(&value, 1, MPI_INT, target, tag, comm);
}

TEST_P(every_policy, receives_before_sends_do_not_block_the_worker) {
  runtime rt{env, options()};
  constexpr int rounds = 20;
  std::vector<int> sent(rounds);
  std::vector<int> got(rounds, -1);
  std::iota(sent.begin(), sent.end(), 100 * env.rank());
  for (int i = 0; i < rounds; ++i) {
    rt.task("receive", receive_int, out(got[static_cast<std::size_t>(i)]), left, i, comm);
  }
  for (int i = rounds - 1; i >= 0; --i) {
    rt.task("send", send_int_synchronously, in(sent[static_cast<std::size_t>(i)]), right, i, comm);
  }
  rt.wait();
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)], 100 * left + i) << "round " << i;
  }
}

TEST_P(every_policy, messages_of_plait_travel_beside_them) {
  runtime rt{env, options()};
  std::vector<double> outgoing(20'000, env.rank());
  std::vector<double> incoming(20'000, -1);
  int token = env.rank();
  int theirs = -1;
  for (int i = 0; i < 5; ++i) {
    rt.recv("ghost", out(incoming), left);
    rt.task("receive", receive_int, out(theirs), left, 5, comm);
    rt.send("edge", in(outgoing), right);
    rt.task("send", send_int, in(token), right, 5, comm);
    rt.task(
        "check",
        [](const std::vector<double>& v, const int& t, int expected) {
          EXPECT_EQ(t, expected);
          EXPECT_EQ(v.front(), expected);
          EXPECT_EQ(v.back(), expected);
        },
        in(incoming, theirs), left);
  }
  rt.wait();
}

TEST_P(every_policy, sendrecv_waits_and_probes_suspend_too) {
  runtime rt{env, options()};
  std::array<int, 4> ok{};
  const int rank = env.rank();
  rt.task(
      "sendrecv",
      [](int& good, int to, int from, int me, MPI_Comm c) {
        int value = -1;
        MPI_Status status;
        MPI_Sendrecv(&me, 1, MPI_INT, to, 1, &value, 1, MPI_INT, from, 1, c, &status);
        int swapped = me;
        MPI_Sendrecv_replace(&swapped, 1, MPI_INT, to, 2, from, 2, c, MPI_STATUS_IGNORE);
        good = value == from && swapped == from && status.MPI_SOURCE == from ? 1 : 0;
      },
      out(ok[0]), right, left, rank, comm);
  rt.task(
      "waitall",
      [](int& good, int to, int from, int me, MPI_Comm c) {
        int value = -1;
        std::array<MPI_Request, 2> requests;
        MPI_Irecv(&value, 1, MPI_INT, from, 3, c, &requests[0]);
        MPI_Isend(&me, 1, MPI_INT, to, 3, c, &requests[1]);
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
        good = value == from ? 1 : 0;
      },
      out(ok[1]), right, left, rank, comm);
  rt.task(
      "waitany",
      [](int& good, int to, int from, int me, MPI_Comm c) {
        std::array<int, 3> values{-1, -1, -1};
        std::array<MPI_Request, 3> requests;
        for (int i = 0; i < 3; ++i) {
          MPI_Irecv(&values[static_cast<std::size_t>(i)], 1, MPI_INT, from, 10 + i, c,
                    &requests[static_cast<std::size_t>(i)]);
        }
        for (int i = 2; i >= 0; --i) MPI_Send(&me, 1, MPI_INT, to, 10 + i, c);
        int indices = 0;
        for (int i = 0; i < 3; ++i) {
          int index = -1;
          MPI_Waitany(3, requests.data(), &index, MPI_STATUS_IGNORE);
          indices += 1 << index;
        }
        good = indices == 7 && values == std::array<int, 3>{from, from, from} ? 1 : 0;
      },
      out(ok[2]), right, left, rank, comm);
  rt.task(
      "probe",
      [](int& good, int from, MPI_Comm c) {
        MPI_Status status;
        MPI_Probe(from, 20, c, &status);
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        std::vector<int> values(static_cast<std::size_t>(count));
        MPI_Recv(values.data(), count, MPI_INT, from, 20, c, MPI_STATUS_IGNORE);
        good = values == std::vector<int>(13, from) ? 1 : 0;
      },
      out(ok[3]), left, comm);
  rt.task(
      "for the probe",
      [](int to, int me, MPI_Comm c) {
        const std::vector<int> values(13, me);
        MPI_Send(values.data(), 13, MPI_INT, to, 20, c);
      },
      right, rank, comm);
  rt.wait();
  EXPECT_EQ(ok, (std::array<int, 4>{1, 1, 1, 1}));
}

TEST_P(every_policy, a_task_waits_for_all_its_requests_and_gets_what_mpi_says_of_each) {
  runtime rt{env, options()};
  const int rank = env.rank();
  std::array<int, 3> ok{};
  rt.task(
      "waits",
      [this](int& good, int from) {
        int value = -1;
        int unused = -1;
        std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        {
          mpi_token_guard guard(env.token());
          MPI_Recv_init(&unused, 1, MPI_INT, from, 41, comm, &requests[1]);  // and does not start
        }
        MPI_Irecv(&value, 1, MPI_INT, from, 40, comm, &requests[2]);
        std::array<MPI_Status, 3> statuses;
        MPI_Waitall(3, requests.data(), statuses.data());
        good = value == from && statuses[2].MPI_SOURCE == from && statuses[2].MPI_TAG == 40 &&
                       requests[1] != MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL
                   ? 1
                   : 0;
        MPI_Request_free(&requests[1]);
      },
      out(ok[0]), left);
  const auto is_cut_off = [](int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class == MPI_ERR_TRUNCATE;
  };
  rt.task(
      "too short",
      [this, is_cut_off](int& good, int from) {
        int value = -1;
        good = is_cut_off(MPI_Recv(&value, 1, MPI_INT, from, 42, comm, MPI_STATUS_IGNORE)) ? 1 : 0;
      },
      out(ok[1]), left);
  rt.task(
      "one of two too short",
      [this, is_cut_off](int& good, int from) {
        std::array<int, 2> values{-1, -1};
        std::array<MPI_Request, 2> requests;
        MPI_Irecv(&values[0], 1, MPI_INT, from, 43, comm, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, from, 44, comm, &requests[1]);
        std::array<MPI_Status, 2> statuses;
        const int code = MPI_Waitall(2, requests.data(), statuses.data());
        good = code == MPI_ERR_IN_STATUS && is_cut_off(statuses[0].MPI_ERROR) &&
                       statuses[1].MPI_ERROR == MPI_SUCCESS && values[1] == from
                   ? 1
                   : 0;
      },
      out(ok[2]), left);
  rt.task(
      "sends",
      [this](int me, int to) {
        const std::array<int, 2> values{me, me};
        MPI_Send(values.data(), 1, MPI_INT, to, 40, comm);
        MPI_Send(values.data(), 2, MPI_INT, to, 42, comm);
        MPI_Send(values.data(), 1, MPI_INT, to, 44, comm);
        MPI_Send(values.data(), 2, MPI_INT, to, 43, comm);
      },
      rank, right);
  rt.wait();
  EXPECT_EQ(ok[0], 1);
  // Open MPI 4.1 says nothing of a message to oneself that is cut off.
  if (env.size() > 1) EXPECT_EQ(ok, (std::array<int, 3>{1, 1, 1}));
}

TEST_P(every_policy, collectives_suspend_too) {
  runtime rt{env, options()};
  const int size = env.size();
  int turn = 0;  // collectives of one communicator keep their order
  int sum = 0;
  int root_says = env.rank() == 0 ? 42 : 0;
  std::vector<int> given(static_cast<std::size_t>(size), env.rank());
  std::vector<int> taken(static_cast<std::size_t>(size), -1);
  int beside = 0;
  rt.task(
      "barrier", [](int&, MPI_Comm c) { MPI_Barrier(c); }, inout(turn), comm);
  rt.task(
      "allreduce",
      [](int&, int& to, int mine, MPI_Comm c) {
        MPI_Allreduce(&mine, &to, 1, MPI_INT, MPI_SUM, c);
      },
      inout(turn), out(sum), env.rank() + 1, comm);
  rt.task(
      "bcast", [](int&, int& value, MPI_Comm c) { MPI_Bcast(&value, 1, MPI_INT, 0, c); },
      inout(turn, root_says), comm);
  rt.task(
      "alltoall",
      [](int&, const std::vector<int>& from, std::vector<int>& to, MPI_Comm c) {
        MPI_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, c);
      },
      inout(turn), in(given), out(taken), comm);
  for (int i = 0; i < 10; ++i)
    rt.task(
        "beside", [](int& n) { ++n; }, inout(beside));
  rt.wait();
  EXPECT_EQ(sum, size * (size + 1) / 2);
  EXPECT_EQ(root_says, 42);
  for (int r = 0; r < size; ++r) EXPECT_EQ(taken[static_cast<std::size_t>(r)], r);
  EXPECT_EQ(beside, 10);
}

// Open MPI's non-blocking collectives take equal addresses for a call in place, and a rank without
// data returns from one in place without the tag that the others take.
TEST_P(every_policy, an_exchange_in_which_a_rank_has_no_data_keeps_the_collectives_apart) {
  runtime rt{env, options()};
  const int size = env.size();
  const auto last = static_cast<std::size_t>(size - 1);
  int turn = 0;
  std::array<int, 2> sums{};
  std::vector<int> data{env.rank() + 1, env.rank() + 1};
  std::vector<int> to(static_cast<std::size_t>(size), 0);
  std::vector<int> from = to;
  if (env.rank() == 0) to[last] = size > 1 ? 2 : 0;
  if (env.rank() == size - 1) from[0] = size > 1 ? 2 : 0;
  const std::vector<int> places(static_cast<std::size_t>(size), 0);
  const auto add_up = [](int&, int& sum, MPI_Comm c) {
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
  };
  rt.task(
      "the same address",
      [](int&, std::vector<int>& both, const std::vector<int>& sent, const std::vector<int>& got,
         const std::vector<int>& at, MPI_Comm c) {
        MPI_Alltoallv(both.data(), sent.data(), at.data(), MPI_INT, both.data(), got.data(),
                      at.data(), MPI_INT, c);
      },
      inout(turn, data), in(to, from, places), comm);
  rt.task("add up", add_up, inout(turn), out(sums[0]), comm);
  std::vector<int> none(static_cast<std::size_t>(size), 0);
  if (env.rank() == 0 || env.rank() == size - 1)
    none[env.rank() == 0 ? last : 0] = size > 1 ? 1 : 0;
  std::vector<int> swapped{env.rank()};
  if (size > 2) {  // the others have nothing to exchange
    rt.task(
        "in place",
        [](int&, std::vector<int>& x, const std::vector<int>& counts, const std::vector<int>& at,
           MPI_Comm c) {
          MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, x.data(), counts.data(), at.data(),
                        MPI_INT, c);
        },
        inout(turn, swapped), in(none, places), comm);
  }
  rt.task("add up", add_up, inout(turn), out(sums[1]), comm);
  rt.wait();
  EXPECT_EQ(sums, (std::array<int, 2>{size, size}));
  const int came_from = size > 1 && env.rank() == size - 1 ? 0 : env.rank();
  EXPECT_EQ(data, std::vector<int>(2, came_from + 1));
  if (size > 2) {
    EXPECT_EQ(swapped[0], env.rank() == 0 ? size - 1 : env.rank() == size - 1 ? 0 : env.rank());
  }
}

TEST_P(every_policy, the_program_may_block_while_its_tasks_go_on) {
  runtime rt{env, options()};
  int mine = env.rank() + 7;
  int theirs = -1;
  rt.task("send", send_int_synchronously, in(mine), right, 9, comm);
  MPI_Recv(&theirs, 1, MPI_INT, left, 9, comm, MPI_STATUS_IGNORE);
  EXPECT_EQ(theirs, left + 7);
  rt.wait();
}

void send_int_late(const int& value, int target, int tag, MPI_Comm comm) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  send_int(value, target, tag, comm);
}

// MPI_Test and its kin answer once: a second question finds nothing, or something else.
TEST_P(every_policy, the_program_is_told_what_its_blocking_calls_found) {
  runtime rt{env, options()};
  const int mine = env.rank() + 7;
  int theirs = -1;
  MPI_Status status;
  const auto expect_status = [&](int tag) {
    EXPECT_EQ(status.MPI_SOURCE, left);
    EXPECT_EQ(status.MPI_TAG, tag);
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 1);
  };
  rt.task("late", send_int_late, in(mine), right, 9, comm);
  MPI_Recv(&theirs, 1, MPI_INT, left, 9, comm, &status);
  EXPECT_EQ(theirs, left + 7);
  expect_status(9);

  std::array<int, 2> values{-1, -1};
  std::array<MPI_Request, 2> requests;
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<std::size_t>(i);
    MPI_Irecv(&values[at], 1, MPI_INT, left, 10 + i, comm, &requests[at]);
  }
  rt.task("late", send_int_late, in(mine), right, 11, comm);
  int index = -1;
  MPI_Waitany(2, requests.data(), &index, &status);
  ASSERT_EQ(index, 1);
  EXPECT_EQ(values[1], left + 7);
  expect_status(11);
  MPI_Barrier(comm);  // or what the left neighbour sends next may have been here as early
  rt.task("late", send_int_late, in(mine), right, 10, comm);
  MPI_Wait(&requests[0], &status);
  EXPECT_EQ(values[0], left + 7);
  expect_status(10);

  theirs = -1;
  rt.task("late", send_int_late, in(mine), right, 12, comm);
  MPI_Message found;
  MPI_Mprobe(left, 12, comm, &found, &status);
  expect_status(12);
  MPI_Mrecv(&theirs, 1, MPI_INT, &found, &status);
  EXPECT_EQ(theirs, left + 7);
  rt.wait();
}

TEST_P(every_policy, replayed_tasks_may_block) {
  runtime rt{env, options()};
  int mine = env.rank();
  int theirs = -1;
  graph round = rt.record([&] {
    rt.task("receive", receive_int, out(theirs), left, 4, comm);
    rt.task("send", send_int, in(mine), right, 4, comm);
    rt.task(
        "take", [](int& to, const int& from) { to = from + 1; }, inout(mine), in(theirs));
  });
  const int rounds = 3 * env.size();
  if (std::get<2>(GetParam()) < round.tasks()) return;
  rt.replay(round, static_cast<std::uint64_t>(rounds)).wait();
  EXPECT_EQ(mine, env.rank() + rounds);
}

// Four tasks, two that receive and two that send, submitted in every order on both ranks.
TEST(blocking, every_order_of_a_small_program_ends) {
  environment& env = test_environment();
  if (env.size() != 2) return;
  const MPI_Comm comm = native(env);
  const int peer = 1 - env.rank();
  runtime rt{env, {.engine = {.policy = progress::workers}, .tasks = {.workers = 1}}};
  std::array<int, 4> orders[24];
  std::array<int, 4> order{0, 1, 2, 3};
  for (auto& each : orders) {
    each = order;
    std::next_permutation(order.begin(), order.end());
  }
  const int a = 10 + env.rank();
  const int b = 20 + env.rank();
  for (const auto& first : orders) {
    for (const auto& second : orders) {
      int from_a = 0;
      int from_b = 0;
      for (const int which : env.rank() == 0 ? first : second) {
        if (which == 0) rt.task("receive a", receive_int, out(from_a), peer, 1, comm);
        if (which == 1) rt.task("receive b", receive_int, out(from_b), peer, 2, comm);
        if (which == 2) rt.task("send a", send_int_synchronously, in(a), peer, 1, comm);
        if (which == 3) rt.task("send b", send_int, in(b), peer, 2, comm);
      }
      rt.wait();
      ASSERT_EQ(from_a, 10 + peer);
      ASSERT_EQ(from_b, 20 + peer);
    }
  }
}

}  // namespace
}  // namespace plait::test
