// SPDX-License-Identifier: BSD-3-Clause
// Tasks that are suspended in blocking MPI when another task fails: they are unwound, but not under
// a call that still uses their memory.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
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

struct life {
  bool begun = false, gone = false;
};
struct noted_when_destroyed {
  explicit noted_when_destroyed(life* of) : of_(of) { of_->begun = true; }
  ~noted_when_destroyed() { of_->gone = true; }
  life* of_;
};

TEST_P(every_policy, a_failure_unwinds_the_tasks_that_are_suspended) {
  life waiting;
  int workers = 0;
  {
    runtime rt{env, options()};
    workers = rt.workers();
    int never = 0;
    rt.task(
        "waits for ever",
        [](int& into, life* its, int from, MPI_Comm c) {
          const noted_when_destroyed note{its};
          MPI_Recv(&into, 1, MPI_INT, from, 77, c, MPI_STATUS_IGNORE);
        },
        out(never), &waiting, left, comm);
    rt.task("throws", [] { throw std::runtime_error("singular"); });
    std::string said = "nothing";
    try {
      rt.wait();
    } catch (const std::runtime_error& e) {
      said = e.what();
    }
    EXPECT_EQ(said, "singular");
  }
  // Of several workers another may throw before it has begun; then it never does.
  EXPECT_EQ(waiting.gone, waiting.begun);
  if (workers == 1) EXPECT_TRUE(waiting.begun);
  env.barrier();
}

struct scribbles_when_destroyed {
  std::vector<double>& data;
  ~scribbles_when_destroyed() { std::ranges::fill(data, -1.0); }
};

void send_at_once(const std::vector<double>& data, int to, MPI_Comm comm) {
  MPI_Ssend(data.data(), static_cast<int>(data.size()), MPI_DOUBLE, to, 78, comm);
}

void start_and_wait(const std::vector<double>& data, int to, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Issend(data.data(), static_cast<int>(data.size()), MPI_DOUBLE, to, 78, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Its peer receives what it is sending when another task fails: not what it left in its memory.
TEST_P(every_policy, a_task_is_not_unwound_while_MPI_sends_from_its_memory) {
  if (env.size() != 2) return;
  constexpr std::size_t doubles = std::size_t{1} << 15;
  for (auto* send : {send_at_once, start_and_wait}) {
    runtime rt{env, options()};
    if (env.rank() == 1) {
      MPI_Probe(0, 78, comm, MPI_STATUS_IGNORE);
      const int fail = 1;
      MPI_Send(&fail, 1, MPI_INT, 0, 79, comm);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // time to unwind too early
      std::vector<double> got(doubles, 0.0);
      MPI_Recv(got.data(), static_cast<int>(doubles), MPI_DOUBLE, 0, 78, comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(std::ranges::count(got, 3.0), static_cast<std::ptrdiff_t>(doubles));
      rt.task("throws", [] { throw std::runtime_error("singular too"); });
    } else {
      rt.task(
          "sends",
          [](decltype(send) how, MPI_Comm c) {
            std::vector<double> data(doubles, 3.0);
            const scribbles_when_destroyed at_the_end{data};
            how(data, 1, c);
          },
          send, comm);
      rt.task(
          "throws",
          [](MPI_Comm c) {
            int fail = 0;
            MPI_Recv(&fail, 1, MPI_INT, 1, 79, c, MPI_STATUS_IGNORE);
            throw std::runtime_error("singular");
          },
          comm);
    }
    EXPECT_THROW(rt.wait(), std::runtime_error);
    env.barrier();
  }
}

struct completes_when_destroyed {
  MPI_Request& request;
  int& code;
  ~completes_when_destroyed() { code = MPI_Wait(&request, MPI_STATUS_IGNORE); }
};

// Beside the call it waits in, a task may have others under way.
TEST_P(every_policy, a_task_that_is_unwound_may_complete_its_other_requests) {
  runtime rt{env, options()};
  int never = 0;
  int not_this_one_either = 0;
  int code = -1;
  rt.task(
      "waits for ever",
      [](int& a, int& b, int& said, int from, MPI_Comm c) {
        MPI_Request request = MPI_REQUEST_NULL;
        const completes_when_destroyed at_the_end{request, said};
        MPI_Irecv(&a, 1, MPI_INT, from, 80, c, &request);
        MPI_Recv(&b, 1, MPI_INT, from, 81, c, MPI_STATUS_IGNORE);
      },
      out(never), out(not_this_one_either), inout(code), left, comm);
  rt.task("throws", [] { throw std::runtime_error("singular"); });
  EXPECT_THROW(rt.wait(), std::runtime_error);
  EXPECT_TRUE(code == MPI_SUCCESS || code == -1) << code;  // it may not have begun
  env.barrier();
}

}  // namespace
}  // namespace plait::test
