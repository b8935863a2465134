// SPDX-License-Identifier: BSD-3-Clause
// Finish times as LogGOPSim 76451de prints them, and what it says nothing of.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/loggops.hpp>

namespace plait::test {
namespace {

using namespace simulate;

/// A line of golden/cases.tsv.
struct golden_case {
  std::string file;
  loggops_parameters network;
  std::vector<std::uint64_t> finish_ns;  ///< empty: LogGOPSim prints none
  int never_ran = 0;
};

[[nodiscard]] std::vector<std::uint64_t> times_of(const std::string& text) {
  std::vector<std::uint64_t> times;
  if (text == "-") return times;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t star = part.find('*');
    const std::size_t count = star == std::string::npos ? 1 : std::stoul(part.substr(0, star));
    const std::string time = star == std::string::npos ? part : part.substr(star + 1);
    times.insert(times.end(), count, std::stoull(time));
  }
  return times;
}

[[nodiscard]] std::vector<golden_case> golden_cases() {
  std::vector<golden_case> all;
  std::ifstream file(PLAIT_GOLDEN_FOLDER "/cases.tsv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream columns(line);
    golden_case one;
    std::string network;
    std::string times;
    std::string never_ran;
    std::getline(columns, one.file, '\t');
    std::getline(columns, network, '\t');
    std::getline(columns, times, '\t');
    std::getline(columns, never_ran, '\t');
    std::istringstream(network) >> one.network.L >> one.network.o >> one.network.g >>
        one.network.G >> one.network.O >> one.network.S;
    one.finish_ns = times_of(times);
    if (never_ran != "-") one.never_ran = std::stoi(never_ran);
    all.push_back(one);
  }
  return all;
}

TEST(loggops, finishes_when_loggopsim_does) {
  const std::vector<golden_case> cases = golden_cases();
  ASSERT_GE(cases.size(), 250);
  std::size_t in_lanes = 0;
  for (const golden_case& one : cases) {
    const program read = read_goal(PLAIT_GOLDEN_FOLDER "/" + one.file);
    for (const loggops_engine engine : {loggops_engine::plain, loggops_engine::lanes}) {
      if (engine == loggops_engine::lanes && !why_no_lanes(read, one.network).empty()) continue;
      in_lanes += engine == loggops_engine::lanes ? 1 : 0;
      const loggops_outcome outcome = run_loggops(read, one.network, engine);
      const bool stuck = outcome.left_receives + outcome.left_messages > 0;
      ASSERT_EQ(stuck, one.finish_ns.empty()) << one.file;
      if (stuck) continue;
      EXPECT_EQ(outcome.finish_ns, one.finish_ns)
          << one.file << " L=" << one.network.L << " engine " << int(engine);
      EXPECT_EQ(static_cast<std::int64_t>(outcome.operations - outcome.done), one.never_ran)
          << one.file;
    }
  }
  EXPECT_GE(in_lanes, 200);
}

TEST(loggops, gives_the_same_from_the_binary_form) {
  for (const golden_case& one : golden_cases()) {
    const program read = read_goal(PLAIT_GOLDEN_FOLDER "/" + one.file);
    EXPECT_EQ(run_loggops(parse_goal(goal_binary(read), "binary"), one.network).finish_ns,
              run_loggops(read, one.network).finish_ns)
        << one.file;
  }
}

TEST(loggops, names_what_was_left_over) {
  const auto left = [](const char* text) { return run_loggops(parse_goal(text, "text"), {}).left; };
  EXPECT_EQ(left("num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 3\n}\nrank 1 {\n"
                 "send 8b to 0 tag 4\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n"),
            (std::vector<std::string>{
                "rank 0: recv 8b from 1 tag 3 (line 3) never gets a message",
                "rank 1: send 8b to 0 tag 4 (line 6), rank 0 never receives it",
                "rank 1: calc 1 (line 7) never starts: 1 of its dependences are not met",
                "rank 1: calc 2 (line 8) never starts: 1 of its dependences are not met"}));
}

TEST(loggops, reads_its_parameters) {
  EXPECT_EQ(parse_loggops(""), loggops_parameters{});
  EXPECT_EQ(parse_loggops("L=1,o=2,g=3,G=4,O=5,S=6"), (loggops_parameters{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(parse_loggops("S=7"), (loggops_parameters{.S = 7}));
  for (const char* wrong : {"L", "L=", "L=x", "L=1x", "x=1", "L=-1", "L=1.5", "L=4294967296", ",",
                            "L=1,,o=2", "L=1 ,o=2"})
    EXPECT_THROW(static_cast<void>(parse_loggops(wrong)), usage_error) << wrong;
}

}  // namespace
}  // namespace plait::test
