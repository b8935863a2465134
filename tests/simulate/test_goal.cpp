// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/goal.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "random_program.hpp"

namespace plait::test {
namespace {

using namespace simulate;

[[nodiscard]] std::string refusal_of_goal(std::string_view text, const goal_limits& limits = {}) {
  try {
    static_cast<void>(parse_goal(text, "f", limits));
  } catch (const usage_error& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(goal, reads_every_statement) {
  const program read = parse_goal(
      "num_ranks 2\r\n"
      "// a line\n"
      "rank 0 {\n"
      "\tl1: send 8b to 1\r\n"
      "/* two\n lines */\n"
      "second : send 18446744073709551615b to 0 tag 4294967303 cpu 257 nic 3\n"
      "calc 5 cpu 1 // behind\n"
      "c: calc 6\n"
      "c: calc 7\n"
      "second requires l1\n"
      "c irequires l1\n"
      "c irequires l1\n"
      "}\n\n"
      "rank 1 { r: recv 8b from -1 tag -1 nic 2\n}",
      "f");
  ASSERT_EQ(read.ranks(), 2);
  EXPECT_EQ(read.unit_ps, 1000);
  const rank_template& first = read.templates[0];
  ASSERT_EQ(first.size(), 5);
  EXPECT_EQ(first.operations[1].size, ~std::uint64_t{0});
  EXPECT_EQ(first.operations[1].tag, 7) << "modulo 2^32";
  EXPECT_EQ(first.operations[1].cpu, 1) << "modulo 256";
  EXPECT_EQ(first.operations[1].nic, 3);
  EXPECT_EQ(first.operations[2].cpu, 1);
  EXPECT_EQ(first.lines, (std::vector<std::uint32_t>{4, 7, 8, 9, 10}));
  EXPECT_EQ(first.after_end.of(0).size(), 1);
  ASSERT_EQ(first.after_start.of(0).size(), 2) << "twice stated counts twice";
  EXPECT_EQ(first.after_start.of(0)[0], dependent(3)) << "the first of two equal labels";
  const operation& receive = read.templates[1].operations[0];
  EXPECT_EQ(receive.peer, any);
  EXPECT_EQ(receive.tag, any);
  EXPECT_EQ(receive.nic, 2);
}

TEST(goal, names_every_bad_line) {
  EXPECT_EQ(refusal_of_goal("num_ranks 2\n"
                            "rank 0 {\n"
                            "l1: sned 8b to 1\n"
                            "l2: send 8 to 1\n"
                            "l3: send 8b to 2\n"
                            "l4: calc\n"
                            "l5: calc 5 cpu x\n"
                            "l6: calc 5 tag 3\n"
                            "l7: recv 8b from 1 tag\n"
                            "l1 requires l2\n"
                            "l1 requires l9\n"
                            "l1 needs l2\n"
                            "l1: \n"
                            "calc 18446744073709551616\n"
                            "send 8b to -1\n"
                            "recv 8b to 1\n"
                            "7: calc 3\n"
                            "}\n"
                            "calc 3\n"
                            "rank 1 {\n"
                            "}\n"
                            "}\n"),
            "f:3: send, recv or calc stands here, not 'sned'\n"
            "f:4: a size such as 8b stands here, not 'to 1'\n"
            "f:5: there is no rank 2: there are 2\n"
            "f:6: calc needs a duration, not the end of the line\n"
            "f:7: cpu needs a number, not 'x'\n"
            "f:8: the line goes on with 'tag 3'\n"
            "f:9: tag needs a number, not the end of the line\n"
            "f:11: there is no label 'l9' above this line in rank 0\n"
            "f:12: 'l1' is followed by ':', 'requires' or 'irequires', not 'needs'\n"
            "f:13: send, recv or calc stands here, not the end of the line\n"
            "f:14: calc needs a duration, not '18446744073709551616'\n"
            "f:15: the number of a rank stands here, not '-1'\n"
            "f:16: 'from' stands here, not 'to 1'\n"
            "f:17: a label, an operation or '}' stands here, not '7: calc 3'\n"
            "f:19: 'rank NUMBER {' stands before 'calc'\n"
            "f:22: '}' without a rank");
  EXPECT_EQ(refusal_of_goal("num_ranks 3\nrank 0 {\n}\nrank 2 {\n}\n"),
            "f:4: rank 2 stands where rank 1 is expected: all ranks in ascending order\n"
            "f: 1 of 3 ranks are missing: rank 2 is the first");
  EXPECT_EQ(refusal_of_goal("num_ranks 1\nrank 0 {\ncalc 1\n"),
            "f: rank 0 has no '}' before the end");
  EXPECT_EQ(refusal_of_goal("num_ranks 1\nrank 0 {\nrank 1 {\n}\n/*"),
            "f:3: rank 0 has no '}'\nf:3: rank 1 of 1 ranks\nf: the last comment has no end");
  EXPECT_EQ(refusal_of_goal("num_ranks 4294967295\n"),
            "f:1: num_ranks needs a number from 1 to 4294967294\n"
            "f: there is no num_ranks: is it a GOAL file?");
  EXPECT_EQ(refusal_of_goal("num_ranks 4000000000\n"),
            "f: 4000000000 of 4000000000 ranks are missing: rank 0 is the first")
      << "no memory is taken for ranks that are not there";
  EXPECT_EQ(refusal_of_goal(""), "f: there is no num_ranks: is it a GOAL file?");
}

TEST(goal, counts_what_it_does_not_name) {
  std::string text = "num_ranks 1\nrank 0 {\n";
  for (int i = 0; i < 50; ++i) text += "nonsense\n";
  const std::string said = refusal_of_goal(text + "}\n", {.reported_problems = 3});
  EXPECT_EQ(std::ranges::count(said, '\n'), 3);
  EXPECT_TRUE(said.ends_with("\nf: 47 more")) << said;
}

TEST(goal, refuses_what_is_too_long_before_it_is_read) {
  EXPECT_EQ(refusal_of_goal("num_ranks 1\nrank 0 {\n}\n", {.file_bytes = 10}),
            "f: 23 bytes; 10 are the most that is read");
  EXPECT_THROW(static_cast<void>(read_goal("/does/not/exist")), usage_error);
  EXPECT_THROW(static_cast<void>(read_goal("/tmp")), usage_error);
  EXPECT_THROW(static_cast<void>(read_goal("/dev/zero")), usage_error);
}

TEST(goal, refuses_a_pipe_without_waiting_for_its_writer) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("plait_pipe_" + std::to_string(::getpid())))
          .string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string said = "accepted";
  try {
    static_cast<void>(read_goal(path));
  } catch (const usage_error& refused) {
    said = refused.what();
  }
  std::filesystem::remove(path);
  EXPECT_NE(said.find("is no regular file"), std::string::npos) << said;
}

/// Returns what a rank does, with its peers by number.
std::vector<operation> operations_of(const program& of, std::uint32_t rank) {
  std::vector<operation> all = of.of_rank(rank).operations;
  for (operation& one : all) {
    if (one.kind != operation_kind::calculation) one.peer = peer_of(of, one, rank);
    one.rule = peer_rule::rank;
  }
  return all;
}

void expect_same(const program& read, const program& written, const char* what) {
  ASSERT_EQ(read.ranks(), written.ranks()) << what;
  for (std::uint32_t rank = 0; rank < read.ranks(); ++rank) {
    const rank_template& a = read.of_rank(rank);
    const rank_template& b = written.of_rank(rank);
    EXPECT_EQ(operations_of(read, rank), operations_of(written, rank)) << what << ", rank " << rank;
    EXPECT_EQ(a.after_end, b.after_end) << what << ", rank " << rank;
    EXPECT_EQ(a.after_start, b.after_start) << what << ", rank " << rank;
  }
}

TEST(goal, reads_what_it_wrote_as_text_and_binary) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const program made = random_program(seed, {.any_source = seed % 2 == 1});
    expect_same(parse_goal(goal_text(made), "text"), made, "text");
    expect_same(parse_goal(goal_binary(made), "binary"), made, "binary");
  }
}

/// So that a regular program of many ranks takes the memory of a few.
TEST(goal, ranks_of_a_binary_file_that_do_the_same_share_it) {
  const std::string ring =
      "num_ranks 5\n"
      "rank 0 {\na: send 8b to 1 tag 0\nb: recv 8b from 4 tag 0\n}\n"
      "rank 1 {\na: send 8b to 2 tag 0\nb: recv 8b from 0 tag 0\n}\n"
      "rank 2 {\na: send 8b to 3 tag 0\nb: recv 8b from 1 tag 0\n}\n"
      "rank 3 {\na: send 8b to 4 tag 0\nb: recv 8b from 2 tag 0\nb requires a\n}\n"
      "rank 4 {\na: send 8b to 0 tag 0\nb: recv 8b from 3 tag 0\n}\n";
  const program text = parse_goal(ring, "text");
  const program binary = parse_goal(goal_binary(text), "binary");
  EXPECT_EQ(binary.template_of, (std::vector<std::uint32_t>{0, 0, 0, 1, 0}));
  expect_same(binary, text, "ring");
}

TEST(goal, writes_iterations_rules_and_names_as_plain_operations) {
  program made;
  made.unit_ps = 1;
  made.iterations = 2;
  made.template_of = {0, 0, 0};
  made.names = {"", "relax"};
  template_builder built;
  operation what;
  what.size = 2'500'999;
  what.name = 1;
  const std::uint32_t work = built.add(what);
  operation sent;
  sent.kind = operation_kind::send;
  sent.size = 8;
  sent.rule = peer_rule::shift;
  sent.peer = 2;
  built.require(built.add(sent), work);
  built.require(work, work, true);
  made.templates.push_back(built.build());
  const std::string text = goal_text(made);
  EXPECT_TRUE(
      text.starts_with("num_ranks 3\n"
                       "\n"
                       "rank 0 {\n"
                       "/* iteration 0 */\n"
                       "// relax\n"
                       "l1: calc 2500\n"
                       "l2: send 8b to 2 tag 0\n"
                       "/* iteration 1 */\n"
                       "// relax\n"
                       "l3: calc 2500\n"
                       "l4: send 8b to 2 tag 0\n"
                       "l2 requires l1\n"
                       "l3 requires l1\n"
                       "l4 requires l3\n"
                       "}\n"))
      << text;
  EXPECT_NE(text.find("send 8b to 1 tag 0"), std::string::npos) << "of rank 2";
  const program read = parse_goal(text, "itself");
  EXPECT_EQ(read.names, made.names);
  const auto name_of = [&](std::uint32_t op) { return read.of_rank(2).operations[op].name; };
  EXPECT_EQ((std::vector{name_of(0), name_of(1), name_of(2)}), (std::vector{1U, 0U, 1U}));
}

TEST(goal, refuses_a_binary_file_that_is_cut_off_anywhere) {
  const std::string whole = goal_binary(random_program(3));
  for (std::size_t length = 8; length < whole.size(); ++length) {
    const std::string said = refusal_of_goal(std::string_view(whole).substr(0, length));
    ASSERT_TRUE(said.starts_with("f") && said.ends_with("the file is damaged or cut off"))
        << length << " of " << whole.size() << ": " << said;
    ASSERT_EQ(said.find('\n'), std::string::npos);
  }
}

TEST(goal, refuses_ranks_whose_parts_overlap) {
  program made;
  made.templates.push_back(random_program(3).templates[0]);
  made.templates[0].operations[0].peer = 0;
  for (operation& what : made.templates[0].operations) what.peer = 0;
  made.template_of.assign(1000, 0);
  std::string many = goal_binary(made);
  for (std::size_t rank = 1; rank < 1000; ++rank)  // all are the whole file
    std::memcpy(many.data() + 14 + 16 * rank, many.data() + 14, 16);
  const std::uint64_t end = many.size() - 8;
  for (std::size_t rank = 0; rank < 1000; ++rank)
    std::memcpy(many.data() + 22 + 16 * rank, &end, sizeof end);
  EXPECT_EQ(refusal_of_goal(many), "f: parts of ranks overlap; the file is damaged or cut off");
}

}  // namespace
}  // namespace plait::test
