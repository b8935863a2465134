// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/recorded_program.hpp>
#include <unistd.h>

namespace {

using plait::recorded_kind;
using plait::recording;
using plait::simulate::operation;
using plait::simulate::operation_kind;
using plait::simulate::recorded_program;

/// Two ranks: a task of 5 us, a message, a task of 3 us behind it; then 4 replays of the same.
[[nodiscard]] std::vector<recording> two_ranks() {
  std::vector<recording> ranks(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    recording& one = ranks[r];
    one.rank = r;
    one.ranks = 2;
    one.program = "pair";
    one.policy = "sleeping";
    one.host = "node" + std::to_string(r);
    one.wall_ns = 100'000 + r;
    one.names = {"", "before", "edge", "after"};
    std::uint64_t id = 1;
    const auto takes_place = [&](std::uint64_t place) {
      one.runs.push_back({.id = id, .took_ns = 5000});
      one.messages.push_back({.id = id + 1,
                              .place = place,
                              .size_bytes = 800,
                              .peer = 1 - r,
                              .tag = 7,
                              .sent = r == 0});
      one.runs.push_back({.id = id + 2, .took_ns = 3000});
      id += 3;
    };
    plait::recorded_part& plain = one.parts.emplace_back();
    plain.items = {{.id = 1, .name = 1},
                   {.id = 2, .name = 2, .kind = recorded_kind::message},
                   {.id = 3, .name = 3}};
    plain.orders = {{0, 1}, {1, 2}};
    takes_place(0);
    plait::recorded_part& replay = one.parts.emplace_back();
    replay.repeated = {{.name = 1}, {.name = 2, .kind = recorded_kind::message}, {.name = 3}};
    replay.same = {{0, 1}, {1, 2}};
    replay.next = {{2, 0}};
    replay.iterations = 4;
    replay.first_id = 4;
    for (std::uint64_t i = 1; i <= 4; ++i) takes_place(i);
  }
  return ranks;
}

[[nodiscard]] std::string refusal(const std::vector<recording>& ranks) {
  try {
    (void)plait::simulate::program_of(ranks, "folder");
  } catch (const plait::usage_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(recorded_program, has_the_tasks_and_messages_of_every_iteration) {
  const recorded_program read = plait::simulate::program_of(two_ranks(), "folder");
  EXPECT_EQ(read.name, "pair");
  EXPECT_EQ(read.node_of, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(read.measured_ns, 100'001U);
  for (std::uint32_t r = 0; r < 2; ++r) {
    const auto& all = read.operations.of_rank(r).operations;
    const operation_kind what = r == 0 ? operation_kind::send : operation_kind::receive;
    const auto is_message = [&](const operation& one) { return one.kind == what; };
    EXPECT_EQ(std::ranges::count_if(all, is_message), 5);
    std::uint64_t computed = 0;
    for (const operation& one : all) {
      if (one.kind == operation_kind::calculation) computed += one.size;
    }
    EXPECT_EQ(computed, 5U * 8000);
  }
}

TEST(recorded_program, takes_the_time_that_its_order_says) {
  const recorded_program read = plait::simulate::program_of(two_ranks(), "folder");
  plait::simulate::machine on;
  on.latency_ps = 10'000'000;
  // Rank 0 never waits; rank 1 has the first message after 5 + 10 us, and then 5 + 3 us of its own
  // each time, longer than the messages are apart.
  EXPECT_EQ(predict(read.operations, on).finish_ps[0], 40'000'000);
  EXPECT_EQ(predict(read.operations, on).finish_ps[1], 50'000'000);
}

TEST(recorded_program, of_one_runtime_begins_with_its_first_task_and_ends_with_its_last) {
  std::vector<recording> ranks = two_ranks();
  for (recording& one : ranks) {
    plait::recorded_part alone;
    alone.items = {{.took_ns = 1'000'000, .kind = recorded_kind::program}};
    one.parts.insert(one.parts.begin(), alone);
    one.parts.push_back(alone);
    one.runs.front().begin_ns = 1'000'000;
    for (std::size_t i = 1; i < one.runs.size(); ++i) one.runs[i].begin_ns = 1'000'000 + 5000 * i;
    for (plait::recorded_message& m : one.messages) m.begin_ns = 1'020'000;
  }
  // In a part with tasks, too, what comes before the first of them is the program's.
  for (recording& one : ranks) {
    plait::recorded_part& first = one.parts[1];
    first.items.insert(first.items.begin(), {.took_ns = 1'000'000, .kind = recorded_kind::program});
    for (plait::recorded_order& order : first.orders) ++order.earlier, ++order.later;
    first.orders.push_back({0, 1});
  }
  const auto time_of = [&](std::optional<std::uint32_t> runtime) {
    const recorded_program read = plait::simulate::program_of(ranks, "folder", runtime);
    return std::pair(predict(read.operations, {}).time_ps, read.measured_ns);
  };
  EXPECT_EQ(time_of(0), std::pair(std::int64_t{40'000'000}, std::uint64_t{48'000}));
  EXPECT_EQ(time_of({}), std::pair(std::int64_t{3'040'000'000}, std::uint64_t{100'001}));
}

TEST(recorded_program, is_written_as_goal_and_read_again) {
  const recorded_program read = plait::simulate::program_of(two_ranks(), "folder");
  const std::string text = goal_text(read.operations);
  const auto again = plait::simulate::parse_goal(text, "again");
  plait::simulate::machine on;
  on.latency_ps = 10'000'000;
  EXPECT_EQ(predict(again, on).finish_ps, predict(read.operations, on).finish_ps);
}

TEST(recorded_program, gives_both_sides_of_a_message_a_tag_of_its_own) {
  std::vector<recording> ranks = two_ranks();
  // The receives were seen in another order than they match.
  std::reverse(ranks[1].messages.begin(), ranks[1].messages.end());
  const recorded_program read = plait::simulate::program_of(ranks, "folder");
  std::vector<std::uint32_t> sent;
  std::vector<std::uint32_t> received;
  for (const operation& one : read.operations.of_rank(0).operations)
    if (one.kind == operation_kind::send) sent.push_back(one.tag);
  for (const operation& one : read.operations.of_rank(1).operations)
    if (one.kind == operation_kind::receive) received.push_back(one.tag);
  EXPECT_EQ(sent, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(received, sent);
}

TEST(recorded_program, ends_a_task_with_the_last_that_it_has_submitted) {
  std::vector<recording> ranks(1);
  recording& one = ranks.front();
  one.names = {"", "parent", "child", "after"};
  plait::recorded_part& part = one.parts.emplace_back();
  part.items = {{.id = 1, .name = 1}, {.id = 2, .name = 3}, {.id = 90, .parent = 1, .name = 2}};
  part.orders = {{0, 1}};
  one.runs = {{.id = 1, .took_ns = 1000}, {.id = 90, .took_ns = 7000}, {.id = 2, .took_ns = 500}};
  plait::simulate::machine on;
  on.workers = 2;
  const auto read = plait::simulate::program_of(ranks, "folder");
  EXPECT_EQ(predict(read.operations, on).time_ps, 7'500'000);
}

TEST(recorded_program, refuses_what_it_cannot_simulate_in_one_line) {
  const auto refused = [](auto change) {
    std::vector<recording> ranks = two_ranks();
    change(ranks);
    return refusal(ranks);
  };
  using all = std::vector<recording>;
  EXPECT_EQ(refused([](all&) {}), "");
  EXPECT_NE(refused([](all& r) { r[1].is_whole = false; }).find("more than a recording keeps"),
            std::string::npos);
  EXPECT_EQ(refused([](all& r) { r[1].messages.pop_back(); }),
            "folder: the message from rank 0 to rank 1, tag 7, number 4: nobody has received it");
  EXPECT_EQ(refused([](all& r) { r[1].messages[2].size_bytes = 8; }),
            "folder: the message from rank 0 to rank 1, tag 7, number 2: 800 bytes were sent, 8 "
            "received");
  EXPECT_EQ(refused([](all& r) {
              using kind = plait::recorded_message::kind;
              for (auto& one : r) one.messages[0].what = kind::library_collective;
            }),
            "folder: rank 0: 'edge' is a collective operation of the MPI library, which is not "
            "simulated");
  EXPECT_NE(refused([](all& r) { r[1].program = "other"; }), "");
  EXPECT_NE(refused([](all& r) { r[1].rank = 0; }), "");
  EXPECT_NO_THROW((void)plait::simulate::program_of(two_ranks(), "folder", 0));
  EXPECT_THROW((void)plait::simulate::program_of(two_ranks(), "folder", 1), plait::usage_error);
}

TEST(recorded_program, is_read_from_the_files_of_all_ranks) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("plait_recorded_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::vector<recording> ranks = two_ranks();
  const auto why = [&] {
    try {
      (void)plait::simulate::read_recording(folder.string());
    } catch (const plait::usage_error& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  EXPECT_EQ(why(), folder.string() + ": no recording: there is no rank0.plaitrec");
  plait::write_text_file(folder / "rank0.plaitrec", plait::pack_recording(ranks[0]));
  EXPECT_EQ(why(), folder.string() + ": the file of rank 1 of 2 is missing");
  plait::write_text_file(folder / "rank1.plaitrec", plait::pack_recording(ranks[1]));
  EXPECT_EQ(why(), "");
  const plait::simulate::recording_limits small{.file_bytes = 100};
  EXPECT_THROW((void)plait::simulate::read_recording(folder.string(), {}, small),
               plait::usage_error);
  const plait::simulate::recording_limits few{.operations = 10};
  EXPECT_THROW((void)plait::simulate::read_recording(folder.string(), {}, few), plait::usage_error);
  std::filesystem::remove_all(folder);
}

/// Damage that the file's reader does not see.
TEST(recorded_program, survives_ten_thousand_changed_recordings) {
  std::mt19937_64 random(44);
  const std::vector<recording> whole = two_ranks();
  std::size_t run = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::vector<recording> ranks = whole;
    for (int c = 0; c < 3; ++c) {
      recording& one = ranks[random() % 2];
      plait::recorded_part& part = one.parts[random() % one.parts.size()];
      plait::recorded_message& message = one.messages[random() % one.messages.size()];
      switch (random() % 9) {
        case 0:
          message.id = random() % 20;
          break;
        case 1:
          message.place = random() % 6;
          break;
        case 2:
          message.sent = !message.sent;
          break;
        case 3:
          one.runs[random() % one.runs.size()].took_ns = random() % 100'000;
          break;
        case 4:
          part.runtime = static_cast<std::uint32_t>(random() % 3);
          break;
        case 7:  // of a task, perhaps of one that there is
          message.communicator = plait::recorded_message::first_of_tasks;
          message.id = 1 + 2 * (random() % 4);
          break;
        case 5:
          part.first_id = random() % 30;
          break;
        case 6:
          if (!part.items.empty()) part.items[random() % part.items.size()].parent = random() % 5;
          break;
        default:
          if (!part.same.empty())
            part.same.push_back({0, static_cast<std::uint32_t>(random() % 3)});
      }
    }
    try {
      const recorded_program read = plait::simulate::program_of(ranks, "folder");
      (void)predict(read.operations, plait::simulate::machine{});
      ++run;
    } catch (const plait::usage_error& wrong) {
      ASSERT_EQ(std::string(wrong.what()).find('\n'), std::string::npos) << wrong.what();
    }
  }
  EXPECT_GT(run, 500U);
}

/// Rank 0 computes 5 us, sends, and computes 3 us in one task; rank 1 computes 2 us, waits, and
/// computes 4 us.
[[nodiscard]] std::vector<recording> ranks_that_block() {
  std::vector<recording> ranks = two_ranks();
  for (recording& one : ranks) {
    const bool sends = one.rank == 0;
    one.parts.resize(1);
    one.parts[0].items = {{.id = 1, .name = 1}, {.id = 2, .name = 3}};
    one.parts[0].orders = {{0, 1}};
    const std::uint64_t before = sends ? 5000 : 2000;
    one.messages = {{.id = 1,
                     .begin_ns = before,
                     .took_ns = 30'000 - before,
                     .size_bytes = 800,
                     .communicator = 0x8000'0000U,
                     .peer = 1 - one.rank,
                     .tag = 7,
                     .sent = sends}};
    one.runs = {{.id = 1, .took_ns = before},
                {.id = 1, .begin_ns = 30'000, .took_ns = sends ? 3000U : 4000U},
                {.id = 2, .begin_ns = 50'000, .took_ns = 1000}};
  }
  return ranks;
}

TEST(recorded_program, has_tasks_that_block_in_pieces) {
  const recorded_program read = plait::simulate::program_of(ranks_that_block(), "folder");
  EXPECT_EQ(read.doubt, "");
  plait::simulate::machine on;
  on.workers = 1;
  on.latency_ps = 10'000'000;
  // Rank 0: 5 + 3 + 1 us.  Rank 1 has the message after 5 + 10 us, and then 4 + 1 us.
  const auto found = plait::simulate::predict(read.operations, on);
  EXPECT_EQ(found.finish_ps, (std::vector<std::int64_t>{9'000'000, 20'000'000}));
}

TEST(recorded_program, is_not_to_be_trusted_where_tasks_waited_for_what_it_lacks) {
  std::vector<recording> ranks = ranks_that_block();
  for (recording& one : ranks) one.messages.clear();
  EXPECT_NE(plait::simulate::program_of(ranks, "folder").doubt.find("1 tasks of rank 0"),
            std::string::npos);
  ranks = ranks_that_block();
  ranks[1].unseen_calls = {"collectives", "non-blocking messages"};
  EXPECT_NE(plait::simulate::program_of(ranks, "folder")
                .doubt.find("rank 1 calls MPI itself, and these calls are not recorded: "
                            "collectives, non-blocking messages"),
            std::string::npos);
}

/// Rank 1 has received the message by calls that are not recorded.
TEST(recorded_program, does_without_messages_of_tasks_that_have_one_side) {
  std::vector<recording> ranks = ranks_that_block();
  ranks[1].messages.clear();
  ranks[1].runs = {{.id = 1, .took_ns = 6000}, {.id = 2, .begin_ns = 50'000, .took_ns = 1000}};
  plait::simulate::machine on;
  on.latency_ps = 10'000'000;
  const auto read = plait::simulate::program_of(ranks, "folder");
  EXPECT_EQ(read.doubt, "1 messages of tasks' own MPI calls have one side in the recording");
  EXPECT_EQ(predict(read.operations, on).finish_ps,
            (std::vector<std::int64_t>{9'000'000, 7'000'000}));
  ranks[1].unseen_calls = {"non-blocking messages"};
  EXPECT_EQ(plait::simulate::program_of(ranks, "folder").doubt,
            "rank 1 calls MPI itself, and these calls are not recorded: non-blocking messages");
  ranks = ranks_that_block();
  ranks[0].messages[0].size_bytes = 8;  // another message's place
  EXPECT_EQ(plait::simulate::program_of(ranks, "folder").doubt,
            "2 messages of tasks' own MPI calls have one side in the recording");
}

TEST(recorded_program, has_the_messages_of_a_task_once_even_if_tasks_share_its_id) {
  std::vector<recording> ranks = ranks_that_block();
  const std::uint64_t before =
      plait::simulate::program_of(ranks, "folder").operations.of_rank(0).size();
  for (int i = 0; i < 100; ++i) ranks[0].parts[0].items.push_back({.id = 1, .name = 1});
  EXPECT_EQ(plait::simulate::program_of(ranks, "folder").operations.of_rank(0).size(),
            before + 100);
}

TEST(recorded_program, lets_no_piece_of_a_task_wait_for_what_the_task_has_submitted) {
  std::vector<recording> ranks = ranks_that_block();
  ranks[0].names.emplace_back("child");
  ranks[0].parts[0].items.push_back({.id = 90, .parent = 1, .name = 4});
  ranks[0].runs.push_back({.id = 90, .took_ns = 20'000});
  plait::simulate::machine on;
  on.workers = 2;
  // Pieces of 5 and 3 us beside the child's 20, and then the next task's 1.
  const auto read = plait::simulate::program_of(ranks, "folder");
  EXPECT_EQ(predict(read.operations, on).finish_ps[0], 21'000'000);
}

TEST(recorded_program, lets_no_task_go_before_what_takes_no_thread) {
  std::vector<recording> ranks = two_ranks();
  ranks[0].parts[0].items[0].kind = recorded_kind::program;
  ranks[0].parts[0].items.push_back({.id = 2, .parent = 3, .name = 1});
  const auto read = plait::simulate::program_of(ranks, "folder");
  const auto is_named = [&](const operation& one, const char* name) {
    return read.operations.names[one.name] == name && one.kind == operation_kind::calculation;
  };
  const auto& all = read.operations.of_rank(0).operations;
  EXPECT_EQ(all[0].priority, 0) << "the program's own";
  EXPECT_EQ(std::ranges::count_if(
                all, [&](const operation& one) { return is_named(one, "") && one.priority == 0; }),
            1)
      << "the end of a task with another";
}

}  // namespace
