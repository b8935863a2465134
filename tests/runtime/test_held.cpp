// SPDX-License-Identifier: BSD-3-Clause
// Tasks that others finish, beside messages: with requests of the program's own, from sources of
// the program's own, by the proxy.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/trace/arrow.hpp>
#include <plait/trace/critical_path.hpp>

#include "support/late_threads.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using namespace std::chrono_literals;

/// The communicator of these tests' own messages.
[[nodiscard]] MPI_Comm own(environment& env) {
  return native(env);
}

class held_policies : public ::testing::TestWithParam<std::tuple<progress, int>> {
 protected:
  environment& env = test_environment();
  const int next = (env.rank() + 1) % env.size();
  const int before = (env.rank() + env.size() - 1) % env.size();

  [[nodiscard]] runtime_options options() const {
    return {.engine = {.policy = std::get<0>(GetParam())},
            .tasks = {.workers = std::get<1>(GetParam())}};
  }
};
INSTANTIATE_TEST_SUITE_P(held, held_policies,
                         ::testing::Combine(::testing::Values(progress::automatic,
                                                              progress::sleeping, progress::workers,
                                                              progress::none),
                                            ::testing::Values(1, 2)));

/// A task that ends when an MPI request of its own does, and computes nothing itself.
void receive_from(std::span<int> to, environment* env, int peer, hold until) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    mpi_token_guard guard(env->token());
    MPI_Irecv(to.data(), static_cast<int>(to.size()), MPI_INT, peer, 5, own(*env), &request);
  }
  finish_with(std::move(until), request);
}
void send_to(std::span<const int> from, environment* env, int peer, hold until) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    mpi_token_guard guard(env->token());
    MPI_Isend(from.data(), static_cast<int>(from.size()), MPI_INT, peer, 5, own(*env), &request);
  }
  finish_with(std::move(until), request);
}

TEST_P(held_policies, a_task_is_finished_with_a_request) {
  runtime rt{env, options()};
  std::vector<int> mine(1000);
  std::vector<int> theirs(1000);
  int sum = 0;
  std::iota(mine.begin(), mine.end(), env.rank());
  rt.task("receive", receive_from, out(std::span(theirs)), &env, before, held);
  rt.task("send", send_to, in(std::span(mine)), &env, next, held);
  rt.task(
      "sum", [](std::span<const int> x, int& to) { to = std::accumulate(x.begin(), x.end(), 0); },
      in(std::span(theirs)), out(sum));
  rt.wait();
  EXPECT_EQ(sum, 999 * 1000 / 2 + 1000 * before);
}

/// Around the ring, in a recording: each iteration makes requests anew.
TEST_P(held_policies, and_so_it_is_in_every_iteration_of_a_replay) {
  runtime rt{env, options()};
  std::vector<int> x(3, env.rank());
  std::vector<int> came(3);
  constexpr int iterations = 40;
  graph step = rt.record([&] {
    rt.task("receive", receive_from, out(std::span(came)), &env, before, held);
    rt.task("send", send_to, in(std::span(x)), &env, next, held);
    rt.task(
        "take",
        [](std::span<const int> from, std::span<int> to) {
          for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + 1;
        },
        in(std::span(came)), out(std::span(x)));
  });
  rt.replay(step, iterations);
  rt.wait();
  const int origin = ((env.rank() - iterations) % env.size() + env.size()) % env.size();
  for (const int one : x) EXPECT_EQ(one, origin + iterations);
}

TEST_P(held_policies, a_collective_request_and_none_at_all_finish_tasks_too) {
  runtime rt{env, options()};
  int sum = env.rank() + 1;
  int told = 0;
  const auto add_up = [](int& x, environment* e, hold until) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      mpi_token_guard guard(e->token());
      MPI_Iallreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, own(*e), &request);
    }
    finish_with(std::move(until), request);
  };
  rt.task("sum", add_up, inout(sum), &env, held);
  rt.task(
      "copy", [](int from, int& to) { to = from; }, in(sum), out(told));
  rt.task(
      "none", [](hold until) { finish_with(std::move(until), MPI_REQUEST_NULL); }, held);
  rt.wait();
  EXPECT_EQ(told, env.size() * (env.size() + 1) / 2);
}

TEST_P(held_policies, a_request_is_given_up_when_another_task_fails) {
  std::vector<int> never(4);
  {
    runtime rt{env, options()};
    rt.task("receive", receive_from, out(std::span(never)), &env, env.rank(), held);
    rt.task("broken", [] { throw std::runtime_error("broken"); });
    EXPECT_THROW(rt.wait(), std::runtime_error);
  }
  env.barrier();
}

TEST(held, a_hold_without_a_runtime_is_refused) {
  scheduler alone({.workers = 1});
  alone.task(
      "alone", [](hold until) { finish_with(std::move(until), MPI_REQUEST_NULL); }, held);
  EXPECT_THROW(alone.wait(), usage_error);
}

/// The only worker is in a long task: the proxy finishes what others let go, and goes on from
/// there.
TEST(held, the_proxy_finishes_a_task_for_anyone) {
  environment& env = test_environment();
  runtime rt{env, {.engine = {.policy = progress::sleeping}, .tasks = {.workers = 1}}};
  late_threads others(1);
  std::atomic<bool> followed{false};
  int x = 0;
  rt.task(
        "late",
        [&others](int&, hold until) {
          others.call_in(5ms, [kept = std::move(until)]() mutable { kept.release(); });
        },
        inout(x), held)
      .target(anyone);
  rt.task(
        "next", [&followed](int&) { followed = true; }, inout(x))
      .target(anyone);
  rt.task("long", [&followed] {
      while (!followed) std::this_thread::yield();
    }).priority(low);
  rt.wait();
  EXPECT_TRUE(followed);
}

/// Finishes what it has begun when it is polled the third time.
class slow_device final : public progress_source {
 public:
  void begin(hold until) {
    std::lock_guard lock(mutex_);
    open_.push_back(std::move(until));
    polls_ = 0;
  }
  bool poll(bool) override {
    std::lock_guard lock(mutex_);
    if (open_.empty() || ++polls_ < 3) return false;
    open_.back().release();
    open_.pop_back();
    return true;
  }
  ticks idle_wait(ticks) override { return seconds_to_ticks(5e-5); }
  bool needs_idle_workers() const noexcept override { return true; }
  ticks in_flight_until(ticks) const override { return 0; }
  bool cancel() override { return true; }
  ticks due_at() const noexcept override { return last_ + seconds_to_ticks(1e-4); }
  void passed(ticks now) noexcept override { last_ = now; }

 private:
  std::mutex mutex_;
  std::vector<hold> open_;
  int polls_ = 0;
  std::atomic<ticks> last_{0};
};

TEST_P(held_policies, a_source_of_the_program_is_polled_beside_messages) {
  runtime rt{env, options()};
  slow_device device;
  rt.add_progress(device);
  int x = env.rank();
  int y = 0;
  for (int i = 0; i < 30; ++i) {
    rt.task(
        "begin", [&device](int& value, hold until) { ++value, device.begin(std::move(until)); },
        inout(x), held);
    rt.send("x", in(x), next, i);
    rt.recv("y", out(y), before, i);
    rt.task(
        "take", [](int from, int& to) { to = from; }, in(y), inout(x));
  }
  rt.wait();
  EXPECT_EQ(x, 30 + ((env.rank() - 30) % env.size() + env.size()) % env.size());
  rt.remove_progress(device);
}

/// Nothing but the proxy has time to poll.
TEST(held, the_proxy_polls_sources_of_the_program) {
  environment& env = test_environment();
  runtime rt{env, {.engine = {.policy = progress::sleeping}, .tasks = {.workers = 1}}};
  slow_device device;
  rt.add_progress(device);
  std::atomic<bool> followed{false};
  int x = 0;
  rt.task(
        "begin", [&device](int&, hold until) { device.begin(std::move(until)); }, inout(x), held)
      .target(anyone);
  rt.task(
        "next", [&followed](int&) { followed = true; }, inout(x))
      .target(anyone);
  rt.task("long", [&] {
      rt.wake_pollers();
      while (!followed) std::this_thread::yield();
    }).priority(low);
  rt.wait();
  EXPECT_TRUE(followed);
  rt.remove_progress(device);
}

TEST_P(held_policies, a_report_of_a_standstill_says_since_when) {
  std::vector<std::string> reports;
  hold kept;
  std::atomic<bool> is_there{false};
  runtime_options how = options();
  how.tasks.stall_report_s = 0.1;
  how.stall_sink = [&](const std::string& text) {
    reports.push_back(text);
    if (is_there.exchange(false)) kept.release();
  };
  {
    runtime rt{env, how};
    rt.task(
        "read",
        [&](hold until) {
          kept = std::move(until);
          is_there = true;
        },
        held);
    rt.wait();
  }
  ASSERT_FALSE(reports.empty());
  // On a busy machine there may have been one before the task was held.
  EXPECT_NE(reports.back().find("1 held"), std::string::npos) << reports.back();
  EXPECT_NE(reports.back().find("task 'read' is held since "), std::string::npos) << reports.back();
}

/// A task that follows is released by the end of the held one, which follows its own function. With
/// one worker the function has returned when the next task begins.
TEST(held, a_trace_shows_the_time_in_a_lane_of_its_own) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  hold kept;
  int x = 0;
  rt.start_trace();
  rt.task(
      "late", [&kept](int&, hold until) { kept = std::move(until); }, inout(x), held);
  rt.task(
      "next", [](int& value) { value = 1; }, inout(x));
  rt.task("let go", [&kept] { kept.release(); });
  rt.wait();
  const std::vector<trace_event> events = rt.stop_trace();
  const trace_event* function = nullptr;
  const trace_event* on_hold = nullptr;
  const trace_event* follower = nullptr;
  for (const trace_event& e : events) {
    if (e.name == "late") (e.lane == held_lane ? on_hold : function) = &e;
    if (e.name == "next") follower = &e;
  }
  ASSERT_TRUE(function != nullptr && on_hold != nullptr && follower != nullptr);
  EXPECT_EQ(on_hold->id, function->id);
  EXPECT_GE(on_hold->begin_s, function->end_s);
  EXPECT_GE(follower->begin_s, on_hold->end_s);
  EXPECT_EQ(follower->released_by, on_hold->id);
  bool to_end = false;
  for (const trace_arrow& arrow : find_arrows(events)) {
    if (&events[arrow.to] == follower) to_end = &events[arrow.from] == on_hold;
    if (&events[arrow.to] == on_hold) {
      EXPECT_EQ(&events[arrow.from], function);
    }
  }
  EXPECT_TRUE(to_end);
  bool on_path = false;
  for (const path_step& step : critical_path(events))
    on_path |= step.event != path_step::no_event && &events[step.event] == on_hold;
  EXPECT_TRUE(on_path);
}

}  // namespace
}  // namespace plait::test
