// SPDX-License-Identifier: BSD-3-Clause
// Operations on windows of a recording: who waits for what, and for how long.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/core/window_letter.hpp>
#include <plait/simulate/call_program.hpp>
#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/recorded_program.hpp>

namespace {

using plait::recorded_kind;
using plait::recorded_message;
using plait::recording;
using plait::simulate::recorded_program;

constexpr std::int64_t us = 1'000'000;
constexpr std::int32_t no_signal = -1;
constexpr std::int32_t signal = -2;
constexpr std::uint64_t words = sizeof(plait::window_letter);

/// One rank's program: what follows another waits for it.
class written {
 public:
  written(std::uint32_t rank, std::uint32_t ranks) {
    made_.rank = rank;
    made_.ranks = ranks;
    made_.program = "windows";
    made_.policy = "sleeping";
    made_.host = "node" + std::to_string(rank);
    made_.names = {"", "task", "window"};
    made_.parts.emplace_back();
  }

  written& task(std::uint64_t took_us) {
    const std::uint64_t id = add(recorded_kind::task, 1);
    made_.runs.push_back({.id = id, .took_ns = 1000 * took_us});
    return *this;
  }
  written& put(std::uint32_t to, std::uint64_t bytes, std::int32_t tag = no_signal,
               std::uint64_t place = 0) {
    return on_window({.place = place, .size_bytes = bytes, .peer = to, .tag = tag, .sent = true});
  }
  written& get(std::uint32_t from, std::uint64_t bytes) {
    return on_window({.size_bytes = bytes, .peer = from, .tag = no_signal});
  }
  written& landing(std::uint32_t to) { return put(to, 0); }
  written& await(std::uint32_t from, std::uint64_t place = 0) {
    return on_window({.place = place, .peer = from, .tag = signal});
  }
  /// What is added next waits for the item before the last only.
  written& beside_the_last() {
    --after_;
    return *this;
  }
  /// What is added next waits for nothing.
  written& apart() {
    after_ = -1;
    return *this;
  }
  [[nodiscard]] recording& made() { return made_; }

 private:
  std::uint64_t add(recorded_kind kind, std::uint32_t name) {
    auto& part = made_.parts.front();
    const auto place = static_cast<std::int64_t>(part.items.size());
    part.items.push_back({.id = part.items.size() + 1, .name = name, .kind = kind});
    if (after_ >= 0)
      part.orders.push_back(
          {static_cast<std::uint32_t>(after_), static_cast<std::uint32_t>(place)});
    after_ = place;
    return part.items.size();
  }
  written& on_window(recorded_message one) {
    one.id = add(recorded_kind::message, 2);
    one.what = recorded_message::kind::one_sided;
    made_.messages.push_back(one);
    return *this;
  }

  recording made_;
  std::int64_t after_ = -1;
};

[[nodiscard]] recorded_program program_of(written& first, written& second) {
  return plait::simulate::program_of(std::vector<recording>{first.made(), second.made()}, "folder");
}

/// Returns when each rank is ready; a latency is 10 us, and a byte `byte_ns`.
[[nodiscard]] std::vector<std::int64_t> finish_us(const recorded_program& of, double byte_ns = 0,
                                                  int workers = 0) {
  plait::simulate::machine on;
  on.workers = workers;
  on.latency_ps = 10 * us;
  on.byte_ps = 1000 * byte_ns;
  std::vector<std::int64_t> all = predict(of.operations, on).finish_ps;
  for (std::int64_t& one : all) one /= us;
  return all;
}

[[nodiscard]] std::string refusal(written& first, written& second) {
  try {
    (void)program_of(first, second);
  } catch (const plait::usage_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(recorded_windows, a_get_takes_two_latencies_and_nothing_of_the_targets_program) {
  written origin = written(0, 2).task(5).get(1, 800).task(3);
  written target = written(1, 2).task(1);
  EXPECT_EQ(finish_us(program_of(origin, target))[0], 5 + 20 + 3);
}

TEST(recorded_windows, a_put_is_over_when_it_is_answered) {
  for (const std::uint64_t bytes : {std::uint64_t{800}, std::uint64_t{1} << 20}) {
    written origin = written(0, 2).task(5).put(1, bytes).task(3);
    written target = written(1, 2).task(1);
    EXPECT_EQ(finish_us(program_of(origin, target))[0], 5 + 20 + 3) << bytes;
  }
}

TEST(recorded_windows, whoever_needs_the_source_alone_does_not_wait_for_the_landing) {
  for (const std::uint64_t bytes : {std::uint64_t{800}, std::uint64_t{1} << 20}) {
    written origin = written(0, 2).task(5).put(1, bytes).landing(1).beside_the_last().task(50);
    written target = written(1, 2).task(1);
    // A task of 50 us hides the answer; nothing waits for it.
    EXPECT_EQ(finish_us(program_of(origin, target))[0], 5 + 50) << bytes;
    written waits = written(0, 2).task(5).put(1, bytes).landing(1).task(50);
    EXPECT_EQ(finish_us(program_of(waits, target))[0], 5 + 20 + 50) << bytes;
  }
}

TEST(recorded_windows, data_takes_the_time_of_its_bytes_and_of_the_words) {
  const std::uint64_t large = 100'000;
  written origin = written(0, 2).put(1, large).task(1);
  written target = written(1, 2).task(1);
  // 1 ns a byte: the words, the data behind them, and the answer.  A message has a byte less.
  const auto wire_us = static_cast<std::int64_t>((words - 1 + large - 1 + words - 1) / 1000);
  EXPECT_EQ(finish_us(program_of(origin, target), 1)[0], 20 + wire_us + 1);
  written reads = written(0, 2).get(1, large).task(1);
  EXPECT_EQ(finish_us(program_of(reads, target), 1)[0], 20 + wire_us + 1);
}

TEST(recorded_windows, a_signal_comes_with_its_data) {
  written origin = written(0, 2).task(5).put(1, 800, signal);
  written target = written(1, 2).await(0).task(3);
  EXPECT_EQ(finish_us(program_of(origin, target))[1], 5 + 10 + 3);
}

TEST(recorded_windows, what_waits_for_a_signal_needs_no_worker) {
  written origin = written(0, 2).task(5).put(1, 800, signal);
  // Its only worker is busy for 50 us, while it passes the signal on.
  written between = written(1, 2).task(50).beside_the_last().await(0).put(0, 8, signal);
  origin.apart().await(1).task(3);
  EXPECT_EQ(finish_us(program_of(origin, between), 0, 1)[0], 5 + 10 + 10 + 3);
}

TEST(recorded_windows, signals_meet_those_who_wait_by_their_numbers) {
  written origin = written(0, 2).put(1, 0, signal, 1).task(40).put(1, 0, signal, 0);
  written target = written(1, 2).await(0, 0).task(3).await(0, 1);
  // The first wait is for the second that came, after 20 us of the first and the task.
  EXPECT_EQ(finish_us(program_of(origin, target))[1], 20 + 40 + 10 + 3);
}

TEST(recorded_windows, at_home_they_take_no_time) {
  written origin = written(0, 2).task(5).put(0, 800, signal).get(0, 8).await(0).task(3);
  written other = written(1, 2).task(1);
  EXPECT_EQ(finish_us(program_of(origin, other))[0], 5 + 3);
}

TEST(recorded_windows, replays_have_them_in_each_iteration) {
  written origin(0, 2);
  written target(1, 2);
  const auto replay = [](written& one, bool sent) {
    recording& all = one.made();
    plait::recorded_part& part = all.parts.front();
    part.repeated = {{.name = 2, .kind = recorded_kind::message}, {.name = 1}};
    part.same = {{0, 1}};
    part.next = {{1, 0}};
    part.iterations = 4;
    part.first_id = 1;
    for (std::uint64_t i = 0; i < 4; ++i) {
      all.messages.push_back({.id = 1 + 2 * i,
                              .place = i,
                              .size_bytes = sent ? 800U : 0U,
                              .peer = sent ? 1U : 0U,
                              .tag = signal,
                              .sent = sent,
                              .what = recorded_message::kind::one_sided});
      all.runs.push_back({.id = 2 + 2 * i, .took_ns = 1000});
    }
  };
  replay(origin, true);
  replay(target, false);
  const std::vector<std::int64_t> found = finish_us(program_of(origin, target));
  EXPECT_EQ(found[0], 4 * 21);
  EXPECT_EQ(found[1], 3 * 21 + 10 + 1);
}

TEST(recorded_windows, what_does_not_fit_is_refused_in_one_line) {
  written origin = written(0, 2).put(1, 8, signal);
  written alone = written(1, 2).task(1);
  EXPECT_EQ(refusal(origin, alone), "");  // nobody has to wait for a signal
  written waits = written(1, 2).await(0, 1);
  EXPECT_EQ(refusal(origin, waits),
            "folder: the signal from rank 0 to rank 1, number 1: nobody has raised it");
  written twice = written(1, 2).await(0).await(0);
  EXPECT_EQ(refusal(origin, twice),
            "folder: the signal from rank 0 to rank 1, number 0: two wait for it");
  written beyond = written(0, 2).get(2, 8);
  EXPECT_EQ(refusal(beyond, alone), "folder: rank 0: 'window' is with rank 2 of 2");
  EXPECT_THROW((void)plait::simulate::calls_of(std::vector<recording>{origin.made(), alone.made()},
                                               "folder"),
               plait::usage_error);
}

/// Damage that the file's reader does not see: an answer, or one line.
TEST(recorded_windows, changed_recordings_end) {
  std::mt19937_64 random(46);
  std::size_t run = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<recording> ranks;
    for (std::uint32_t r = 0; r < 2; ++r) {
      const std::uint32_t other = 1 - r;
      written one = written(r, 2)
                        .task(2)
                        .put(other, 800, signal)
                        .get(other, 100)
                        .put(other, 1 << 20)
                        .landing(other)
                        .await(other)
                        .put(r, 8, signal, 1)
                        .task(1);
      ranks.push_back(one.made());
    }
    for (int c = 0; c < 2; ++c) {
      recording& one = ranks[random() % 2];
      recorded_message& message = one.messages[random() % one.messages.size()];
      switch (random() % 6) {
        case 0:
          message.peer = static_cast<std::uint32_t>(random() % 3);
          break;
        case 1:
          message.place = random() % 2;
          break;
        case 2:
          message.sent = !message.sent;
          break;
        case 3:
          message.tag = random() % 2 == 0 ? signal : no_signal;
          break;
        case 4:
          message.id = random() % 10;
          break;
        default:
          message.size_bytes = random() % 2 == 0 ? 0 : random();
      }
    }
    try {
      (void)predict(plait::simulate::program_of(ranks, "folder").operations, {});
      ++run;
    } catch (const plait::usage_error& wrong) {
      ASSERT_EQ(std::string(wrong.what()).find('\n'), std::string::npos) << wrong.what();
    }
  }
  EXPECT_GT(run, 300U);
}

}  // namespace
