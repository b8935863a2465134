// SPDX-License-Identifier: BSD-3-Clause
// Tasks that other threads finish, at random and in crowds: for the lock-free paths of a release.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "support/late_threads.hpp"

namespace {

using namespace std::chrono_literals;
using plait::hold;
using plait::in;
using plait::inout;
using plait::scheduler;
using plait::test::late_threads;

/// Tasks that mix what they read into what they write: here with children, of which some are held.
class mixed_program {
 public:
  static constexpr std::size_t cells = 24;
  struct step {
    std::size_t from, to, count;
    std::uint64_t salt;
    bool is_held, commutes;
    std::vector<step> children;
  };

  explicit mixed_program(std::uint64_t seed) : random_(seed) {
    for (std::size_t n = 5 + random_() % 40; n > 0; --n) steps.push_back(make(0, cells, 0));
    iterations = random_() % 3 == 0 ? 2 + random_() % 5 : 1;
    workers = 1 + static_cast<int>(random_() % 4);
    in_flight = std::array<std::size_t, 3>{2, 60, 4096}[random_() % 3];
  }

  using memory = std::array<std::uint64_t, cells>;
  static void mix(memory& m, const step& s) {
    std::uint64_t h = s.salt;
    for (std::size_t i = 0; i < s.count; ++i) h = (h ^ m[s.from + i]) * 0x100000001B3U;
    for (std::size_t i = 0; i < s.count; ++i) m[s.to + i] = m[s.to + i] * 31 + (h ^ i);
  }
  static void run_serially(memory& m, const step& s) {
    mix(m, s);
    for (const step& child : s.children) run_serially(m, child);
  }

  void submit(scheduler& s, late_threads& others, memory& m, const step& one) const {
    const std::span<std::uint64_t> from(m.data() + one.from, one.count);
    const std::span<std::uint64_t> to(m.data() + one.to, one.count);
    if (one.is_held) {
      s.task(
           "held",
           [&s, &others, &m, this](const step* self, hold until) {
             const std::chrono::microseconds delay(self->salt % 40);
             if (self->children.empty()) {
               others.call_in(delay, [&m, self, kept = std::move(until)]() mutable {
                 mix(m, *self);
                 kept.release();
               });
               return;
             }
             mix(m, *self);
             others.call_in(delay, [kept = std::move(until)]() mutable { kept.release(); });
             for (const step& child : self->children) submit(s, others, m, child);
           },
           &one, plait::held)
          .also(in(from))
          .also(inout(to));
    } else {
      s.task(
           "plain",
           [&s, &others, &m, this](const step* self) {
             mix(m, *self);
             for (const step& child : self->children) submit(s, others, m, child);
           },
           &one)
          .also(in(from))
          .also(inout(to));
    }
  }

  std::vector<step> steps;
  std::size_t iterations;
  int workers;
  std::size_t in_flight;

 private:
  /// Children stay within what their parent writes.
  step make(std::size_t begin, std::size_t end, int depth) {
    step one{};
    one.count = 1 + random_() % std::min<std::size_t>(4, end - begin);
    one.from = begin + random_() % (end - begin - one.count + 1);
    one.to = begin + random_() % (end - begin - one.count + 1);
    one.salt = random_();
    one.is_held = random_() % 3 == 0;
    if (depth < 2 && random_() % 5 == 0) {
      for (std::size_t n = 1 + random_() % 3; n > 0; --n)
        one.children.push_back(make(one.to, one.to + one.count, depth + 1));
    }
    return one;
  }

  std::mt19937_64 random_;
};

TEST(random_holds, end_with_the_bits_of_their_serial_execution) {
  late_threads others;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const mixed_program program(seed);
    mixed_program::memory expected{};
    for (std::size_t i = 0; i < program.iterations; ++i) {
      for (const auto& one : program.steps) mixed_program::run_serially(expected, one);
    }
    mixed_program::memory got{};
    {
      scheduler s(
          {.workers = program.workers, .in_flight = program.in_flight, .oversubscribed = true});
      const auto submit_all = [&] {
        for (const auto& one : program.steps) program.submit(s, others, got, one);
      };
      if (program.iterations > 1 && program.steps.size() <= program.in_flight) {
        plait::graph all = s.record(submit_all);
        s.replay(all, program.iterations);
      } else {
        for (std::size_t i = 0; i < program.iterations; ++i) submit_all();
      }
      if (seed % 2 == 0) s.wait();
    }
    ASSERT_EQ(expected, got) << "seed " << seed << ", " << program.workers << " workers";
  }
}

/// All of it at once on the lock-free paths: many releases of few tasks, from many threads, while
/// tasks come and go.
TEST(random_holds, many_threads_release_at_once) {
  scheduler s({.workers = 3, .oversubscribed = true});
  late_threads others(4);
  std::atomic<int> released{0};
  for (int round = 0; round < 60; ++round) {
    std::array<int, 4> x{};
    for (int i = 0; i < 40; ++i) {
      s.task(
          "several",
          [&](int& value, hold until) {
            for (int k = 0; k < 4; ++k) {
              others.call_in(0us, [&released, kept = until.another()]() mutable {
                released.fetch_add(1, std::memory_order_relaxed);
                kept.release();
              });
            }
            ++value;
            until.release();
          },
          inout(x[static_cast<std::size_t>(i) % 4]), plait::held);
    }
    s.wait();
    for (const int one : x) EXPECT_EQ(one, 10);
    EXPECT_EQ(released, 160 * (round + 1));
  }
}

/// The last thread that a scheduler waits for is still in its call when the scheduler ends.
TEST(random_holds, a_scheduler_may_end_as_soon_as_the_last_is_released) {
  late_threads others(3);
  for (int i = 0; i < 300; ++i) {
    scheduler s({.workers = 1 + i % 2, .oversubscribed = true});
    for (int k = 0; k < 3; ++k) {
      s.task(
          "last",
          [&](hold until) {
            others.call_in(0us, [kept = std::move(until)]() mutable { kept.release(); });
          },
          plait::held);
    }
  }
}

}  // namespace
