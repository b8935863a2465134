// SPDX-License-Identifier: BSD-3-Clause
// Nodes that are started by the scheduler and completed by somebody else: what messages are made
// of.
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace {

using plait::access_mode;
using plait::byte_range;
using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;
using plait::detail::node_action;
using plait::detail::node_kind;
using plait::detail::task_node;

/// A thread that completes, after running their effect, the nodes it is given.
class helper {
 public:
  explicit helper(scheduler& s) : scheduler_(s), thread_([this] { loop(); }) {}
  ~helper() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void take(task_node& node) {
    {
      std::lock_guard lock(mutex_);
      nodes_.push_back(&node);
    }
    changed_.notify_one();
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !nodes_.empty(); });
      if (nodes_.empty()) return;
      task_node* node = nodes_.front();
      nodes_.pop_front();
      lock.unlock();
      ++**reinterpret_cast<int**>(node->storage + sizeof(void*));
      scheduler_.complete(*node);
      lock.lock();
    }
  }

  scheduler& scheduler_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<task_node*> nodes_;
  bool stopping_ = false;
  std::thread thread_;
};

/// Submits a node that adds one to x on the helper's thread.
void add_elsewhere(scheduler& s, helper& h, int& x) {
  task_node& node = s.allocate("elsewhere", node_kind::asynchronous);
  helper* owner = &h;
  int* target = &x;
  std::memcpy(node.storage, &owner, sizeof owner);
  std::memcpy(node.storage + sizeof(void*), &target, sizeof target);
  node.act = [](task_node& self, node_action action) {
    if (action == node_action::run) (*reinterpret_cast<helper**>(self.storage))->take(self);
  };
  const auto begin = reinterpret_cast<std::uintptr_t>(&x);
  s.add_access(node, {begin, begin + sizeof x}, access_mode::inout);
  s.submit(node);
}

class workers_and_limit : public ::testing::TestWithParam<std::tuple<int, std::size_t, bool>> {
 protected:
  [[nodiscard]] plait::scheduler_options options() const {
    const auto [workers, in_flight, crowded] = GetParam();
    return {.workers = workers, .in_flight = in_flight, .oversubscribed = crowded};
  }
};
INSTANTIATE_TEST_SUITE_P(asynchronous_nodes, workers_and_limit,
                         ::testing::Combine(::testing::Values(1, 2, 4),
                                            ::testing::Values(1U, 3U, 4096U), ::testing::Bool()));

TEST_P(workers_and_limit, they_take_part_in_chains_of_tasks) {
  scheduler s{options()};
  std::vector<int> x(8, 0);
  {
    helper h{s};
    for (int i = 0; i < 300; ++i) {
      int& target = x[static_cast<std::size_t>(i % 8)];
      s.task(
          "double",
          [](int& n) {
            n *= 2;
            n %= 1000;
          },
          inout(target));
      add_elsewhere(s, h, target);
    }
    s.wait();
  }
  for (std::size_t c = 0; c < 8; ++c) {
    int expected = 0;
    for (std::size_t i = c; i < 300; i += 8) expected = expected * 2 % 1000 + 1;
    EXPECT_EQ(x[c], expected) << "chain " << c;
  }
  EXPECT_LE(s.peak_tasks(), s.in_flight_limit());
}

TEST_P(workers_and_limit, wait_wakes_up_when_the_last_one_completes_elsewhere) {
  scheduler s{options()};
  int x = 0;
  helper h{s};
  for (int i = 0; i < 500; ++i) {
    add_elsewhere(s, h, x);
    s.wait();
    ASSERT_EQ(x, i + 1);
  }
}

TEST(asynchronous_nodes, one_that_is_started_is_not_counted) {
  scheduler s{{.workers = 1, .in_flight = 2}};
  std::vector<task_node*> started;
  std::vector<int> x(10, 0);
  for (int& target : x) {
    task_node& node = s.allocate("kept", node_kind::asynchronous);
    auto* list = &started;
    std::memcpy(node.storage, &list, sizeof list);
    node.act = [](task_node& self, node_action action) {
      if (action == node_action::run)
        (*reinterpret_cast<std::vector<task_node*>**>(self.storage))->push_back(&self);
    };
    const auto begin = reinterpret_cast<std::uintptr_t>(&target);
    s.add_access(node, {begin, begin + sizeof target}, access_mode::out);
    s.submit(node);  // would block if the limit counted it
  }
  EXPECT_EQ(started.size(), 10U);
  EXPECT_LE(s.peak_tasks(), 2U);
  for (task_node* node : started) s.complete(*node);
  s.wait();
}

TEST(asynchronous_nodes, one_whose_start_throws_is_finished_and_its_exception_rethrown) {
  scheduler s{{.workers = 2}};
  task_node& node = s.allocate("throws", node_kind::asynchronous);
  node.act = [](task_node&, node_action action) {
    if (action == node_action::run) throw std::runtime_error("cannot start");
  };
  s.submit(node);
  EXPECT_THROW(s.wait(), std::runtime_error);
  s.wait();
}

/// Notes when it runs, and is over at once.
struct noted_start {
  scheduler* owner;
  std::vector<std::size_t>* starts;
  std::size_t number;
};

TEST(asynchronous_nodes, those_of_a_replay_that_end_at_once_start_in_the_order_of_iterations) {
  scheduler s{{.workers = 1}};
  std::vector<std::size_t> starts;
  std::vector<int> x(3, 0);
  plait::graph g = s.record([&] {
    for (std::size_t i = 0; i < x.size(); ++i) {
      task_node& node = s.allocate("sent", node_kind::asynchronous);
      const noted_start noted{&s, &starts, i};
      std::memcpy(node.storage, &noted, sizeof noted);
      node.act = [](task_node& self, node_action action) {
        if (action != node_action::run_again) return;
        const auto& note = *reinterpret_cast<const noted_start*>(self.storage);
        note.starts->push_back(note.number);
        note.owner->complete(self);
      };
      const auto begin = reinterpret_cast<std::uintptr_t>(&x[i]);
      s.add_access(node, {begin, begin + sizeof x[i]}, access_mode::in);
      s.submit(node);
    }
  });
  s.replay(g, 3);
  s.wait();
  EXPECT_EQ(starts, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(asynchronous_nodes, a_long_chain_of_them_is_dropped_after_a_failure) {
  constexpr std::size_t length = 200'000;
  scheduler s{{.workers = 1, .in_flight = length + 10}};
  int x = 0;
  s.task(
      "throws", [](int&) { throw std::runtime_error("early"); }, inout(x));
  const auto begin = reinterpret_cast<std::uintptr_t>(&x);
  for (std::size_t i = 0; i < length; ++i) {
    task_node& node = s.allocate("link", node_kind::asynchronous);
    node.act = [](task_node&, node_action action) {
      if (action == node_action::run) ADD_FAILURE() << "it must not start";
    };
    s.add_access(node, {begin, begin + sizeof x}, access_mode::inout);
    s.submit(node);
  }
  EXPECT_THROW(s.wait(), std::runtime_error);
}

}  // namespace
