// SPDX-License-Identifier: BSD-3-Clause
// Which tasks of a replay go first, by what was measured of its iterations before.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace {

using plait::in;
using plait::inout;
using plait::scheduler;

/// Submits a message that is over as soon as it is started.  The caller adds its accesses.
plait::detail::task_node& message(scheduler& s, plait::detail::traffic exchanges) {
  auto& node = s.allocate("message", plait::detail::node_kind::asynchronous);
  scheduler* owner = &s;
  std::memcpy(node.storage, &owner, sizeof owner);
  node.act = [](plait::detail::task_node& self, plait::detail::node_action action) {
    if (action != plait::detail::node_action::run_again) return;
    (*reinterpret_cast<scheduler**>(self.storage))->complete(self);
  };
  node.exchanges = exchanges;
  return node;
}

[[nodiscard]] plait::byte_range bytes_of(const int& x) {
  const auto begin = reinterpret_cast<std::uintptr_t>(&x);
  return {begin, begin + sizeof x};
}

void send(scheduler& s, const int& what, plait::detail::traffic exchanges) {
  auto& node = message(s, exchanges);
  const bool receives = exchanges != plait::detail::traffic::sends;
  s.add_access(node, bytes_of(what), receives ? plait::access_mode::inout : plait::access_mode::in);
  s.submit(node);
}

void exchange(scheduler& s, const int& from, const int& to) {
  auto& node = message(s, plait::detail::traffic::both);
  s.add_access(node, bytes_of(from), plait::access_mode::in);
  s.add_access(node, bytes_of(to), plait::access_mode::out);
  s.submit(node);
}

/// Iterations of ten interior tasks (0 to 9), a rim task (10) that feeds a send, and one that ends
/// the iteration (11), on one worker.  All but the last become ready at the same time.
class stencil {
 public:
  explicit stencil(bool measured, plait::priority rim = plait::normal, bool rim_is_given = false,
                   plait::detail::traffic exchanges = plait::detail::traffic::sends)
      : s_{{.workers = 1, .measured_priorities = measured}} {
    graph_.emplace(s_.record([&] {
      for (int i = 0; i < 10; ++i) {
        s_.task("interior", &stencil::note, in(end_), inout(cells_[static_cast<std::size_t>(i)]),
                this, i);
      }
      {
        auto t = s_.task("rim", &stencil::note, in(end_), inout(rim_), this, 10);
        if (rim_is_given) t.priority(rim);
      }
      send(s_, rim_, exchanges);
      s_.task("end", &stencil::note, in(rim_), inout(end_), this, 11);
    }));
  }

  /// The order in which the tasks of each iteration ran.
  [[nodiscard]] std::vector<std::vector<int>> run(std::uint64_t iterations) {
    order_.clear();
    s_.replay(*graph_, iterations);
    s_.wait();
    std::vector<std::vector<int>> result;
    for (std::size_t i = 0; i < order_.size(); i += 12) {
      const auto first = order_.begin() + static_cast<std::ptrdiff_t>(i);
      result.emplace_back(first, first + 12);
    }
    return result;
  }

 private:
  static void note(const int&, int& value, stencil* self, int task) {
    ++value;
    self->order_.push_back(task);
  }

  scheduler s_;
  std::array<int, 10> cells_{};
  int rim_ = 0;
  int end_ = 0;
  std::vector<int> order_;
  std::optional<plait::graph> graph_;
};

const std::vector<int> as_submitted{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

void expect_rim_first(std::vector<int> order, const std::string& when) {
  ASSERT_EQ(order.front(), 10) << when;
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, as_submitted) << when << ": each task once";
}

TEST(replay_priorities, a_task_on_the_way_to_a_send_goes_first_once_it_is_measured) {
  stencil program(true);
  const auto order = program.run(20);
  ASSERT_EQ(order.size(), 20U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(order[i], as_submitted) << "iteration " << i;
  for (std::size_t i = 6; i < 20; ++i) expect_rim_first(order[i], "iteration " + std::to_string(i));
  for (const auto& each : program.run(3)) expect_rim_first(each, "in another replay");
}

TEST(replay_priorities, what_feeds_an_exchange_goes_first_though_that_writes_too) {
  stencil program(true, plait::normal, false, plait::detail::traffic::both);
  const auto order = program.run(20);
  for (std::size_t i = 6; i < 20; ++i) expect_rim_first(order[i], "iteration " + std::to_string(i));
}

// The end reads what the exchange writes, and so precedes it in the next iteration; but it does so
// by way of the rim.  However long it takes, the rim goes first, and not only a way that is shorter
// than rim and end together.
TEST(replay_priorities, a_long_end_of_the_iteration_does_not_keep_the_rim_from_going_first) {
  scheduler s{{.workers = 1}};
  std::array<int, 8> cells{};
  int rim = 0;
  int packed = 0;
  int total = 0;
  int end = 0;
  std::vector<int> order;
  const auto note = [](const int&, int& value, std::vector<int>* to, int task, int sleep_ms) {
    ++value;
    to->push_back(task);
    std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms));
  };
  auto step = s.record([&] {
    for (int i = 0; i < 8; ++i) {
      s.task("interior", note, in(end), inout(cells[static_cast<std::size_t>(i)]), &order, i, 0);
    }
    s.task("rim", note, in(end), inout(rim), &order, 8, 0);
    exchange(s, rim, total);
    s.task("pack", note, in(end), inout(packed), &order, 9, 2);
    send(s, packed, plait::detail::traffic::sends);
    s.task("end", note, in(total), inout(end), &order, 10, 10);
  });
  constexpr std::size_t iterations = 12;
  s.replay(step, iterations);
  s.wait();
  ASSERT_EQ(order.size(), 11 * iterations);
  for (std::size_t i = 6; i < iterations; ++i) EXPECT_EQ(order[11 * i], 8) << "iteration " << i;
}

TEST(replay_priorities, what_feeds_only_a_receive_does_not) {
  stencil program(true, plait::normal, false, plait::detail::traffic::receives);
  for (const auto& each : program.run(20)) EXPECT_EQ(each, as_submitted);
}

TEST(replay_priorities, short_replays_are_measured_together) {
  stencil program(true);
  for (int i = 0; i < 6; ++i) (void)program.run(1);
  for (int i = 0; i < 3; ++i) expect_rim_first(program.run(1).at(0), "measured");
}

TEST(replay_priorities, the_users_own_priority_wins) {
  for (const plait::priority given : {plait::normal, plait::low}) {
    stencil program(true, given, true);
    for (const auto& each : program.run(20)) EXPECT_EQ(each, as_submitted);
  }
}

TEST(replay_priorities, without_them_tasks_run_as_submitted) {
  stencil program(false);
  for (const auto& each : program.run(20)) EXPECT_EQ(each, as_submitted);
}

}  // namespace
