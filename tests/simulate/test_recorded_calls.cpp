// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/collective/shape.hpp>
#include <plait/core/error.hpp>
#include <plait/simulate/call_program.hpp>
#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/more_ranks.hpp>

namespace plait::test {
namespace {

using namespace simulate;

/// Writes what each rank of a program records that works, and sums one number over all ranks, twice
/// in a loop that is replayed.
[[nodiscard]] std::vector<recording> recorded_sums(std::uint32_t ranks) {
  std::vector<recording> all(ranks);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> places;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    recording& one = all[rank];
    one.rank = rank;
    one.ranks = ranks;
    one.program = "sums";
    one.host = "node" + std::to_string(rank);
    one.names = {"", "work", "sum", "allreduce", "recursive_doubling"};
    one.collectives = {{.element_bytes = 8,
                        .count = 1,
                        .fragment_bytes = 32768,
                        .piece_bytes = 32768,
                        .most_pieces = 8,
                        .operation = 3,
                        .algorithm = 4,
                        .members = ranks}};
    const collective_call call{.what = collective::operation::allreduce,
                               .how = collective::algorithm::recursive_doubling,
                               .element_bytes = 8,
                               .count = 1,
                               .cut = {32768, 8}};
    const auto steps = collective::build(call.shape_on(rank, ranks), call.how).actions;
    recorded_part& part = one.parts.emplace_back();
    part.repeated = {{.name = 1}};
    for (const collective::action& step : steps) {
      const bool is_message = step.what == collective::action::kind::send ||
                              step.what == collective::action::kind::receive;
      const auto at = static_cast<std::uint32_t>(part.repeated.size());
      part.same.push_back({at - 1, at});
      part.repeated.push_back({.name = 2,
                               .kind = is_message ? recorded_kind::message : recorded_kind::task,
                               .group = 1});
    }
    const auto last = static_cast<std::uint32_t>(part.repeated.size() - 1);
    part.next = {{last, 0}};
    part.iterations = 2;
    part.first_id = 1;
    std::uint64_t id = 1;
    for (std::uint64_t i = 0; i < part.iterations; ++i) {
      one.runs.push_back({.id = id++, .took_ns = 1000 * ranks});
      for (const collective::action& step : steps) {
        const bool sent = step.what == collective::action::kind::send;
        if (!sent && step.what != collective::action::kind::receive) {
          one.runs.push_back({.id = id++, .took_ns = 40});
          continue;
        }
        const auto peer = static_cast<std::uint32_t>(step.peer);
        const std::pair way = sent ? std::pair(rank, peer) : std::pair(peer + 1000, rank);
        one.messages.push_back({.id = id++,
                                .place = places[way]++,
                                .size_bytes = (sent ? step.from : step.to).size(),
                                .called = 3,
                                .peer = peer,
                                .tag = 5,
                                .sent = sent});
      }
    }
  }
  return all;
}

[[nodiscard]] std::string refusal_of_calls(const std::vector<recording>& ranks) {
  try {
    (void)calls_of(ranks, "folder");
  } catch (const usage_error& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(recorded_calls, the_steps_of_a_call_are_one_operation) {
  for (const std::uint32_t ranks : {2U, 4U, 7U}) {
    const recorded_calls read = calls_of(recorded_sums(ranks), "folder");
    ASSERT_EQ(read.program.calls.size(), 1U);
    const collective_call& call = read.program.calls.front();
    EXPECT_EQ(call.what, collective::operation::allreduce);
    EXPECT_EQ(call.task_ns, ranks == 1 ? 0 : 40U);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::uint32_t calls = 0;
      for (const operation& what : read.program.operations.of_rank(rank).operations) {
        EXPECT_EQ(what.kind, operation_kind::calculation);
        calls += read.program.call_of(what) != nullptr ? 1 : 0;
      }
      EXPECT_EQ(calls, 2U);
    }
  }
}

/// Returns the messages of each rank in order: sent or not, peer, bytes.
[[nodiscard]] std::vector<std::string> messages_of(const program& all) {
  std::vector<std::string> ranks;
  for (std::uint32_t rank = 0; rank < all.ranks(); ++rank) {
    std::string& text = ranks.emplace_back();
    for (operation what : all.of_rank(rank).operations) {
      if (what.kind == operation_kind::calculation) continue;
      what.tag = 0;
      text += text_of(all, what, rank) + "\n";
    }
  }
  return ranks;
}

TEST(recorded_calls, expanded_they_have_the_recorded_messages) {
  for (const std::uint32_t ranks : {2U, 3U, 4U, 8U}) {
    const auto recorded = recorded_sums(ranks);
    EXPECT_EQ(messages_of(expanded(calls_of(recorded, "folder").program)),
              messages_of(program_of(recorded, "folder").operations));
  }
}

TEST(recorded_calls, of_2_and_4_ranks_give_those_of_8) {
  std::vector<recorded_calls> recorded{calls_of(recorded_sums(2), "two"),
                                       calls_of(recorded_sums(4), "four")};
  const more_ranks laws(std::move(recorded));
  const program made = expanded(laws.generate(laws.grid_of(8)));
  EXPECT_EQ(goal_text(made), goal_text(expanded(calls_of(recorded_sums(8), "eight").program)));
}

TEST(recorded_calls, what_the_program_computes_counts_to_the_next_task) {
  std::vector<recording> ranks = recorded_sums(2);
  for (recording& one : ranks) {
    recorded_part before;
    before.items = {{.took_ns = 700, .kind = recorded_kind::program}};
    one.parts.insert(one.parts.begin(), before);
  }
  const rank_template rank = calls_of(ranks, "folder").program.operations.of_rank(0);
  EXPECT_EQ(rank.operations.front().size, 700U);
}

TEST(recorded_calls, of_a_later_runtime_are_read_where_the_first_ones_were_idle) {
  std::vector<recording> ranks = recorded_sums(2);
  for (recording& one : ranks) {
    for (recorded_part& part : one.parts) part.runtime = 2;
    for (recorded_run& ran : one.runs) ran.runtime = 2;
    for (recorded_message& message : one.messages) message.runtime = 2;
  }
  const recorded_calls read = calls_of(ranks, "folder");
  EXPECT_EQ(goal_text(expanded(read.program)),
            goal_text(expanded(calls_of(recorded_sums(2), "folder").program)));
  EXPECT_NE(messages_of(program_of(ranks, "folder").operations).front(), "");
}

/// Ranks pass a message around a line twice; each waits for its own, by `wait_on` or the end of a
/// part, computes 10 ms itself, and sends.
[[nodiscard]] std::vector<recording> recorded_line(std::uint32_t ranks, bool waits_on) {
  std::vector<recording> all(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    recording& one = all[rank];
    one.rank = rank;
    one.ranks = ranks;
    one.host = "node" + std::to_string(rank);
    one.names = {"", "edge", "wait_on", "the program"};
    const recorded_item spell{.took_ns = 10'000'000, .name = 3, .kind = recorded_kind::program};
    recorded_part* part = &one.parts.emplace_back();
    const auto message = [&](bool sent) {
      const std::uint64_t id = sent ? 3 : 1;
      const std::uint32_t peer = sent ? rank + 1 : rank - 1;
      part->items.push_back({.id = id, .name = 1, .kind = recorded_kind::message});
      one.messages.push_back({.id = id, .size_bytes = 800, .peer = peer, .tag = 7, .sent = sent});
    };
    if (rank > 0) {
      message(false);
      if (waits_on) {
        part->items.push_back({.id = 2, .name = 2});
        part->orders.push_back({0, 1});
      } else {
        part = &one.parts.emplace_back();
      }
    }
    part->items.push_back(spell);
    part->items.push_back(spell);
    const auto last = static_cast<std::uint32_t>(part->items.size());
    if (rank > 0 && waits_on) part->orders.push_back({1, last - 2});
    part->orders.push_back({last - 2, last - 1});
    if (rank + 1 < ranks) {
      message(true);
      part->orders.push_back({last - 1, last});
    }
  }
  return all;
}

TEST(recorded_calls, a_message_waits_for_what_the_program_computes_after_a_wait) {
  machine on;
  on.latency_ps = 1'000'000;
  for (const bool waits_on : {true, false}) {
    const auto ranks = recorded_line(3, waits_on);
    const prediction plain = predict(program_of(ranks, "folder").operations, on);
    const prediction made = predict(expanded(calls_of(ranks, "folder").program), on);
    EXPECT_EQ(plain.finish_ps[0], 20'000'000'000);
    EXPECT_EQ(made.finish_ps, plain.finish_ps) << "by wait_on: " << waits_on;
    EXPECT_GT(made.finish_ps[2], 60'000'000'000);
  }
}

TEST(recorded_calls, order_goes_through_what_the_program_computes) {
  auto ranks = recorded_line(2, true);
  // Rank 1: recv, wait_on, a task, 20 ms of the program, a task that waits for the program alone.
  recording& one = ranks[1];
  one.names.push_back("work");
  recorded_part& part = one.parts.front();
  part.items.insert(part.items.begin() + 2, {.id = 4, .name = 4});
  part.items.push_back({.id = 5, .name = 4});
  part.orders = {{0, 1}, {1, 2}, {1, 3}, {3, 4}, {4, 5}};
  one.runs = {{.id = 4, .took_ns = 1000}, {.id = 5, .took_ns = 1000}};
  machine on;
  on.latency_ps = 1'000'000;
  EXPECT_EQ(predict(expanded(calls_of(ranks, "folder").program), on).finish_ps,
            predict(program_of(ranks, "folder").operations, on).finish_ps);
}

TEST(recorded_calls, a_program_that_computes_before_messages_without_a_wait_is_refused) {
  auto ranks = recorded_line(2, true);
  recorded_part& part = ranks[0].parts.front();
  ranks[0].names.push_back("work");
  part.items.insert(part.items.begin(), {.id = 4, .name = 4});
  part.orders = {{1, 2}, {2, 3}};
  ranks[0].runs = {{.id = 4, .took_ns = 1000}};
  ranks[0].wall_ns = 1'000'000'000;
  EXPECT_EQ(refusal_of_calls(ranks), "accepted");
  ranks[0].wall_ns = 30'000'000;
  EXPECT_EQ(refusal_of_calls(ranks),
            "folder: rank 0: the program computes 20000 us itself before messages, after it has "
            "submitted other work and without a wait; let it wait, or compute in tasks");
}

/// Damage that the file's reader does not see.
TEST(recorded_calls, survive_changed_recordings) {
  std::mt19937_64 random(45);
  std::size_t run = 0;
  for (int i = 0; i < 4000; ++i) {
    auto ranks = i % 2 == 0 ? recorded_line(3, i % 4 == 0) : recorded_sums(3);
    for (int c = 0; c < 2; ++c) {
      recording& one = ranks[random() % 3];
      recorded_part& part = one.parts[random() % one.parts.size()];
      auto& items = part.items.empty() ? part.repeated : part.items;
      if (items.empty()) continue;
      recorded_item& item = items[random() % items.size()];
      const auto place = static_cast<std::uint32_t>(random() % items.size());
      switch (random() % 5) {
        case 0:
          item.kind = static_cast<recorded_kind>(random() % 3);
          break;
        case 1:
          item.name = static_cast<std::uint32_t>(random() % one.names.size());
          break;
        case 2:
          item.id = random() % 5;
          item.parent = random() % 4;
          break;
        case 3:
          part.runtime = static_cast<std::uint32_t>(random() % 4);
          break;
        default:
          if (place > 0 && !part.items.empty()) part.orders.push_back({0, place});
      }
    }
    try {
      (void)predict(expanded(calls_of(ranks, "folder").program), machine{});
      ++run;
    } catch (const usage_error& wrong) {
      ASSERT_EQ(std::string(wrong.what()).find('\n'), std::string::npos) << wrong.what();
    }
  }
  EXPECT_GT(run, 100U);
}

TEST(recorded_calls, says_which_call_has_no_law) {
  const auto refused = [](auto change) {
    std::vector<recording> ranks = recorded_sums(4);
    for (recording& one : ranks) change(one);
    return refusal_of_calls(ranks);
  };
  EXPECT_EQ(refused([](recording&) {}), "accepted");
  EXPECT_EQ(refused([](recording& one) { one.collectives[0].members = 2; }),
            "folder: rank 0: a call of allreduce has 2 of 4 ranks, and no law says which ranks "
            "others would have");
  EXPECT_EQ(refused([](recording& one) { one.collectives[0].has_lists = true; }),
            "folder: rank 0: a call of allreduce has blocks of different sizes, which a recording "
            "does not keep");
  EXPECT_EQ(refused([](recording& one) { one.collectives[0].count = 2; }),
            "folder: rank 0: the messages of a call of allreduce are not those of its schedule by "
            "recursive_doubling");
  EXPECT_EQ(refused([](recording& one) { one.names[3] = "sum of all"; }),
            "folder: rank 0: a call of sum of all is not known");
}

TEST(recorded_calls, of_a_root_that_fewer_ranks_do_not_have_are_refused) {
  const auto read = [](std::uint32_t ranks) {
    std::string text = "num_ranks " + std::to_string(ranks) + "\n";
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      text += "rank " + std::to_string(rank) +
              " {\n// collective bcast 8 bytes, root 3\nl1: calc 0\n// work\nl2: calc 100\n" +
              "l2 requires l1\n}\n";
    return recorded_calls{calls_in(parse_goal(text, "text"), "text"), {}, "text"};
  };
  const more_ranks laws({read(4), read(8)});
  EXPECT_EQ(laws.generate({1, 1, 1, 6}).calls.front().root, 3U);
  try {
    (void)laws.generate({1, 1, 1, 2});
    FAIL() << "accepted";
  } catch (const usage_error& wrong) {
    EXPECT_STREQ(wrong.what(), "2 ranks: a call of bcast has root 3");
  }
}

TEST(recorded_calls, of_goal_are_named_by_comments) {
  const auto read = [](const std::string& name) {
    const std::string rank = " {\n// " + name + "\ncalc 0\n}\n";
    return calls_in(parse_goal("num_ranks 2\nrank 0" + rank + "rank 1" + rank, "text"), "text");
  };
  const call_program bcast = read("collective bcast 4096 bytes, root 1: Bcast at main (a.c:3)");
  ASSERT_EQ(bcast.calls.size(), 1U);
  EXPECT_EQ(bcast.calls[0].root, 1U);
  EXPECT_EQ(bcast.calls[0].count, 4096U);
  const program made = expanded(bcast);
  EXPECT_EQ(made.names[1], "Bcast at main (a.c:3)");
  EXPECT_EQ(messages_of(made),
            (std::vector<std::string>{"recv 4096b from 1 tag 0\n", "send 4096b to 0 tag 0\n"}));
  for (const char* wrong : {"collective alltoallv 8 bytes, root 0", "collective noise",
                            "collective bcast 8 bytes, root 2",
                            "collective allgather 9223372036854775808 bytes, root 0",
                            "collective allreduce among 2 of 4 ranks 8 bytes, root 0"})
    EXPECT_THROW((void)read(wrong), usage_error) << wrong;
}

/// Ranks of a binary file that do the same share a template, with peers as steps.
TEST(calls_in, gives_each_rank_operations_of_its_own_with_peers_by_number) {
  const program ring = parse_goal(
      "num_ranks 3\n"
      "rank 0 {\na: send 8b to 1 tag 0\nb: recv 8b from 2 tag 0\n}\n"
      "rank 1 {\na: send 8b to 2 tag 0\nb: recv 8b from 0 tag 0\n}\n"
      "rank 2 {\na: send 8b to 0 tag 0\nb: recv 8b from 1 tag 0\n}\n",
      "ring");
  const program shared = parse_goal(goal_binary(ring), "ring");
  ASSERT_EQ(shared.templates.size(), 1U);
  const call_program made = calls_in(shared, "ring");
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(made.operations.of_rank(rank).operations, ring.of_rank(rank).operations) << rank;
}

}  // namespace
}  // namespace plait::test
