// SPDX-License-Identifier: BSD-3-Clause
// What could be hidden and what was, in which unit it is said, and when it means nothing.
#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "attach/after/phases.hpp"
#include "made_run.hpp"

namespace plait::attach {
namespace {

constexpr double ms = 1e-3;

[[nodiscard]] double by_moving_ms(const analysis& run) {
  return run.of_a_rank(run.as_far_as_the_run_can_be(run.waits.by_moving_s)) / ms;
}

TEST(bounds, blocking_calls_for_one_neighbour_after_another_could_all_be_moved) {
  // A split that hides all of it saves 4 of 14 ms a round, and beats no smaller bound.
  const auto ranks = made_ranks(3, [](made_rank& on, int rank, int) {
    on.compute(10);
    for (const int peer : {(rank + 1) % 3, (rank + 2) % 3}) {
      on.compute(0.1);  // packing
      on.blocking(call_id::MPI_Send, record_kind::send, peer, 64, 1);
      on.blocking(call_id::MPI_Recv, record_kind::receive, peer, 64, 1);
    }
  });
  EXPECT_NEAR(by_moving_ms(analyse(profiles_of(ranks))), 10 * 4, 0.1);
}

TEST(bounds, no_more_is_hidden_than_the_computation_on_both_sides) {
  const auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(2);
    on.send_and_receive(1 - rank, 64, 10);
  });
  // Each wait lies between two computations of 2 ms, which hide no more than they take.
  EXPECT_NEAR(by_moving_ms(analyse(profiles_of(ranks))), 10 * 2, 0.1);
}

TEST(bounds, no_more_is_hidden_than_a_rank_computes) {
  const auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(rank == 0 ? 2 : 8);
    on.send_and_receive(1 - rank, 64, rank == 0 ? 16 : 10);
  });
  const analysis run = analyse(profiles_of(ranks));
  EXPECT_NEAR(run.ranks[0].waits.by_moving_s / ms, 10 * 2, 0.1);
  EXPECT_NEAR(run.ranks[1].waits.by_moving_s / ms, 10 * 8, 0.1);
  for (const site_result& site : run.sites) {
    EXPECT_LE(site.waits.by_moving_s, run.compute_s + 1e-9);
  }
}

/// Returns how much of 50 ms in a call that is not taken apart could be hidden, on each of two
/// ranks that compute for 100 ms.
[[nodiscard]] double by_moving_ms_of(call_id call) {
  std::vector<rank_profile> profiles =
      profiles_of(made_ranks(2, [](made_rank& on, int, int) { on.compute(10); }));
  for (rank_profile& one : profiles) {
    one.sites[0].call = static_cast<int>(call);
    one.sites[0].waited = one.header.in_mpi = 50'000;
    one.header.end += 50'000;
  }
  return by_moving_ms(analyse(profiles));
}

TEST(bounds, what_makes_communicators_windows_or_files_cannot_be_moved) {
  for (const call_id call : {call_id::MPI_Comm_split, call_id::MPI_Cart_create,
                             call_id::MPI_Win_create, call_id::MPI_File_open}) {
    EXPECT_EQ(by_moving_ms_of(call), 0) << call_names[static_cast<int>(call)];
  }
  EXPECT_NEAR(by_moving_ms_of(call_id::MPI_Probe), 50, 0.1);
}

TEST(bounds, waits_for_a_rank_with_more_work_cannot_be_hidden) {
  const auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(rank == 0 ? 10 : 20);
    on.send_and_receive(1 - rank, 64, rank == 0 ? 11 : 1);
  });
  EXPECT_NEAR(by_moving_ms(analyse(profiles_of(ranks))), 10, 0.1);
}

TEST(phases, waits_of_the_setup_are_not_hidden_by_the_steps) {
  const std::vector<wait_in_phase> waits{{0, 1000}, {0, 1000}, {10, 5}, {20, 5}, {30, 5}};
  const std::vector<double> parts = parts_to_hide(waits, 40);
  EXPECT_NEAR(parts[0], 10.0 / 2000, 1e-9);
  EXPECT_NEAR(parts[4], 1, 1e-9);
}

TEST(phases, a_moment_of_computation_hides_one_of_waiting) {
  std::vector<wait_in_phase> waits;
  for (ticks i = 1; i <= 100; ++i) waits.push_back({10 * i, 19});
  double hidden = 0;  // of 1900; the 5000 after the last wait hide no other
  for (const double part : parts_to_hide(waits, 6000)) hidden += 19 * part;
  EXPECT_NEAR(hidden, 1000 + 19, 1e-6);
}

TEST(phases, nothing_hides_where_nothing_is_computed) {
  const std::vector<wait_in_phase> waits{{0, 10}, {0, 10}};
  EXPECT_EQ(parts_to_hide(waits, 0), (std::vector<double>{0, 0}));
  EXPECT_TRUE(parts_to_hide({}, 100).empty());
}

constexpr std::uint64_t mebibyte = 1 << 20;  // takes 70 ms

void start_exchange(made_rank& on, int peer, std::uint64_t bytes) {
  on.start(call_id::MPI_Irecv, record_kind::receive, peer, bytes);
  on.start(call_id::MPI_Isend, record_kind::send, peer, bytes);
}
template <class Step>
[[nodiscard]] double hidden_ms(Step step) {
  const analysis run = analyse(profiles_of(made_ranks(2, step)));
  return run.of_a_rank(run.hidden_s) / ms / 10;  // of a round
}

TEST(hidden, what_the_programs_own_tests_have_moved_is_no_progress) {
  EXPECT_NEAR(hidden_ms([](made_rank& on, int rank, int) {
                start_exchange(on, 1 - rank, mebibyte);
                on.compute(80);  // and tests
                on.wait(call_id::MPI_Waitall, 1);
              }),
              0, 0.01);
}

TEST(hidden, looks_have_moved_what_the_wait_did_not_take) {
  EXPECT_NEAR(hidden_ms([](made_rank& on, int rank, int) {
                start_exchange(on, 1 - rank, mebibyte);
                on.compute_and_look(80);
                on.wait(call_id::MPI_Waitall, 10);
              }),
              60, 0.01);
}

TEST(hidden, no_more_than_the_time_that_looks_have_looked_after) {
  EXPECT_NEAR(hidden_ms([](made_rank& on, int rank, int) {
                start_exchange(on, 1 - rank, mebibyte);
                on.compute_and_look(20);
                on.compute(60);
                on.wait(call_id::MPI_Waitall, 10);
              }),
              20, 0.01);
}

TEST(hidden, the_same_time_counts_once_for_several_waits) {
  EXPECT_NEAR(hidden_ms([](made_rank& on, int rank, int) {
                for (int i = 0; i < 4; ++i) {
                  on.start(call_id::MPI_Irecv, record_kind::receive, 1 - rank, mebibyte);
                  on.start(call_id::MPI_Isend, record_kind::send, 1 - rank, mebibyte);
                }
                on.compute_and_look(80);
                for (int i = 0; i < 8; ++i) on.wait(call_id::MPI_Wait, 0, false);
              }),
              80, 0.01);
}

TEST(hidden, short_messages_need_no_look) {
  EXPECT_NEAR(hidden_ms([](made_rank& on, int rank, int) {
                start_exchange(on, 1 - rank, 16 << 10);
                on.compute_and_look(80);
                on.wait(call_id::MPI_Waitall, 0);
              }),
              0, 0.01);
}

/// Returns the longest time that a text names, in seconds.
[[nodiscard]] double longest_s(const std::string& text) {
  double longest = 0;
  const std::regex time(R"(([0-9.]+) (s|ms|us)\b)");
  for (std::sregex_iterator at(text.begin(), text.end(), time), end; at != end; ++at) {
    const std::string unit = (*at)[2];
    const double factor = unit == "s" ? 1 : unit == "ms" ? 1e-3 : 1e-6;
    longest = std::max(longest, factor * std::stod((*at)[1]));
  }
  return longest;
}

[[nodiscard]] std::vector<made_rank> eight_ranks() {
  return made_ranks(8, [](made_rank& on, int rank, int) {
    on.compute(100);
    on.reduce(300, 1 << 20);
    on.send_and_receive(rank ^ 1, 1 << 20, 200);
  });
}

TEST(words, no_time_is_longer_than_the_run) {
  std::vector<made_rank> ranks = eight_ranks();
  for (made_rank& one : ranks) {
    one.header().switches = 2;  // with progress
    one.header().look_s = 0.5;
    one.header().queued_s = 0.3;
  }
  const std::vector<rank_profile> profiles = profiles_of(ranks);
  const std::string text = summary_text(analyse(profiles));
  EXPECT_LE(longest_s(text), 6.0 + 1e-9) << text;
  EXPECT_NE(text.find("3.00 s (50.0%)"), std::string::npos) << text;  // the reduction
}

TEST(words, every_line_fits_a_terminal) {
  const std::vector<rank_profile> profiles = profiles_of(eight_ranks());
  std::istringstream text(summary_text(analyse(profiles)));
  int lines = 0;
  const std::regex unit_first(R"(plait: *(s|ms|us)\b.*)");
  for (std::string line; std::getline(text, line); ++lines) {
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_FALSE(std::regex_match(line, unit_first)) << line;
  }
  EXPECT_LE(lines, 30);
}

TEST(words, columns_are_as_narrow_as_their_figures_and_leave_the_rest_to_the_site) {
  std::vector<rank_profile> profiles = profiles_of(eight_ranks());
  for (rank_profile& one : profiles) {
    std::strcpy(one.header.module[0].path, "/made/tea_leaf_cg.so");
    for (auto& [number, site] : one.sites) site.module = 0;
    one.sites[static_cast<int>(call_id::MPI_Allreduce)].count = 175;  // 1400 of all
  }
  const std::string text = summary_text(analyse(profiles));
  EXPECT_TRUE(std::regex_search(text, std::regex(R"( 1400  Allreduce tea_leaf_cg\.so\+0x)")))
      << text;
}

/// Puts all ranks on one host, each on any of its first `cores` cores.
[[nodiscard]] std::vector<rank_profile> on_one_host(std::vector<made_rank> ranks, unsigned cores) {
  for (made_rank& one : ranks) {
    std::strcpy(one.header().host, "crowd");
    one.header().cores[0] = (std::uint64_t{1} << cores) - 1;
    one.header().latency_s[1] = 1e-6;
  }
  return profiles_of(ranks);
}

void expect_only_cores_are_spoken_of(const std::string& text) {
  for (const char* word :
       {"Start it", "efficiency", "could be hidden", "most of it for", "under way"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word << " in " << text;
  }
}

TEST(cores, that_ranks_share_are_spoken_of_first_and_of_messages_nothing_is_said) {
  const std::vector<rank_profile> profiles = on_one_host(eight_ranks(), 2);
  const std::string text = summary_text(analyse(profiles));
  const std::size_t second = text.find('\n') + 1;
  EXPECT_EQ(text.substr(second).rfind("plait: 8 ranks share 2 cores of crowd.", 0), 0U) << text;
  EXPECT_NE(text.find("Run at most 2 ranks"), std::string::npos) << text;
  expect_only_cores_are_spoken_of(text);
}

TEST(cores, that_some_ranks_are_bound_to_are_shared_while_others_are_free) {
  std::vector<rank_profile> profiles = on_one_host(eight_ranks(), 16);
  EXPECT_EQ(analyse(profiles).cores.says, "");
  profiles[3].header.cores[0] = profiles[4].header.cores[0] = 4;
  EXPECT_EQ(analyse(profiles).cores.says.rfind("2 ranks share 1 core of crowd.", 0), 0U);
}

TEST(cores, that_other_programs_take_are_spoken_of) {
  std::vector<rank_profile> profiles = on_one_host(eight_ranks(), 8);
  for (rank_profile& one : profiles) one.header.queued_s = 3.3;
  const std::string text = summary_text(analyse(profiles));
  EXPECT_NE(text.find("A rank waits 3.30 s (55.0%) for a core that other programs or threads"),
            std::string::npos)
      << text;
  expect_only_cores_are_spoken_of(text);
  for (rank_profile& one : profiles) one.header.queued_s = 0.01;
  EXPECT_EQ(analyse(profiles).cores.says, "");
}

}  // namespace
}  // namespace plait::attach
