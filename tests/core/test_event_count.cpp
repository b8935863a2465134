// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/event_count.hpp>

namespace {

using plait::event_count;

TEST(event_count, a_wait_times_out_when_nobody_notifies) {
  event_count events;
  const auto key = events.prepare();
  EXPECT_FALSE(events.wait(key, plait::seconds_to_ticks(1e-3)));
}

TEST(event_count, a_notify_between_prepare_and_wait_is_not_lost) {
  event_count events;
  const auto key = events.prepare();
  events.notify_one();
  EXPECT_TRUE(events.wait(key, -1));
}

TEST(event_count, a_notify_before_prepare_is_no_news) {
  event_count events;
  events.notify_all();
  const auto key = events.prepare();
  EXPECT_FALSE(events.wait(key, plait::seconds_to_ticks(1e-3)));
}

TEST(event_count, a_cancelled_waiter_costs_later_ones_nothing) {
  event_count events;
  (void)events.prepare();
  events.cancel();
  const auto key = events.prepare();
  std::thread notifier([&] { events.notify_one(); });
  (void)events.wait(key, plait::seconds_to_ticks(0.05));
  notifier.join();
}

// Two threads hand a turn to and fro, sleeping without a limit: one lost wake-up and it hangs (the
// watchdog then says where).
TEST(event_count, a_ping_pong_without_time_limit_loses_no_wake_up) {
  constexpr int rounds = 20'000;
  event_count events[2];
  std::atomic<int> turn{0};
  const auto play = [&](int self) {
    for (int i = 0; i < rounds; ++i) {
      while (turn.load(std::memory_order_seq_cst) != self) {
        const auto key = events[self].prepare();
        if (turn.load(std::memory_order_seq_cst) == self) {
          events[self].cancel();
        } else {
          events[self].wait(key, -1);
        }
      }
      turn.store(1 - self, std::memory_order_seq_cst);
      events[1 - self].notify_one();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
}

TEST(event_count, every_item_of_many_producers_wakes_some_of_many_consumers) {
  constexpr int producers = 3;
  constexpr int consumers = 3;
  constexpr int items = 10'000;
  event_count events;
  std::atomic<int> available{0};
  std::atomic<int> consumed{0};
  std::vector<std::thread> threads;
  const auto take = [&] {
    int n = available.load(std::memory_order_seq_cst);
    while (n > 0 && !available.compare_exchange_weak(n, n - 1, std::memory_order_seq_cst)) {
    }
    return n > 0;
  };
  const auto done = [&] { return consumed.load(std::memory_order_seq_cst) == producers * items; };
  for (int c = 0; c < consumers; ++c) {
    threads.emplace_back([&] {
      while (!done()) {
        const auto key = events.prepare();
        if (take()) {
          events.cancel();
          if (consumed.fetch_add(1, std::memory_order_seq_cst) + 1 == producers * items) {
            events.notify_all();
          }
        } else if (done()) {
          events.cancel();
        } else {
          events.wait(key, -1);
        }
      }
    });
  }
  for (int p = 0; p < producers; ++p) {
    threads.emplace_back([&] {
      for (int i = 0; i < items; ++i) {
        available.fetch_add(1, std::memory_order_seq_cst);
        events.notify_one();
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(consumed.load(), producers * items);
  EXPECT_EQ(available.load(), 0);
}

}  // namespace
