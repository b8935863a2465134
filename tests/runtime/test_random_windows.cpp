// SPDX-License-Identifier: BSD-3-Clause
// One-sided operations at random against a serial model, and signals that overtake their data if
// anything does.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <plait/runtime/runtime.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

/// How many operations the random tests make on each rank.
[[nodiscard]] int random_operations(int usual) {
  const char* const text = std::getenv("PLAIT_TEST_ONE_SIDED_OPERATIONS");
  return text != nullptr ? std::atoi(text) : usual;
}

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
  completion source;   ///< of a put
};

/// Mostly small, often around the size from which data is a message of its own, now and then large.
[[nodiscard]] std::size_t random_size(std::mt19937_64& random) {
  const std::size_t most[] = {1, 40, 40, 4096, 20'000, 32'768, slice_bytes};
  return 1 + random() % most[random() % std::size(most)];
}

/// Returns the operations of `origin`.  Every rank can make the plan of every rank.
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
    const auto value = static_cast<std::uint8_t>(random());
    const auto source = random() % 2 == 0 ? completion::local : completion::remote;
    all.push_back({what, target, flag, begin, size, value, source});
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
  runtime_options options{
      .engine = {.policy = all_policies[seed % std::size(all_policies)]},
      .tasks = {.workers = 1 + static_cast<int>(random() % 3), .in_flight = windows[random() % 4]}};
  if (random() % 2 == 0) {
    options.engine.disturb = {.seed = random(), .probability = 0.2, .longest_delay_s = 2e-4};
  }
  return options;
}

/// Over this memory, which is zero, or as much that the window finds.
[[nodiscard]] window<std::uint8_t> make_window(runtime& rt, bytes& memory, std::uint64_t seed) {
  return seed % 2 == 0 ? rt.window(memory) : rt.allocate_window<std::uint8_t>(memory.size());
}

/// One rank's part of a random program.
void run_random_program(std::uint64_t seed, int count) {
  environment& env = test_environment();
  runtime rt{env, random_options(seed + static_cast<std::uint64_t>(env.rank()))};
  const auto slices = static_cast<std::size_t>(env.size());
  const auto rank = static_cast<std::size_t>(env.rank());
  bytes memory(slices * slice_bytes, 0);
  std::vector<std::vector<planned_operation>> plans;
  for (int r = 0; r < env.size(); ++r) plans.push_back(plan(seed, r, env.size(), count));
  std::vector<bytes> model(slices, bytes(slice_bytes, 0));  // of what this rank puts, by target
  std::vector<bytes> buffers(5, bytes(slice_bytes));
  bool signal = false;
  auto w = make_window(rt, memory, seed);
  const std::span<std::uint8_t> own = w.local();
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
        rt.put("put", w, one.target, offset, in(buffer), {.source = one.source});
      } else {
        rt.put_signal("put", w, one.target, offset, in(buffer), one.flag, {.source = one.source});
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
  bytes memory(ranks * ring_slots * slice_bytes, 0);
  std::vector<bytes> outgoing(ranks, bytes(slice_bytes));
  std::vector<std::uint8_t> room(ranks, 0);
  auto w = make_window(rt, memory, seed);
  const std::span<std::uint8_t> own = w.local();
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
      rt.put_signal("data", w, other, slot(env.rank(), place), in(data), data_flag,
                    {.source = place % 3 == 0 ? completion::remote : completion::local});
    }
    for (int other = 0; other < env.size(); ++other) {
      const auto here = own.subspan(slot(other, place), size);
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
