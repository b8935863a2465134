// SPDX-License-Identifier: BSD-3-Clause
// Promise 5: never a silent hang.  Each test stalls on purpose; what the reports say sets it free.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
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

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using namespace std::chrono_literals;

class stall_policies : public ::testing::TestWithParam<std::tuple<progress, int>> {
 protected:
  environment& env = test_environment();
  const int peer = 1 - env.rank();
  const std::string other = "rank " + std::to_string(peer);
  std::vector<std::string> reports;
  std::function<void()> after_first_report = [] {};

  [[nodiscard]] runtime_options options(int at_least_workers = 1) {
    return {.engine = {.policy = std::get<0>(GetParam())},
            .tasks = {.workers = std::max(at_least_workers, std::get<1>(GetParam())),
                      .stall_report_s = 0.1},
            .stall_sink = [this](const std::string& text) {
              reports.push_back(text);
              if (reports.size() == 1) after_first_report();
            }};
  }

  // Beside plait's messages: one rank tells the other that it has reported, or sent.
  void tell() {
    mpi_token_guard guard(env.token());
    MPI_Send(nullptr, 0, MPI_BYTE, peer, 0, native(env));
  }
  void listen() {
    mpi_token_guard guard(env.token());
    MPI_Recv(nullptr, 0, MPI_BYTE, peer, 0, native(env), MPI_STATUS_IGNORE);
  }

  /// The first report: on a machine that is busy with other things there may be more.
  [[nodiscard]] std::string report() const {
    EXPECT_FALSE(reports.empty());
    return reports.empty() ? "" : reports[0];
  }
  [[nodiscard]] std::ptrdiff_t reports_that_say(const std::string& what) const {
    return std::count_if(reports.begin(), reports.end(), [&](const std::string& text) {
      return text.find(what) != std::string::npos;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(
    stall, stall_policies,
    ::testing::Values(std::tuple{progress::automatic, 3}, std::tuple{progress::dedicated, 1},
                      std::tuple{progress::sleeping, 1}, std::tuple{progress::workers, 1},
                      std::tuple{progress::workers, 3}, std::tuple{progress::none, 1}),
    [](const auto& one) {
      return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
             std::to_string(std::get<1>(one.param));
    });

#define EXPECT_SAYS(text, what) EXPECT_NE((text).find(what), std::string::npos) << (text)
#define EXPECT_SILENT_ABOUT(text, what) EXPECT_EQ((text).find(what), std::string::npos) << (text)

void add(const std::vector<int>& from, int& to) {
  for (const int one : from) to += one;
}

TEST_P(stall_policies, a_receive_whose_message_is_late_is_named_and_so_is_what_waits_for_it) {
  runtime rt{env, options()};
  std::vector<int> ghost(20, 3);
  int sum = 0;
  if (env.rank() == 0) {
    after_first_report = [this] { tell(); };
    rt.recv("ghost", out(ghost), 1, 5);
    rt.task("rim", add, in(ghost), inout(sum));
    rt.send("answer", in(sum), 1, 6);
    rt.wait();
    const std::string text = report();
    EXPECT_SAYS(text, process_label() + ": nothing has started or finished here for ");
    EXPECT_SAYS(text, "1 message under way, 1 not started, 1 task waiting, 0 ready, 0 running");
    const std::string started = "receive 'ghost' from rank 1, tag 5, place 1, 80 bytes: started ";
    EXPECT_SAYS(text, started);
    // Since it was started, and not since the machine was.
    const std::size_t at = std::min(text.find(started) + started.size(), text.size());
    EXPECT_LT(std::atof(text.c_str() + at), 100) << text;
    EXPECT_SAYS(text,
                "send 'answer' to rank 1, tag 6, place 1, 4 bytes: not started, waits for "
                "task 'rim'\n");
    EXPECT_SAYS(text, "task 'rim' waits for receive 'ghost' from rank 1, tag 5\n");
    EXPECT_SILENT_ABOUT(text, "unexpected");
    EXPECT_EQ(sum, 60);
  } else {
    listen();
    rt.send("edge", in(ghost), 0, 5);
    rt.recv("answer", out(sum), 0, 6);
    rt.wait();
    EXPECT_EQ(sum, 60);
  }
  env.barrier();
}

// Each waits for a message that the other sends only when its own has come.
TEST_P(stall_policies, two_ranks_that_wait_for_each_other_both_say_so) {
  runtime rt{env, options(2)};
  std::vector<int> ghost(20, 0);
  std::vector<int> edge(20, 3);
  std::atomic<bool> begun{false};
  std::atomic<bool> enough{false};
  rt.task(
      "hold",
      [&begun, &enough](std::vector<int>&) {
        begun = true;
        while (!enough) std::this_thread::sleep_for(1ms);
      },
      inout(edge));
  rt.send("edge", in(edge), peer, 2);
  rt.recv("ghost", out(ghost), peer, 2);
  while (!begun) std::this_thread::sleep_for(1ms);  // on another worker: this one is here
  std::thread other_reported;
  after_first_report = [&] {
    tell();
    other_reported = std::thread([&] {
      int is_here = 0;
      while (is_here == 0) {  // the token is not to be kept
        std::this_thread::sleep_for(1ms);
        mpi_token_guard guard(env.token());
        MPI_Iprobe(peer, 0, native(env), &is_here, MPI_STATUS_IGNORE);
      }
      listen();
      enough = true;
    });
  };
  rt.wait();
  other_reported.join();
  const std::string text = report();
  EXPECT_SAYS(text, "1 message under way, 1 not started, 0 tasks waiting, 0 ready, 1 running");
  EXPECT_SAYS(text, "receive 'ghost' from " + other + ", tag 2, place 1, 80 bytes: started ");
  EXPECT_SAYS(text, "send 'edge' to " + other +
                        ", tag 2, place 1, 80 bytes: not started, waits "
                        "for task 'hold'\n");
  EXPECT_SAYS(text, "task 'hold' has been running on worker ");
  EXPECT_SAYS(text, "this rank waits for it, not for a message");
  EXPECT_EQ(ghost, std::vector<int>(20, 3));
  env.barrier();
}

TEST_P(stall_policies, a_message_with_another_tag_is_unexpected) {
  runtime rt{env, options()};
  std::vector<int> data(20, 3);
  std::vector<int> ghost(20, 0);
  if (env.rank() == 0) {
    after_first_report = [this] { tell(); };
    listen();  // it was sent
    rt.recv("ghost", out(ghost), 1, 3);
    rt.wait();
    const std::string text = report();
    EXPECT_SAYS(text, "receive 'ghost' from rank 1, tag 3, place 1, 80 bytes: started ");
    EXPECT_SAYS(text,
                "an unexpected message of 80 bytes from rank 1 with tag 7 (place 1) is here, "
                "and no receive for it has been submitted");
    rt.recv("after all", out(ghost), 1, 7);
  } else {
    rt.send("edge", in(data), 0, 7);
    rt.wait();  // MPI has it
    tell();
    listen();
    rt.send("edge", in(data), 0, 3);
  }
  rt.wait();
  env.barrier();
}

TEST_P(stall_policies, messages_in_another_order_are_named_by_their_places) {
  runtime rt{env, options()};
  std::vector<int> small(2, 1);
  std::vector<int> got(2, 0);
  if (env.rank() == 0) {
    after_first_report = [this] { tell(); };
    listen();
    for (int i = 0; i < 4; ++i) rt.recv("first four", out(got), 1, 3);
    rt.recv("other tag", out(got), 1, 4);
    rt.wait();
    EXPECT_SAYS(report(), "receive 'other tag' from rank 1, tag 4, place 1, 8 bytes: started ");
    EXPECT_SAYS(report(), "an unexpected message of 8 bytes from rank 1 with tag 3 (place 5)");
    rt.recv("fifth", out(got), 1, 3);
  } else {
    for (int i = 0; i < 5; ++i) rt.send("five", in(small), 0, 3);
    rt.wait();
    tell();
    listen();
    rt.send("other tag", in(small), 0, 4);
  }
  rt.wait();
  EXPECT_EQ(got, std::vector<int>(2, env.rank() == 0 ? 1 : 0));
  env.barrier();
}

TEST_P(stall_policies, an_early_message_of_another_size_is_named) {
  runtime rt{env, options()};
  std::vector<int> ghost(12, 0);
  std::vector<int> edge(10, 1);
  if (env.rank() == 0) {
    after_first_report = [this] { tell(); };
    listen();
    rt.recv("first", out(ghost), 1, 1);
    rt.recv("ghost", out(ghost), 1, 3);  // once the first has come
    try {
      rt.wait();
      ADD_FAILURE() << "the message has another size";
    } catch (const error&) {
    }
    EXPECT_SAYS(report(),
                "receive 'ghost' from rank 1, tag 3, place 1, 48 bytes: not started, "
                "waits for receive 'first' from rank 1, tag 1\n");
    EXPECT_SAYS(report(),
                "an early message of 40 bytes from rank 1 with tag 3 (place 1) is here, "
                "and its receive 'ghost' has not been started, and is of 48 bytes\n");
  } else {
    rt.send("edge", in(edge), 0, 3);
    rt.wait();
    tell();
    listen();
    std::vector<int> first(12, 1);
    rt.send("first", in(first), 0, 1);
    rt.wait();
  }
  env.barrier();
}

// More messages on a channel than may overtake each other, and the first is not ready.
TEST_P(stall_policies, messages_that_wait_for_their_turn_are_named) {
  runtime rt{env, options()};
  constexpr std::size_t count = 65;
  std::vector<int> values(count, 1);
  int first = 1;
  if (env.rank() == 0) {
    after_first_report = [this] { tell(); };
    rt.recv("first", out(first), 1, 1);
    rt.send("value", in(first), 1, 2);  // place 1
    for (int& value : values) rt.send("value", in(value), 1, 2);
    rt.wait();
    EXPECT_SAYS(report(),
                "send 'value' to rank 1, tag 2, place 1, 4 bytes: not started, waits for "
                "receive 'first' from rank 1, tag 1\n");
    EXPECT_SAYS(report(),
                "send 'value' to rank 1, tag 2, place 65, 4 bytes: not started, place 1 "
                "of this peer and tag must be before\n");
  } else {
    listen();
    rt.send("first", in(first), 0, 1);
    rt.recv("value", out(first), 0, 2);
    for (int& value : values) rt.recv("value", out(value), 0, 2);
    rt.wait();
  }
  env.barrier();
}

TEST_P(stall_policies, a_long_list_is_cut) {
  runtime rt{env, options()};
  std::vector<int> values(30, 1);
  if (env.rank() == 0) {
    after_first_report = [this] { tell(); };
    for (int& value : values) rt.recv("value", out(value), 1, 2);
    rt.wait();
    EXPECT_SAYS(report(), "30 messages under way");
    EXPECT_SAYS(report(), "place 10,");
    EXPECT_SAYS(report(), "... and 20 more\n");
    EXPECT_SILENT_ABOUT(report(), "place 11,");
  } else {
    listen();
    for (int& value : values) rt.send("value", in(value), 0, 2);
    rt.wait();
  }
  env.barrier();
}

TEST_P(stall_policies, each_standstill_of_a_slow_program_is_reported_once_and_the_result_is_right) {
  runtime_options o = options();
  int told = 0;
  o.stall_sink = [&](const std::string& text) {
    reports.push_back(text);
    if (text.find("place " + std::to_string(told + 1) + ", 4 bytes: started") == text.npos) return;
    ++told;
    tell();
  };
  runtime rt{env, o};
  int value = 0;
  if (env.rank() == 0) {
    for (int i = 0; i < 2; ++i) {
      rt.recv("value", out(value), 1);
      rt.task(
          "add", [](int& n) { n += 10; }, inout(value));
    }
    rt.wait();
    EXPECT_EQ(reports_that_say("place 1, 4 bytes: started"), 1);
    EXPECT_EQ(reports_that_say("place 2, 4 bytes: started"), 1);
    EXPECT_EQ(value, 17);
  } else {
    for (value = 6; value < 8; ++value) {
      listen();
      std::this_thread::sleep_for(200ms);  // no second report of it
      rt.send("value", in(value), 0);
      rt.wait();
    }
  }
  env.barrier();
}

TEST_P(stall_policies, a_program_that_moves_is_not_reported) {
  runtime_options o = options();
  o.tasks.stall_report_s = 60;
  runtime rt{env, o};
  int mine = env.rank();
  int theirs = -1;
  for (int i = 0; i < 200; ++i) {
    rt.recv("theirs", out(theirs), peer);
    rt.send("mine", in(mine), peer);
    rt.task(
        "take", [](const int& from, int& to) { to = from + 1; }, in(theirs), out(mine));
  }
  rt.wait();
  EXPECT_EQ(mine, env.rank() + 200);
  EXPECT_TRUE(reports.empty());
  env.barrier();
}

TEST_P(stall_policies, a_replay_that_stalls_names_the_iteration) {
  runtime rt{env, options()};
  int ghost = 0;
  int sum = 0;
  const auto step = [&] {
    rt.recv("ghost", out(ghost), peer, 4);
    rt.task(
        "sum", [](const int& from, int& to) { to += from; }, in(ghost), inout(sum));
  };
  if (env.rank() == 0) {
    after_first_report = [this] { tell(); };
    graph steps = rt.record([&] {
      step();
      step();
    });
    listen();
    rt.replay(steps, 3).wait();
    const std::string text = report();
    EXPECT_SAYS(text, "receive 'ghost' from rank 1, tag 4, place 4, 4 bytes: started ");
    EXPECT_SAYS(text, "task 'sum', iteration 2 waits for receive 'ghost' from rank 1, tag 4\n");
    EXPECT_SAYS(text,
                "receive 'ghost' from rank 1, tag 4, iteration 3, 4 bytes: not started, "
                "waits for task 'sum'");
    EXPECT_EQ(sum, 1 + 2 + 3 + 4 + 5 + 6);
  } else {
    std::vector<int> values{1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 6; ++i) {
      if (i == 3) {
        rt.wait();
        tell();
        listen();
      }
      rt.send("edge", in(values[static_cast<std::size_t>(i)]), 0, 4);
    }
    rt.wait();
  }
  env.barrier();
}

// A task that blocks in MPI while it holds the token stops everything.
TEST_P(stall_policies, a_task_that_keeps_the_token_is_named) {
  runtime rt{env, options(2)};
  std::atomic<bool> begun{false};
  std::atomic<bool> enough{false};
  int ghost = 0;
  int edge = 1;
  rt.task("blocks", [&] {
    mpi_token_guard guard(env.token());
    begun = true;
    while (!enough) std::this_thread::sleep_for(1ms);
  });
  while (!begun) std::this_thread::sleep_for(1ms);
  after_first_report = [&] { enough = true; };
  rt.recv("ghost", out(ghost), peer);
  rt.send("edge", in(edge), peer);
  rt.wait();
  EXPECT_SAYS(report(), "task 'blocks' has been running on worker ");
  EXPECT_SAYS(report(), "another thread keeps the right to call MPI");
  env.barrier();
}

TEST(stall, the_environment_variable_has_the_last_word) {
  environment& env = test_environment();
  ASSERT_EQ(setenv("PLAIT_STALL_REPORT_S", "soon", 1), 0);
  EXPECT_THROW(runtime(env, {.tasks = {.workers = 1}}), usage_error);
  ASSERT_EQ(setenv("PLAIT_STALL_REPORT_S", "0", 1), 0);
  int reports = 0;
  {
    runtime rt{env,
               {.tasks = {.workers = 1, .stall_report_s = 0.01},
                .stall_sink = [&reports](const std::string&) { ++reports; }}};
    int value = 1;
    if (env.rank() == 0) {
      rt.recv("late", out(value), 1);
    } else {
      std::this_thread::sleep_for(100ms);
      rt.send("late", in(value), 0);
    }
    rt.wait();
  }
  EXPECT_EQ(reports, 0);
  ASSERT_EQ(unsetenv("PLAIT_STALL_REPORT_S"), 0);
}

}  // namespace
}  // namespace plait::test
