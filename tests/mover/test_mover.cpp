// SPDX-License-Identifier: BSD-3-Clause
// The mover without tasks, on random plans that every rank can compute.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>
#include <plait/mover/mover.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

constexpr std::int64_t cells = 4000;  // of each rank, before and after

/// Rows of cells that go from one rank to another.
struct transfer {
  int from;
  int to;
  std::int64_t from_cell;
  std::int64_t to_cell;
  std::int64_t rows;
  std::int64_t row;
  static constexpr std::int64_t pitch = 20;
};

/// Every rank's cells, in pieces that do not overlap where they arrive.
[[nodiscard]] std::vector<transfer> random_transfers(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  std::vector<transfer> all;
  for (int to = 0; to < ranks; ++to) {
    for (std::int64_t at = 0; at + 100 <= cells; at += 100) {
      if (up_to(3) == 0) continue;  // stays as it is
      const std::int64_t rows = 1 + up_to(4);
      const bool whole = up_to(1) == 0;  // in one piece
      all.push_back({static_cast<int>(up_to(ranks - 1)), to, up_to(cells - 100), at, rows,
                     whole ? transfer::pitch : 1 + up_to(transfer::pitch - 1)});
    }
  }
  return all;
}

[[nodiscard]] std::int32_t content(int rank, std::int64_t cell, int round) {
  return static_cast<std::int32_t>(rank * 1'000'000 + cell * 100 + round);
}

struct exchange {
  exchange(environment& env, unsigned seed, messages_per how)
      : rank(env.rank()), all(random_transfers(env.size(), seed)), before(cells), after(cells, -1) {
    // Of the order in which they are added nothing may depend.
    std::vector<transfer> shuffled = all;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(static_cast<unsigned>(rank)));
    move_builder builder;
    for (const transfer& t : shuffled) add(builder, t);
    plan.emplace_back(builder.finish({.name = "random", .message = how}));
  }

  void add(move_builder& builder, const transfer& t) {
    const std::vector<std::int64_t> extents{t.rows, t.row};
    const std::vector<std::int64_t> strides{4 * transfer::pitch, 4};
    auto* const to = reinterpret_cast<std::byte*>(after.data() + t.to_cell);
    auto* const from = reinterpret_cast<std::byte*>(before.data() + t.from_cell);
    const move_builder::place where{t.to_cell / 500, t.from_cell / 500, {t.to_cell, t.from_cell}};
    if (t.from == rank && t.to == rank) {
      builder.copy(where.to_block, make_box_copy(extents, 4, to, strides, from, strides));
    } else if (t.from == rank) {
      builder.send(t.to, where, make_box_copy(extents, 4, nullptr, {}, from, strides));
    } else if (t.to == rank) {
      builder.receive(t.from, where, make_box_copy(extents, 4, to, strides, nullptr, {}));
    }
  }

  void fill(int round) {
    for (std::int64_t c = 0; c < cells; ++c)
      before[static_cast<std::size_t>(c)] = content(rank, c, round);
    after.assign(after.size(), -1);
  }

  void expect_moved(int round, const std::string& how) const {
    std::vector<std::int32_t> expected(cells, -1);
    for (const transfer& t : all) {
      if (t.to != rank) continue;
      for (std::int64_t r = 0; r < t.rows; ++r)
        for (std::int64_t i = 0; i < t.row; ++i) {
          const std::int64_t at = r * transfer::pitch + i;
          expected[static_cast<std::size_t>(t.to_cell + at)] =
              content(t.from, t.from_cell + at, round);
        }
    }
    for (std::size_t c = 0; c < expected.size(); ++c)
      ASSERT_EQ(after[c], expected[c]) << how << ", rank " << rank << ", cell " << c;
  }

  int rank;
  std::vector<transfer> all;
  std::vector<std::int32_t> before;
  std::vector<std::int32_t> after;
  std::vector<move_plan> plan;
};

class movers : public ::testing::TestWithParam<progress> {
 protected:
  environment& env = test_environment();
  engine messages{env, {.policy = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(each, movers,
                         ::testing::Values(progress::dedicated, progress::sleeping, progress::none),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(movers, bring_every_cell_to_its_place_again_and_again) {
  for (const messages_per how : {messages_per::rank, messages_per::box}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      exchange x(env, seed, how);
      mover move{x.plan.front(), messages};
      for (int round = 0; round < 5; ++round) {
        x.fill(round);
        if (round % 2 == 0) {
          move.run();
        } else {
          move.start();
          while (round == 3 && !move.test()) {
          }
          move.wait();
        }
        x.expect_moved(round, how == messages_per::rank ? "a message a rank" : "a message a box");
      }
      move.wait();  // nothing was started: returns at once
      EXPECT_TRUE(move.test());
    }
  }
}

TEST_P(movers, may_be_several_under_way_at_once) {
  exchange a(env, 10, messages_per::rank);
  exchange b(env, 11, messages_per::box);
  mover move_a{a.plan.front(), messages};
  mover move_b{b.plan.front(), messages};
  for (int round = 0; round < 5; ++round) {
    a.fill(round);
    b.fill(round);
    move_a.start();
    move_b.start();
    if ((env.rank() + round) % 2 == 0) move_b.wait();
    move_a.wait();
    move_b.wait();
    a.expect_moved(round, "first");
    b.expect_moved(round, "second");
  }
}

TEST_P(movers, wait_when_they_go_out_of_scope_under_way) {
  exchange x(env, 20, messages_per::rank);
  x.fill(0);
  {
    mover move{x.plan.front(), messages};
    move.start();
  }
  x.fill(1);
  mover moved = mover{x.plan.front(), messages};
  moved.run();
  x.expect_moved(1, "after one that went");
}

/// From the next rank around, which never sends.
[[nodiscard]] move_plan plan_of_a_message_that_never_comes(environment& env,
                                                           std::vector<std::int32_t>& to) {
  move_builder builder;
  const std::vector<std::int64_t> extents{static_cast<std::int64_t>(to.size())};
  builder.receive((env.rank() + 1) % env.size(), {},
                  make_box_copy(extents, 4, reinterpret_cast<std::byte*>(to.data()),
                                std::vector<std::int64_t>{4}, nullptr, {}));
  return builder.finish({.name = "never"});
}

TEST(a_mover_left_by_an_exception, gives_up_and_the_others_of_its_engine_say_so) {
  environment& env = test_environment();
  for (const progress policy : {progress::sleeping, progress::none}) {
    engine messages{env, {.policy = policy}};
    std::vector<std::int32_t> first(10);
    std::vector<std::int32_t> second(10);
    mover other{plan_of_a_message_that_never_comes(env, second), messages};
    other.start();
    try {
      mover move{plan_of_a_message_that_never_comes(env, first), messages};
      move.start();
      throw usage_error("of the program");
    } catch (const usage_error&) {
    }
    EXPECT_TRUE(messages.cancelled());
    EXPECT_THROW(other.wait(), error);
    EXPECT_NO_THROW(other.wait());
    EXPECT_THROW(other.start(), error);
  }
}

/// Moves while the stack is unwound.
struct last_move {
  exchange& x;
  engine& messages;
  ~last_move() {
    mover move{x.plan.front(), messages};
    move.start();
  }
};

TEST_P(movers, made_while_an_exception_unwinds_the_stack_wait_as_ever) {
  exchange x(env, 40, messages_per::rank);
  x.fill(0);
  try {
    const last_move at_the_end{x, messages};
    throw usage_error("of the program");
  } catch (const usage_error&) {
  }
  EXPECT_FALSE(messages.cancelled());
  mover{x.plan.front(), messages}.run();
  x.expect_moved(0, "after the exception");
}

TEST_P(movers, made_from_copies_of_a_plan_take_turns) {
  exchange x(env, 50, messages_per::rank);
  mover a{x.plan.front(), messages};
  mover b{x.plan.front(), messages};
  for (int round = 0; round < 4; ++round) {
    x.fill(round);
    (round % 2 == 0 ? a : b).run();
    x.expect_moved(round, "in turns");
  }
}

TEST(move_plan, says_what_it_sends_and_what_it_copies) {
  environment& env = test_environment();
  const exchange x(env, 30, messages_per::box);
  const exchange together(env, 30, messages_per::rank);
  std::size_t bytes = 0;
  std::size_t boxes = 0;
  std::size_t copied = 0;
  for (const transfer& t : x.all) {
    if (t.from != env.rank()) continue;
    if (t.to == env.rank()) {
      ++copied;
      continue;
    }
    ++boxes;
    bytes += static_cast<std::size_t>(4 * t.rows * t.row);
  }
  EXPECT_EQ(x.plan.front().messages_sent(), boxes);
  EXPECT_EQ(x.plan.front().bytes_sent(), bytes);
  EXPECT_EQ(together.plan.front().bytes_sent(), bytes);
  EXPECT_EQ(x.plan.front().boxes_copied(), copied);
  EXPECT_LE(together.plan.front().messages_sent(), static_cast<std::size_t>(env.size() - 1));
}

}  // namespace
}  // namespace plait::test
