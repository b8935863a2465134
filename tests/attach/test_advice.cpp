// SPDX-License-Identifier: BSD-3-Clause
// What a program with a pattern of communication is told: what can be done there, or nothing.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "attach/books/settings.hpp"
#include "made_run.hpp"

namespace plait::attach {
namespace {

constexpr std::uint64_t short_bytes = 8 << 10;

[[nodiscard]] site_result site_of(const std::vector<made_rank>& ranks, call_id call) {
  const analysis run = analyse(profiles_of(ranks));
  for (const site_result& site : run.sites) {
    if (site.call == static_cast<int>(call)) return site;
  }
  return {};
}

[[nodiscard]] std::string advice_of(const std::vector<made_rank>& ranks, call_id call) {
  const analysis run = analyse(profiles_of(ranks));
  for (const site_result& site : run.sites) {
    if (site.call == static_cast<int>(call)) return site.advice.text;
  }
  return "no such site";
}

void expect_said(const std::string& advice, const std::string& words) {
  EXPECT_NE(advice.find(words), std::string::npos) << "said: " << advice;
}
void expect_not_said(const std::string& advice, const std::string& words) {
  EXPECT_EQ(advice.find(words), std::string::npos) << "said: " << advice;
}

/// Ranks compute the same in all, and take turns at being 4 ms late.
[[nodiscard]] double late_ms(int rank, int round) {
  return round % 2 == rank % 2 ? 4 : 0;
}
/// Ends all ranks' calls together: a rank that is late has less to wait.
[[nodiscard]] double wait_ms(int rank, int round) {
  return 6 - late_ms(rank, round);
}

TEST(advice, an_exchange_by_a_blocking_call_is_to_be_split) {
  const std::string said =
      advice_of(made_ranks(2,
                           [](made_rank& on, int rank, int round) {
                             on.compute(10 + late_ms(rank, round));
                             on.send_and_receive(1 - rank, short_bytes, wait_ms(rank, round));
                           }),
                call_id::MPI_Sendrecv);
  expect_said(said, "mostly for sends that come late");
  expect_said(said,
              "Start it with MPI_Irecv and MPI_Isend, compute what does not touch their "
              "buffers, then MPI_Waitall, unless what follows needs its result at once.");
  expect_not_said(said, "earlier");
}

TEST(advice, a_late_exchange_is_a_late_sender_whatever_its_size) {
  for (const std::uint64_t bytes : {short_bytes, std::uint64_t{1} << 20}) {
    const auto ranks = made_ranks(2, [&](made_rank& on, int rank, int round) {
      on.compute(20 + 30 * late_ms(rank, round));
      on.send_and_receive(1 - rank, bytes, 150 - 30 * late_ms(rank, round));
    });
    const analysis run = analyse(profiles_of(ranks));
    EXPECT_GT(run.waits.late_sender_s, 0) << bytes;
    EXPECT_EQ(run.waits.late_receiver_s, 0) << bytes;
    expect_said(advice_of(ranks, call_id::MPI_Sendrecv), "mostly for sends that come late");
  }
}

TEST(advice, blocking_sends_and_receives_are_to_be_started) {
  const auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(10);
    on.blocking(call_id::MPI_Send, record_kind::send, 1 - rank, short_bytes, 3);
    on.blocking(call_id::MPI_Recv, record_kind::receive, 1 - rank, short_bytes, 3);
  });
  expect_said(advice_of(ranks, call_id::MPI_Send), "Start it with MPI_Isend, compute");
  expect_said(advice_of(ranks, call_id::MPI_Send),
              "unless what follows writes its buffer at once.");
  expect_said(advice_of(ranks, call_id::MPI_Recv), "Start it with MPI_Irecv, compute");
  expect_said(advice_of(ranks, call_id::MPI_Recv), "unless what follows needs its result at once.");
  expect_not_said(advice_of(ranks, call_id::MPI_Recv), "--progress");
}

TEST(advice, messages_that_need_looks_are_to_be_given_progress) {
  const auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(100);
    on.send_and_receive(1 - rank, 1 << 20, 70);
  });
  expect_said(advice_of(ranks, call_id::MPI_Sendrecv), "MPI_Waitall (with --progress), unless");
}

TEST(advice, a_rank_with_more_work_than_others_is_named_and_no_call_is) {
  const auto ranks = made_ranks(3, [](made_rank& on, int rank, int) {
    on.compute(rank == 2 ? 20 : 10);
    on.reduce(rank == 2 ? 1 : 11);
  });
  const std::string said = advice_of(ranks, call_id::MPI_Allreduce);
  expect_said(said, "Rank 2 computes 200.0 ms, a rank on average 133.3 ms: give it less");
  expect_not_said(said, "MPI_I");
}

TEST(advice, a_barrier_is_to_be_left_out) {
  for (const bool is_late : {false, true}) {
    const auto ranks = made_ranks(2, [&](made_rank& on, int rank, int round) {
      on.compute(10 + (is_late ? late_ms(rank, round) : 0));
      on.blocking(call_id::MPI_Barrier, record_kind::all_to_all, -1, 0,
                  is_late ? wait_ms(rank, round) : 4);
    });
    const std::string said = advice_of(ranks, call_id::MPI_Barrier);
    expect_said(said, "Messages need no barrier: leave it out");
    expect_not_said(said, "compute what");
    expect_not_said(said, "data under way");
  }
}

TEST(advice, a_reduction_is_to_be_started_where_its_result_is_not_needed_at_once) {
  const std::string said = advice_of(made_ranks(2,
                                                [](made_rank& on, int rank, int round) {
                                                  on.compute(10 + late_ms(rank, round));
                                                  on.reduce(wait_ms(rank, round));
                                                }),
                                     call_id::MPI_Allreduce);
  expect_said(said, "mostly for the rank that comes last");
  expect_said(said,
              "Start it with MPI_Iallreduce, compute what does not touch its buffer, then "
              "MPI_Wait (with --progress), unless what follows needs its result at once.");
}

TEST(advice, short_reductions_in_a_row_are_to_be_one) {
  const std::string said =
      advice_of(made_ranks(2,
                           [](made_rank& on, int rank, int) {
                             on.send_and_receive(1 - rank, short_bytes, 1);
                             for (int variable = 0; variable < 40; ++variable) {
                               on.compute(1);
                               on.reduce(0.5);
                             }
                           }),
                call_id::MPI_Allreduce);
  expect_said(said, "40 calls in a row move 8 bytes each: move all of it with one call");
}

TEST(advice, a_reduction_a_step_is_not_to_be_combined_with_that_of_the_next_step) {
  const std::string said = advice_of(made_ranks(2,
                                                [](made_rank& on, int, int) {
                                                  on.compute(10);
                                                  on.reduce(4);
                                                }),
                                     call_id::MPI_Allreduce);
  expect_not_said(said, "in a row");
}

TEST(advice, long_reductions_in_a_row_stay_what_they_are) {
  const std::string said = advice_of(made_ranks(2,
                                                [](made_rank& on, int rank, int) {
                                                  on.send_and_receive(1 - rank, short_bytes, 1);
                                                  for (int i = 0; i < 8; ++i) on.reduce(2, 1 << 20);
                                                }),
                                     call_id::MPI_Allreduce);
  expect_not_said(said, "in a row");
}

void start_exchange(made_rank& on, int peer, std::uint64_t bytes) {
  on.start(call_id::MPI_Irecv, record_kind::receive, peer, bytes);
  on.start(call_id::MPI_Isend, record_kind::send, peer, bytes);
}

TEST(advice, messages_that_are_started_just_before_their_wait_are_to_be_started_earlier) {
  const std::string said = advice_of(made_ranks(2,
                                                [](made_rank& on, int rank, int) {
                                                  on.compute(10);
                                                  start_exchange(on, 1 - rank, short_bytes);
                                                  on.wait(call_id::MPI_Waitall, 5);
                                                }),
                                     call_id::MPI_Waitall);
  expect_said(said, "Next to nothing is computed between Irecv at");
  expect_said(said, "compute there what does not touch the buffers");
}

TEST(advice, messages_that_computation_could_have_hidden_need_progress) {
  const std::string said = advice_of(made_ranks(2,
                                                [](made_rank& on, int rank, int) {
                                                  start_exchange(on, 1 - rank, 1 << 20);
                                                  on.compute(80);
                                                  on.wait(call_id::MPI_Waitall, 70);
                                                }),
                                     call_id::MPI_Waitall);
  expect_said(said, "run with --progress");
}

TEST(advice, a_late_start_elsewhere_is_named) {
  const std::string said = advice_of(
      made_ranks(2,
                 [](made_rank& on, int rank, int round) {
                   on.start(call_id::MPI_Irecv, record_kind::receive, 1 - rank, short_bytes);
                   on.start(call_id::MPI_Irecv, record_kind::receive, 1 - rank, short_bytes);
                   on.compute(10 + late_ms(rank, round));
                   for (int i = 0; i < 2; ++i) {
                     on.start(call_id::MPI_Isend, record_kind::send, 1 - rank, short_bytes);
                   }
                   on.wait(call_id::MPI_Waitall, wait_ms(rank, round));
                 }),
      call_id::MPI_Waitall);
  expect_said(said, "between Irecv at");
  expect_said(said, "and call Isend at");
}

TEST(advice, nothing_is_said_where_there_is_no_computation_to_hide_messages_behind) {
  const auto ranks = made_ranks(2, [](made_rank& on, int rank, int round) {
    on.compute(round == 9 ? 1 : 0);
    on.send_and_receive(1 - rank, 1 << 20, 70);
  });
  EXPECT_EQ(advice_of(ranks, call_id::MPI_Sendrecv), "");
}

TEST(advice, nothing_is_said_of_calls_that_are_not_taken_apart) {
  auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(10);
    on.send_and_receive(1 - rank, short_bytes, 0.01);
  });
  std::vector<rank_profile> profiles = profiles_of(ranks);
  for (rank_profile& one : profiles) {
    const int number = static_cast<int>(call_id::MPI_Probe);
    one.sites[number].call = number;
    one.sites[number].count = 10;
    one.sites[number].waited = 50'000;
    one.header.in_mpi += 50'000;
    one.header.end += 50'000;
  }
  for (const site_result& site : analyse(profiles).sites) EXPECT_EQ(site.advice.text, "");
}

TEST(advice, calls_are_told_by_the_pattern_that_they_form) {
  const auto blocking = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(10);
    on.send_and_receive(1 - rank, short_bytes, 4);
  });
  EXPECT_EQ(site_of(blocking, call_id::MPI_Sendrecv).advice.pattern,
            call_pattern::blocking_exchange);
  const auto chain = made_ranks(3, [](made_rank& on, int rank, int) {
    on.compute(10);
    on.send_and_receive((rank + 1) % 3, short_bytes, 2);
    on.send_and_receive((rank + 2) % 3, short_bytes, 2);
  });
  EXPECT_EQ(site_of(chain, call_id::MPI_Sendrecv).advice.pattern, call_pattern::sendrecv_chain);
  expect_said(advice_of(chain, call_id::MPI_Sendrecv), ", in Sendrecv calls one after another. ");
  const auto at_once = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(10);
    start_exchange(on, 1 - rank, short_bytes);
    on.wait(call_id::MPI_Waitall, 5);
  });
  EXPECT_EQ(site_of(at_once, call_id::MPI_Waitall).advice.pattern, call_pattern::waited_at_once);
  const auto later = made_ranks(2, [](made_rank& on, int rank, int) {
    start_exchange(on, 1 - rank, short_bytes);
    on.compute(10);
    on.wait(call_id::MPI_Waitall, 5);
    on.compute(10);
  });
  EXPECT_EQ(site_of(later, call_id::MPI_Waitall).advice.pattern, call_pattern::none);
  const auto transpose = made_ranks(2, [](made_rank& on, int, int) {
    on.compute(10);
    on.blocking(call_id::MPI_Alltoall, record_kind::all_to_all, -1, 1 << 20, 5);
  });
  EXPECT_EQ(site_of(transpose, call_id::MPI_Alltoall).advice.pattern, call_pattern::transpose);
  const auto row = made_ranks(2, [](made_rank& on, int rank, int) {
    on.send_and_receive(1 - rank, short_bytes, 1);
    for (int variable = 0; variable < 40; ++variable) {
      on.compute(1);
      on.reduce(0.5);
    }
  });
  const site_result reductions = site_of(row, call_id::MPI_Allreduce);
  EXPECT_EQ(reductions.advice.pattern, call_pattern::calls_in_a_row);
  ASSERT_EQ(reductions.advice.rewrite.size(), 3U);
  EXPECT_EQ(reductions.advice.rewrite[0], "double all[40] = {...};  // what the 40 calls move");
}

TEST(advice, a_transfer_beside_enough_computation_is_gained_for_sure) {
  const auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(10);
    on.send_and_receive(1 - rank, short_bytes, 4);
    on.compute(10);
  });
  const site_result site = site_of(ranks, call_id::MPI_Sendrecv);
  EXPECT_NEAR(site.advice.gain_s, 2 * 10 * 4e-3, 1e-9);  // of both ranks and all rounds
  EXPECT_NEAR(site.advice.gain_error_s, 0, 1e-9);
  expect_said(site.advice.text,
              "By the model this saves 40.0 ms (16.7%) of a rank, give or take 0 us.");
}

TEST(advice, long_messages_are_gained_with_the_looks_that_the_advice_asks_for) {
  for (const unsigned switches : {0U, static_cast<unsigned>(switch_progress)}) {
    auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
      on.compute(100);
      on.send_and_receive(1 - rank, 1 << 20, 70);
    });
    for (made_rank& one : ranks) one.header().switches = switches;
    const site_advice advice = site_of(ranks, call_id::MPI_Sendrecv).advice;
    EXPECT_EQ(advice.text.find("with --progress") == std::string::npos, switches != 0);
    EXPECT_NEAR(advice.gain_s, 2 * 10 * 70e-3, 1e-9);
    EXPECT_NEAR(advice.gain_error_s, 0, 1e-9);
  }
}

TEST(advice, the_transports_processor_time_is_not_gained) {
  auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(10);
    on.send_and_receive(1 - rank, short_bytes, 4);
    on.compute(10);
  });
  for (made_rank& one : ranks) one.header().processor_s_per_byte[0] = 1e-3 / short_bytes;
  const site_result site = site_of(ranks, call_id::MPI_Sendrecv);
  // A rank gives 1 ms for what it sends and 1 ms for what it receives.
  EXPECT_NEAR(site.advice.gain_s, 2 * 10 * 2e-3, 1e-9);
  EXPECT_NEAR(site.advice.gain_error_s, 0, 1e-9);
}

TEST(advice, the_processor_time_of_a_message_counts_at_the_call_that_waits_for_it) {
  auto ranks = made_ranks(2, [](made_rank& on, int rank, int) {
    on.compute(10);
    on.start(call_id::MPI_Send, record_kind::send, 1 - rank, short_bytes);
    on.start(call_id::MPI_Irecv, record_kind::receive, 1 - rank, short_bytes);
    on.wait(call_id::MPI_Send, 2, false);
    on.wait(call_id::MPI_Wait, 3);
  });
  for (made_rank& one : ranks) one.header().processor_s_per_byte[0] = 1e-3 / short_bytes;
  EXPECT_NEAR(site_of(ranks, call_id::MPI_Send).processor_s, 2 * 10 * 1e-3, 1e-9);
  EXPECT_NEAR(site_of(ranks, call_id::MPI_Wait).processor_s, 2 * 10 * 1e-3, 1e-9);
}

TEST(advice, what_late_ranks_cause_is_gained_perhaps) {
  const auto ranks = made_ranks(2, [](made_rank& on, int rank, int round) {
    on.compute(10 + late_ms(rank, round));
    on.send_and_receive(1 - rank, short_bytes, wait_ms(rank, round));
  });
  const site_result site = site_of(ranks, call_id::MPI_Sendrecv);
  EXPECT_GT(site.advice.gain_error_s, 0.2 * site.advice.gain_s);
  EXPECT_LE(site.advice.gain_s + site.advice.gain_error_s, site.waits.waiting_s + 1e-9);
}

TEST(advice, clocks_that_differ_widen_the_error) {
  const auto gain_error = [](double uncertainty_s) {
    auto ranks = made_ranks(2, [](made_rank& on, int rank, int round) {
      on.compute(10 + late_ms(rank, round));
      on.send_and_receive(1 - rank, short_bytes, wait_ms(rank, round));
    });
    ranks[1].header().boot = 8;
    ranks[1].header().clock_uncertainty_s = uncertainty_s;
    return site_of(ranks, call_id::MPI_Sendrecv).advice.gain_error_s;
  };
  EXPECT_GT(gain_error(1e-4), gain_error(0));
}

TEST(advice, nothing_is_to_be_written_anew_where_work_is_unequal) {
  const auto ranks = made_ranks(3, [](made_rank& on, int rank, int) {
    on.compute(rank == 2 ? 20 : 10);
    on.reduce(rank == 2 ? 1 : 11);
  });
  const site_result site = site_of(ranks, call_id::MPI_Allreduce);
  EXPECT_NE(site.advice.text, "");
  EXPECT_TRUE(site.advice.rewrite.empty());
  EXPECT_EQ(site.advice.gain_s, 0);
}

TEST(advice, a_rewrite_is_in_the_language_of_the_source_file) {
  const auto first = [](std::string_view file) {
    return rewritten(call_pattern::collective, "MPI_Allreduce", 1, file).at(1);
  };
  EXPECT_EQ(first("/src/cg.c"), "MPI_Iallreduce(..., comm, &r);  // as it is now");
  EXPECT_EQ(first("/src/cg.cpp"), first("/src/cg.c"));
  EXPECT_EQ(first(""), first("/src/cg.c"));
  EXPECT_EQ(first("/src/cg.F90"), "call compute_other()  ! what needs no result of it");
  EXPECT_EQ(first("/src/cg.f"), first("/src/cg.F90"));
  EXPECT_EQ(first("/src/cg.py"), "compute_other()  # what needs no result of it");
}

TEST(advice, rewrites_are_short) {
  for (int of = 0; of <= static_cast<int>(call_pattern::barrier); ++of) {
    for (const char* file : {"a.c", "a.f90", "a.py"}) {
      const auto lines =
          rewritten(static_cast<call_pattern>(of), "MPI_Neighbor_alltoallw", 1000, file);
      EXPECT_LE(lines.size(), 6U);
      for (const std::string& one : lines) EXPECT_LE(one.size(), 69U) << one;
    }
  }
}

}  // namespace
}  // namespace plait::attach
