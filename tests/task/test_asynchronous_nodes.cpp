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

/// Looks `looks` times before it has completed the operation.
struct slow_source final : plait::progress_source {
  bool poll(bool) override { return looks > 0 && --looks == 0; }
  plait::ticks idle_wait(plait::ticks) override { return looks > 0 ? 0 : never; }
  bool needs_idle_workers() const noexcept override { return true; }
  plait::ticks in_flight_until(plait::ticks now) const override { return now; }
  bool cancel() override { return true; }
  plait::ticks due_at() const noexcept override { return never; }
  void passed(plait::ticks) noexcept override {}
  int looks = 0;
};

/// An operation that writes `bytes` and is over when its source has looked often enough.
struct begun_write : plait::begun_operation {
  begun_write(scheduler& s, slow_source& source_, int& target_)
      : begun_operation{[](begun_operation& self) noexcept {
                          auto& one = static_cast<begun_write&>(self);
                          if (one.source.looks > 0) return false;
                          one.ended = true;
                          one.target = one.value;
                          return true;
                        },
                        [](begun_operation& self) { static_cast<begun_write&>(self).submit(); }},
        tasks(s),
        source(source_),
        target(target_) {}

  /// Returns whether it has begun without a node.
  [[nodiscard]] bool begin(int looks) {
    const bool may_begin = tasks.is_unused(bytes());
    source.looks = looks;
    has_begun = ended = has_node = false;
    if (may_begin) {
      (void)tasks.start_without_node({}, [this] { return has_begun = true, false; });
    }
    has_begun ? tasks.follow(*this) : submit();
    return has_begun;
  }
  [[nodiscard]] byte_range bytes() const {
    const auto first = reinterpret_cast<std::uintptr_t>(&target);
    return {first, first + sizeof target};
  }
  /// The node's start completes it: nobody else would look.
  void submit() {
    has_node = true;
    task_node& node = tasks.allocate("write", node_kind::asynchronous);
    begun_write* const self = this;
    std::memcpy(node.storage, &self, sizeof self);
    node.act = [](task_node& started, node_action action) {
      if (action != node_action::run) return;
      begun_write& one = **reinterpret_cast<begun_write**>(started.storage);
      one.source.looks = 0;
      one.target = one.value;
      one.tasks.complete(started);
    };
    tasks.add_access(node, bytes(), access_mode::inout);
    tasks.submit(node);
  }

  scheduler& tasks;
  slow_source& source;
  int& target;
  int value = 7;
  bool has_begun = false;
  bool ended = false;
  bool has_node = false;
};

TEST(begun_operations, end_in_a_wait_for_nothing_else_without_a_node) {
  slow_source source;
  scheduler s({.workers = 1, .progress = &source});
  int x = 0;
  begun_write write(s, source, x);
  for (int i = 1; i <= 10; ++i) {
    write.value = i;
    ASSERT_TRUE(write.begin(3));
    s.wait();
    EXPECT_EQ(x, i);
    EXPECT_TRUE(write.ended);
    EXPECT_FALSE(write.has_node);
  }
  s.wait();
}

TEST(begun_operations, have_a_node_before_anything_follows_them) {
  slow_source source;
  scheduler s({.workers = 1, .progress = &source});
  int x = 0;
  int seen = 0;
  begun_write write(s, source, x);
  const auto begins = [&](int value) {
    write.value = value;
    ASSERT_TRUE(write.begin(1'000'000));
  };
  begins(1);
  s.task(
      "read", [](const int& from, int& to) { to = from; }, in(x), out(seen));
  EXPECT_TRUE(write.has_node);
  s.wait();
  EXPECT_EQ(seen, 1);

  begins(2);
  s.wait_on(x);
  EXPECT_TRUE(write.has_node);
  EXPECT_EQ(x, 2);
  s.wait();

  begins(3);  // one that is late
  s.wait();
  EXPECT_TRUE(write.has_node);
  EXPECT_EQ(x, 3);

  begins(4);
  EXPECT_TRUE(s.wait_while([] { return true; }));
  EXPECT_TRUE(write.has_node);
  EXPECT_EQ(x, 4);

  begins(5);
  EXPECT_TRUE(s.is_unused({}));  // as another operation asks before it begins
  EXPECT_TRUE(write.has_node);
  s.wait();

  begins(6);
  plait::graph copy = s.record([&] {
    s.task(
        "copy", [](const int& from, int& to) { to = from + 1; }, in(x), out(seen));
  });
  EXPECT_TRUE(write.has_node);
  s.replay(copy, 1);
  s.wait();
  EXPECT_EQ(seen, 7);
}

TEST(begun_operations, do_not_begin_where_a_task_is_in_the_way) {
  slow_source source;
  scheduler s({.workers = 1, .progress = &source});
  int x = 0;
  begun_write write(s, source, x);
  s.task(
      "before", [](int& to) { to = 1; }, out(x));
  EXPECT_FALSE(write.begin(3));
  EXPECT_TRUE(write.has_node);
  s.wait();
  EXPECT_EQ(x, 7);
}

TEST(begun_operations, and_what_follows_them_keep_to_the_limit) {
  slow_source source;
  scheduler s({.workers = 1, .in_flight = 1, .progress = &source});
  int x = 0;
  int y = 0;
  begun_write write(s, source, x);
  ASSERT_TRUE(write.begin(1'000'000));
  const auto first = reinterpret_cast<std::uintptr_t>(&y);
  // It has the only place when the next is to begin.
  EXPECT_FALSE(s.start_without_node({first, first + sizeof y}, [] { return true; }));
  EXPECT_TRUE(write.has_node);
  s.task(
      "after", [](int& to) { to = 2; }, out(y));
  s.wait();
  EXPECT_EQ(x, 7);
  EXPECT_EQ(y, 2);
  EXPECT_LE(s.peak_tasks(), 1U);
}

TEST(begun_operations, have_a_node_where_the_scheduler_ends) {
  slow_source source;
  int x = 0;
  {
    scheduler s({.workers = 1, .progress = &source});
    begun_write write(s, source, x);
    ASSERT_TRUE(write.begin(1'000'000));
    s.close();
    EXPECT_TRUE(write.has_node);
  }
  EXPECT_EQ(x, 7);
}

}  // namespace
