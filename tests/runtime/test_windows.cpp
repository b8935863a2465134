// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication as tasks: what is put and got, in which order, and that no signal comes
// before its data.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/exposed_memory.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/trace/arrow.hpp>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

constexpr progress all_policies[] = {progress::automatic, progress::dedicated, progress::sleeping,
                                     progress::workers, progress::none};

void fill(std::span<int> x, int value) {
  std::fill(x.begin(), x.end(), value);
}

/// How many operations the random tests make on each rank.
[[nodiscard]] int random_operations(int usual) {
  const char* const text = std::getenv("PLAIT_TEST_ONE_SIDED_OPERATIONS");
  return text != nullptr ? std::atoi(text) : usual;
}

class windows : public ::testing::TestWithParam<std::tuple<progress, int>> {
 protected:
  environment& env = test_environment();
  const int rank = env.rank();
  const int ranks = env.size();
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  [[nodiscard]] runtime_options options() const {
    const auto& [policy, workers] = GetParam();
    return {.workers = workers, .policy = policy};
  }
};
INSTANTIATE_TEST_SUITE_P(one_sided, windows,
                         ::testing::Combine(::testing::ValuesIn(all_policies),
                                            ::testing::Values(1, 2)),
                         [](const auto& one) {
                           return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
                                  std::to_string(std::get<1>(one.param));
                         });

TEST_P(windows, every_rank_gets_and_puts_parts_of_different_lengths) {
  runtime rt{env, options()};
  // Rank r has 100 (r + 1) elements; in its slot s, the first of which is its own, rank s puts.
  const auto length = [](int r) { return static_cast<std::size_t>(100 * (r + 1)); };
  std::vector<int> own(length(rank));
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = 1000 * rank + static_cast<int>(i);
  std::vector<int> slots(static_cast<std::size_t>(ranks), -1);
  auto source = rt.window(own);
  auto sink = rt.window(slots);
  std::vector<std::vector<int>> got(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    EXPECT_EQ(source.size(r), length(r));
    auto& to = got[static_cast<std::size_t>(r)];
    to.assign(length(r) - 7, -1);
    rt.get("their part", source, r, 7, out(to));
  }
  const int mine = 10 + rank;
  for (int r = 0; r < ranks; ++r) {
    rt.put("mine", sink, r, static_cast<std::size_t>(rank), in(mine));
  }
  rt.wait();
  env.barrier();  // all puts have finished, so they are there
  for (int r = 0; r < ranks; ++r) {
    const auto& to = got[static_cast<std::size_t>(r)];
    for (std::size_t i = 0; i < to.size(); ++i) {
      ASSERT_EQ(to[i], 1000 * r + static_cast<int>(i) + 7) << "rank " << r << ", element " << i;
    }
    EXPECT_EQ(slots[static_cast<std::size_t>(r)], 10 + r);
  }
  env.barrier();  // nobody's window ends while another one's is looked at
}

TEST_P(windows,
       a_get_after_a_put_of_the_same_bytes_sees_it_and_a_put_after_a_get_does_not_disturb) {
  runtime rt{env, options()};
  std::vector<int> own(40'000, -1);  // large, so that its data is a message of its own
  auto w = rt.window(own);
  std::vector<int> first(20'000, 1 + rank);
  std::vector<int> second(20'000, 101 + rank);
  int before = 0;
  int after = 0;
  rt.put("first", w, right, 10'000, in(first));
  rt.get("before", w, right, 15'000, out(before));
  rt.put("second", w, right, 10'000, in(second));
  rt.get("after", w, right, 15'000, out(after));
  rt.wait();
  EXPECT_EQ(before, 1 + rank);
  EXPECT_EQ(after, 101 + rank);
  env.barrier();
  EXPECT_EQ(own[9'999], -1);
  EXPECT_EQ(own[10'000], 101 + left);
  EXPECT_EQ(own[29'999], 101 + left);
  EXPECT_EQ(own[30'000], -1);
}

TEST_P(windows, what_is_put_may_be_overwritten_by_later_tasks) {
  runtime rt{env, options()};
  std::vector<int> own(8 * 1000, -1);
  auto w = rt.window(own);
  std::vector<int> buffer(1000);
  for (int i = 0; i < 8; ++i) {
    rt.task("fill", fill, out(std::span(buffer)), 8 * rank + i);
    rt.put("part", w, right, static_cast<std::size_t>(1000 * i), in(buffer));
  }
  rt.wait();
  env.barrier();
  for (int i = 0; i < 8 * 1000; ++i) {
    ASSERT_EQ(own[static_cast<std::size_t>(i)], 8 * left + i / 1000) << "element " << i;
  }
  env.barrier();
}

TEST_P(windows, signals_carry_a_ring_of_sums_with_one_buffer_in_each_direction) {
  runtime rt{env, options()};
  constexpr int rounds = 12;
  constexpr int data = 0;
  constexpr int room = 1;
  std::vector<long> ghost(3000, 0);
  std::vector<long> sum(3000, rank + 1);
  auto w = rt.window(ghost);
  bool may_put = false;
  for (int round = 0; round < rounds; ++round) {
    // From the second round on the neighbour says when its ghosts may be overwritten.
    if (round > 0) rt.await_signal("room", w, right, out(may_put), room);
    auto send = [&] { rt.put_signal("edge", w, right, 0, in(sum), data); };
    if (round > 0) {
      rt.task(
          "after room", [](bool, std::span<long>) {}, in(may_put), inout(std::span(sum)));
    }
    send();
    rt.await_signal("ghost", w, left, out(ghost), data);
    rt.task(
        "add",
        [](std::span<const long> g, std::span<long> s) {
          for (std::size_t i = 0; i < s.size(); ++i) s[i] = g[i] + 1;
        },
        in(std::span(ghost)), inout(std::span(sum)));
    rt.signal("read", w, left, inout(ghost), room);
  }
  rt.wait();
  // Each round hands on the neighbour's value and adds one.
  const int from = ((rank - rounds) % ranks + ranks) % ranks;
  for (const long s : sum) ASSERT_EQ(s, from + 1 + rounds);
  env.barrier();
}

TEST_P(windows, the_kth_wait_meets_the_kth_signal_whichever_is_first) {
  runtime rt{env, options()};
  std::vector<int> slots(60, -1);
  auto w = rt.window(slots);
  std::vector<int> values(60);
  std::vector<int> seen(60, -1);
  // The data of even places is final late; the waits for flag 1 are submitted before its signals.
  std::iota(values.begin(), values.end(), 100 * rank);
  const auto wait_for = [&](std::size_t i, int flag) {
    rt.await_signal("arrived", w, left, out(slots[i]), flag);
    rt.task(
        "look", [](int x, int& to) { to = x; }, in(slots[i]), out(seen[i]));
  };
  for (std::size_t i = 30; i < 60; ++i) wait_for(i, 1);
  for (std::size_t i = 0; i < 60; ++i) {
    if (i % 2 == 0) {
      rt.task(
          "late",
          [](int& x) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            x += 1000;
          },
          inout(values[i]));
    }
    rt.put_signal("value", w, right, i, in(values[i]), i < 30 ? 0 : 1);
  }
  for (std::size_t i = 0; i < 30; ++i) wait_for(i, 0);
  rt.wait();
  for (std::size_t i = 0; i < 60; ++i) {
    ASSERT_EQ(seen[i], 100 * left + static_cast<int>(i) + (i % 2 == 0 ? 1000 : 0)) << i;
  }
  env.barrier();
}

TEST_P(windows, a_recorded_exchange_keeps_its_signals_apart) {
  runtime rt{env, options()};
  constexpr std::uint64_t rounds = 20;
  long ghost = 0;
  long value = rank;
  bool may_put = false;
  auto w = rt.window(std::span(&ghost, 1));
  rt.signal("room at first", w, left, inout(ghost), 1);
  plait::graph round = rt.record([&] {
    rt.await_signal("room", w, right, out(may_put), 1);
    rt.task(
        "after room", [](bool, long&) {}, in(may_put), inout(value));
    rt.put_signal("edge", w, right, 0, in(value));
    rt.await_signal("ghost", w, left, out(ghost));
    rt.task(
        "add", [](long g, long& v) { v = g + 1; }, in(ghost), inout(value));
    rt.signal("read", w, left, inout(ghost), 1);
  });
  rt.replay(round, rounds);
  rt.replay(round, 3).wait();
  const long all = static_cast<long>(rounds) + 3;
  EXPECT_EQ(value, ((rank - all) % ranks + ranks) % ranks + all);
  env.barrier();
}

TEST_P(windows, the_ledger_balances) {
  runtime rt{env, options()};
  std::vector<int> own(20'000);
  std::vector<int> theirs(20'000);
  auto w = rt.window(own);
  rt.reset_ledger();
  for (int i = 0; i < 10; ++i) {
    rt.get("get", w, right, 0, out(theirs));
    rt.task(
        "use", [](std::span<const int> x, int) { EXPECT_EQ(x[0], 0); }, in(std::span(theirs)), i);
  }
  rt.wait();
  for (const auto& e : rt.ledger()) EXPECT_LT(e.balance_error(), 0.01) << "worker " << e.worker;
}

TEST(window, answers_while_the_program_of_its_rank_computes) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  runtime rt{env, {.workers = 2, .policy = progress::sleeping}};
  std::vector<int> own(50'000, env.rank());
  auto w = rt.window(own);
  if (env.rank() == 0) {
    std::vector<int> theirs(50'000, -1);
    rt.get("theirs", w, 1, 0, out(theirs));
    rt.signal("leave", w, 1, in(theirs));
    rt.wait();
    EXPECT_EQ(theirs[49'999], 1);
  } else if (env.rank() == 1) {
    // The program calls nothing of plait's until rank 0 has got what it wants; the other worker,
    // which does not poll with this policy, tells it.
    std::atomic<bool> told{false};
    bool signal = false;
    rt.await_signal("leave", w, 0, out(signal));
    rt.task(
        "tell", [&told](bool) { told.store(true); }, in(signal));
    while (!told.load()) std::this_thread::yield();
    rt.wait();
  }
}

TEST(window, ends_when_the_other_ranks_have_finished_with_it) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  for (int i = 0; i < 20; ++i) {
    std::vector<int> own(1000, env.rank() + i);
    std::vector<int> theirs(1000);
    {
      auto w = rt.window(own);
      const int next = (env.rank() + 1) % env.size();
      rt.get("theirs", w, next, 0, out(theirs));
    }
    EXPECT_EQ(theirs[999], (env.rank() + 1) % env.size() + i);
  }
}

TEST(window, is_made_while_tasks_that_other_ranks_wait_for_have_not_run) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1, .policy = progress::none}};
  const int next = (env.rank() + 1) % env.size();
  const int before = (env.rank() + env.size() - 1) % env.size();
  std::vector<int> mine(1000);
  std::vector<int> theirs(1000);
  std::vector<int> own(10);
  rt.recv("ghost", out(theirs), before);
  rt.task("fill", fill, out(std::span(mine)), env.rank());
  rt.send("edge", in(mine), next);
  if (env.rank() == 0) rt.wait_on(theirs);  // the others are in `window` by then, perhaps
  auto w = rt.window(own);
  rt.wait();
  EXPECT_EQ(theirs[7], before);
}

/// Address space in use, in bytes.
rlim_t used_addresses() {
  std::ifstream of_this_process("/proc/self/statm");
  rlim_t pages = 0;
  of_this_process >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

TEST(window, that_one_rank_has_no_addresses_for_is_an_error_on_all) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  constexpr std::size_t size = std::size_t{8} << 30;
  void* const begin =
      ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(begin, MAP_FAILED);
  const bool last = env.rank() == env.size() - 1;
  rlimit old{};
  ::getrlimit(RLIMIT_AS, &old);
  if (last) {
    const rlimit less{used_addresses() + size / 4, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
  }
  std::string refused = "accepted";
  try {
    auto w = rt.window(std::span(static_cast<char*>(begin), env.rank() == 0 ? size : 0));
  } catch (const error& e) {
    refused = e.what();
  }
  if (last) ::setrlimit(RLIMIT_AS, &old);
  ::munmap(begin, size);
  EXPECT_EQ(refused.substr(0, 23),
            last ? "window: cannot reserve "
                 : "window: rank " + std::to_string(env.size() - 1) + " cannot r");
  // Nothing is left of it.
  int own = env.rank();
  auto w = rt.window(std::span(&own, 1));
  int theirs = -1;
  rt.get("theirs", w, 0, 0, out(theirs));
  rt.wait();
  EXPECT_EQ(theirs, 0);
}

TEST(window, refuses_what_is_out_of_range_in_one_line) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  std::vector<double> own(100);
  auto w = rt.window(own, {.flags = 3});
  std::vector<double> x(60);
  const std::string ranks = "; ranks are 0 to " + std::to_string(env.size() - 1);
  EXPECT_EQ(refusal([&] { rt.put("edge", w, env.size(), 0, in(x)); }),
            "put 'edge': rank " + std::to_string(env.size()) + ranks);
  EXPECT_EQ(refusal([&] { rt.get("edge", w, -1, 0, out(x)); }), "get 'edge': rank -1" + ranks);
  EXPECT_EQ(refusal([&] { rt.get("edge", w, 0, 50, out(x)); }),
            "get 'edge': 480 bytes from byte 400 on are not in the window of rank 0, which has 800 "
            "bytes");
  EXPECT_NE(refusal([&] { rt.put("edge", w, 0, SIZE_MAX / 4 + 1, in(x)); }), "accepted");
  EXPECT_EQ(refusal([&] { rt.put_signal("edge", w, 0, 0, in(x), 3); }),
            "put_signal 'edge': flag 3; the flags of this window are 0 to 2");
  EXPECT_EQ(refusal([&] { rt.await_signal("edge", w, 0, out(own), -1); }),
            "await_signal 'edge': flag -1; the flags of this window are 0 to 2");
  rt.wait();  // nothing of it was submitted
  EXPECT_NE(refusal([&] { (void)rt.window(own, {.flags = 0}); }), "accepted");
  if (env.size() > 1) {
    EXPECT_NE(refusal([&] { (void)rt.window(own, {.flags = env.rank() + 1}); }), "accepted");
  }
}

TEST(window, has_what_feeds_a_put_go_first_in_a_replay) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  int ghost = 0;
  auto w = rt.window(std::span(&ghost, 1));
  std::array<int, 8> inner{};
  int rim = 0;
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
    rt.put("edge", w, (env.rank() + 1) % env.size(), 0, in(rim));
    // Writes what the put reads, so that all of the next iteration is ready when this is done.
    rt.task("end", note, inout(rim), inout(begin), &order, 9);
  });
  constexpr std::size_t iterations = 20;
  rt.replay(step, iterations).wait();
  ASSERT_EQ(order.size(), 10 * iterations);
  for (std::size_t i = 8; i < iterations; ++i) EXPECT_EQ(order[10 * i], 8) << "iteration " << i;
}

TEST(window, that_has_ended_ends_the_replays_that_use_it) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  std::vector<int> own(10, 1);
  std::vector<int> x(10);
  plait::graph get = [&] {
    auto w = rt.window(own);
    plait::graph recorded = rt.record([&] { rt.get("theirs", w, 0, 0, out(x)); });
    rt.replay(recorded, 2).wait();
    return recorded;
  }();
  EXPECT_EQ(x[9], 1);
  EXPECT_EQ(refusal([&] { rt.replay(get, 1); }), "replay: the window of 'theirs' has ended");
}

TEST(window, lets_go_of_its_rank_after_a_failure) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  std::vector<int> own(1000);
  std::vector<int> x(1000);
  auto w = rt.window(own);
  const int next = (env.rank() + 1) % env.size();
  rt.get("get", w, next, 0, out(x));
  rt.await_signal("never", w, next, out(own));
  rt.task(
      "fails", [](int) { throw std::runtime_error("on purpose"); }, 1);
  EXPECT_THROW(rt.wait(), std::runtime_error);
  EXPECT_THROW(rt.get("too late", w, next, 0, out(x)), error);
  env.barrier();
}

/// `environment`'s own calls block with the token; a rank that is in one must answer all the same.
TEST(window, answers_while_its_rank_waits_for_the_others_in_a_blocking_call) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  int own = env.rank();
  const int next = (env.rank() + 1) % env.size();
  auto w = rt.window(std::span(&own, 1));
  if (env.rank() % 2 == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the others are in it by now
    int theirs = -1;
    rt.get("get", w, next, 0, out(theirs));
    rt.wait();
    EXPECT_EQ(theirs, next);
  }
  EXPECT_EQ(env.broadcast(env.rank() == 0 ? "all" : ""), "all");
  EXPECT_EQ(env.gather("x").size(), env.rank() == 0 ? static_cast<std::size_t>(env.size()) : 0U);
  const runtime another{env, {.workers = 1}};
  env.barrier();
}

/// The others never come: they wait for what the failed task would have sent.
TEST(window, is_not_waited_for_after_a_failure) {
  environment& env = test_environment();
  if (env.size() == 1) return;
  std::vector<int> own(4);
  bool failed = false;
  try {
    runtime rt{env, {.workers = 1}};
    if (env.rank() == 0) {
      rt.task("fails", [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        throw std::runtime_error("on purpose");
      });
      (void)rt.window(own);
    }
  } catch (const std::runtime_error& thrown) {
    failed = true;
    EXPECT_STREQ(thrown.what(), "on purpose");
  }
  EXPECT_EQ(failed, env.rank() == 0);
  env.barrier();
}

TEST(window, leaves_a_failure_to_the_next_wait) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  int own = 0;
  {
    auto w = rt.window(std::span(&own, 1));
    rt.task("fails", [] { throw std::runtime_error("on purpose"); });
  }
  EXPECT_THROW(rt.wait(), std::runtime_error);
  env.barrier();
}

TEST(window, that_an_exception_leaves_waits_for_nobody) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  std::vector<int> own(1000);
  try {
    auto w = rt.window(own);
    rt.await_signal("never", w, (env.rank() + 1) % env.size(), out(own));
    throw std::runtime_error("on purpose");
  } catch (const std::runtime_error& thrown) {
    EXPECT_STREQ(thrown.what(), "on purpose");
  }
  EXPECT_THROW((void)rt.window(own), error);
  env.barrier();
}

TEST(window, shows_a_signal_as_an_arrow_from_its_put_to_its_wait) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 1}};
  const int next = (env.rank() + 1) % env.size();
  const int before = (env.rank() + env.size() - 1) % env.size();
  int own = 0;
  int mine = 1;
  int theirs = 0;
  std::vector<trace_event> events;
  {
    auto w = rt.window(std::span(&own, 1));
    auto other = rt.window(std::span(&mine, 1));  // its operations have no part in this
    rt.start_trace();
    rt.put_signal("put", w, next, 0, in(mine), 1);
    rt.get("get", other, next, 0, out(theirs));
    rt.await_signal("wait", w, before, out(own), 1);
    rt.wait();
    events = collect_events(env, rt.stop_trace());
  }
  if (env.rank() != 0) return;
  int arrows = 0;
  for (const trace_arrow& arrow : find_arrows(events)) {
    if (arrow.kind != arrow_kind::message) continue;
    ++arrows;
    EXPECT_EQ(events[arrow.from].name, "put");
    EXPECT_EQ(events[arrow.to].name, "wait");
    EXPECT_EQ(events[arrow.to].rank, (events[arrow.from].rank + 1) % env.size());
  }
  EXPECT_EQ(arrows, env.size());
}

TEST(window, names_the_signal_that_does_not_come_in_a_report_of_a_stall) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  std::string report;
  runtime rt{
      env, {.workers = 1, .stall_report_s = 0.2, .stall_sink = [&report](const std::string& text) {
              report += text;
            }}};
  std::vector<int> own(10);
  auto w = rt.window(own);
  if (env.rank() == 1) {
    rt.await_signal("late", w, 0, out(own), 2);
    rt.task("use", fill, inout(std::span(own)), 1);
    rt.wait();
    EXPECT_NE(report.find("signal 'late' from rank 0, flag 2, place 1, 0 bytes: started"),
              std::string::npos)
        << report;
    EXPECT_NE(report.find("task 'use' waits for signal 'late' from rank 0, flag 2"),
              std::string::npos)
        << report;
  } else if (env.rank() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    rt.signal("late", w, 1, inout(own), 2);
  }
}

// --- random operations
// ------------------------------------------------------------------------------------------

/// Each rank has for each rank a slice of its window, in which only that one puts and gets.
constexpr std::size_t slice_bytes = 80'000;

struct planned_operation {
  enum class kind : std::uint8_t { put, put_signal, get };
  kind what;
  int target;
  int flag;
  std::size_t begin;
  std::size_t size;
  std::uint8_t value;  ///< of a put: the first byte; each next one is one more
};

/// Mostly small, often around the size from which data is a message of its own, now and then large.
[[nodiscard]] std::size_t random_size(std::mt19937_64& random) {
  const std::size_t most[] = {1, 40, 40, 4096, 4096, 4096, slice_bytes};
  return 1 + random() % most[random() % std::size(most)];
}

/// What `origin` does; every rank can make every rank's.
[[nodiscard]] std::vector<planned_operation> plan(std::uint64_t seed, int origin, int ranks,
                                                  int count) {
  std::mt19937_64 random(1000 * seed + static_cast<std::uint64_t>(origin));
  std::vector<planned_operation> all;
  for (int i = 0; i < count; ++i) {
    const std::size_t size = random_size(random);
    const auto what = static_cast<planned_operation::kind>(random() % 3);
    const int target = static_cast<int>(random() % static_cast<std::uint64_t>(ranks));
    const int flag = static_cast<int>(random() % 3);
    const std::size_t begin = random() % (slice_bytes - size + 1);
    all.push_back({what, target, flag, begin, size, static_cast<std::uint8_t>(random())});
  }
  return all;
}

void count_up(std::span<std::uint8_t> x, std::uint8_t first) {
  for (std::uint8_t& one : x) one = first++;
}

using bytes = std::vector<std::uint8_t>;

/// The slice of `target` after all that `origin` puts there.
[[nodiscard]] bytes slice_after(const std::vector<planned_operation>& all, int target) {
  bytes slice(slice_bytes, 0);
  for (const auto& one : all) {
    if (one.target != target || one.what == planned_operation::kind::get) continue;
    count_up(std::span(slice).subspan(one.begin, one.size), one.value);
  }
  return slice;
}

[[nodiscard]] runtime_options random_options(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t windows[] = {1, 2, 17, 4096};
  runtime_options options{.workers = 1 + static_cast<int>(random() % 3),
                          .window = windows[random() % 4],
                          .policy = all_policies[seed % std::size(all_policies)]};
  if (random() % 2 == 0) {
    options.disturb = {.seed = random(), .probability = 0.2, .longest_delay_s = 2e-4};
  }
  return options;
}

/// One rank's part of a random program.
void run_random_program(std::uint64_t seed, int count) {
  environment& env = test_environment();
  runtime rt{env, random_options(seed + static_cast<std::uint64_t>(env.rank()))};
  const auto slices = static_cast<std::size_t>(env.size());
  const auto rank = static_cast<std::size_t>(env.rank());
  bytes own(slices * slice_bytes, 0);
  std::vector<std::vector<planned_operation>> plans;
  for (int r = 0; r < env.size(); ++r) plans.push_back(plan(seed, r, env.size(), count));
  std::vector<bytes> model(slices, bytes(slice_bytes, 0));  // of what this rank puts, by target
  std::vector<bytes> buffers(5, bytes(slice_bytes));
  bool signal = false;
  auto w = rt.window(own);
  std::size_t next_buffer = 0;
  for (int i = 0; i < count; ++i) {
    const planned_operation& one = plans[rank][static_cast<std::size_t>(i)];
    auto& there = model[static_cast<std::size_t>(one.target)];
    const std::size_t offset = rank * slice_bytes + one.begin;
    const auto buffer = std::span(buffers[next_buffer++ % buffers.size()]).first(one.size);
    const auto part = std::span(there).subspan(one.begin, one.size);
    if (one.what == planned_operation::kind::get) {
      rt.get("get", w, one.target, offset, out(buffer));
      rt.task(
          "compare",
          [](std::span<const std::uint8_t> got, const bytes& expected, int which) {
            EXPECT_TRUE(std::ranges::equal(got, expected)) << "operation " << which;
          },
          in(buffer), bytes(part.begin(), part.end()), i);
    } else {
      rt.task("count up", count_up, out(buffer), one.value);
      count_up(part, one.value);
      if (one.what == planned_operation::kind::put) {
        rt.put("put", w, one.target, offset, in(buffer));
      } else {
        rt.put_signal("put", w, one.target, offset, in(buffer), one.flag);
      }
    }
    for (int r = 0; r < env.size(); ++r) {
      const auto& theirs = plans[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
      if (theirs.what == planned_operation::kind::put_signal && theirs.target == env.rank()) {
        rt.await_signal("told", w, r, out(signal), theirs.flag);
      }
    }
  }
  rt.wait();
  env.barrier();
  for (std::size_t r = 0; r < slices; ++r) {
    const bytes expected = slice_after(plans[r], env.rank());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                           own.begin() + static_cast<std::ptrdiff_t>(r * slice_bytes)))
        << "what rank " << r << " has put, seed " << seed;
  }
}

TEST(random_operations, give_what_they_give_one_after_the_other) {
  constexpr int in_one_program = 250;
  const int programs =
      std::max(1, random_operations(4000) / in_one_program / test_environment().size());
  for (int seed = 0; seed < programs && !::testing::Test::HasFailure(); ++seed) {
    run_random_program(static_cast<std::uint64_t>(seed), in_one_program);
  }
}

// --- signals and their data
// -------------------------------------------------------------------------------------

constexpr std::size_t ring_slots = 3;
constexpr int data_flag = 0;
constexpr int room_flag = 1;

/// Large and tiny in turn, and not alike for two that follow each other in a slot.
[[nodiscard]] std::size_t size_of_place(std::uint64_t seed, int place) {
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(place));
  return place % 2 == 0 ? 1 + random() % 16 : 1000 + random() % (slice_bytes - 1000);
}
[[nodiscard]] std::uint8_t value_of_place(int origin, int place) {
  return static_cast<std::uint8_t>(37 * origin + 11 * place + 1);
}

/// Every rank sends every rank a stream of `count` puts with signals into a ring of few slots, and
/// looks at the data the moment its signal is there.
void run_streams(std::uint64_t seed, int count) {
  environment& env = test_environment();
  runtime rt{env, random_options(seed + static_cast<std::uint64_t>(env.rank()))};
  const auto ranks = static_cast<std::size_t>(env.size());
  bytes own(ranks * ring_slots * slice_bytes, 0);
  std::vector<bytes> outgoing(ranks, bytes(slice_bytes));
  std::vector<std::uint8_t> room(ranks, 0);
  auto w = rt.window(own);
  const auto slot = [](int origin, int place) {
    return (static_cast<std::size_t>(origin) * ring_slots +
            static_cast<std::size_t>(place) % ring_slots) *
           slice_bytes;
  };
  for (int place = 0; place < count; ++place) {
    const std::size_t size = size_of_place(seed, place);
    for (int other = 0; other < env.size(); ++other) {
      auto& may_put = room[static_cast<std::size_t>(other)];
      const auto data = std::span(outgoing[static_cast<std::size_t>(other)]).first(size);
      if (place >= static_cast<int>(ring_slots)) {
        rt.await_signal("room", w, other, out(may_put), room_flag);
      }
      rt.task(
          "fill",
          [](std::span<std::uint8_t> x, std::uint8_t, std::uint8_t first) { count_up(x, first); },
          out(data), in(may_put), value_of_place(env.rank(), place));
      rt.put_signal("data", w, other, slot(env.rank(), place), in(data), data_flag);
    }
    for (int other = 0; other < env.size(); ++other) {
      const auto here = std::span(own).subspan(slot(other, place), size);
      rt.await_signal("data", w, other, out(here), data_flag);
      rt.task(
          "look",
          [](std::span<const std::uint8_t> x, std::uint8_t first, int which) {
            std::size_t wrong = 0;
            for (const std::uint8_t one : x) wrong += one != first++ ? 1U : 0U;
            EXPECT_EQ(wrong, 0U) << "of " << x.size() << " bytes of place " << which;
          },
          in(here), value_of_place(other, place), place);
      rt.signal("room", w, other, inout(here), room_flag);
    }
  }
  rt.wait();
}

TEST(signals, never_come_before_their_data) {
  constexpr int in_one_stream = 50;
  const int ranks = test_environment().size();
  const int streams = std::max(5, random_operations(4000) / in_one_stream / ranks / ranks);
  for (int seed = 0; seed < streams && !::testing::Test::HasFailure(); ++seed) {
    run_streams(static_cast<std::uint64_t>(seed), in_one_stream);
  }
}

}  // namespace
}  // namespace plait::test
