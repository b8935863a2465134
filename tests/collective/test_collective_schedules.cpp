// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>
#include <plait/collective/shape.hpp>
#include <plait/core/error.hpp>

#include "collective_interpreter.hpp"
#include "collective_world.hpp"

namespace plait::test {
namespace {

using collective::algorithm;
using collective::algorithms_of;
using collective::all_operations;
using collective::build;
using collective::keeps_order;

constexpr message_manner manners[] = {{.eager = false, .in_order = false},
                                      {.eager = false, .in_order = true},
                                      {.eager = true, .in_order = false},
                                      {.eager = true, .in_order = true},
                                      {.eager = false, .in_order = true, .one_by_one = true},
                                      {.eager = true, .in_order = true, .one_by_one = true}};

std::string to_text(const shape& call, algorithm how) {
  return std::string(to_string(call.what)) + " by " + std::string(to_string(how)) + ", " +
         std::to_string(call.ranks) + " ranks, root " + std::to_string(call.root) +
         (call.in_place ? ", in place" : "") + ", elements of " +
         std::to_string(call.element_bytes) + " bytes, fragments of " +
         std::to_string(call.fragment_bytes);
}

std::vector<schedule> schedules_of(const world& w, algorithm how) {
  std::vector<schedule> schedules;
  for (const shape& call : w.calls) schedules.push_back(build(call, how));
  return schedules;
}

std::vector<schedule> schedules_of(shape call, algorithm how) {
  std::vector<schedule> schedules;
  for (call.rank = 0; call.rank < call.ranks; ++call.rank) schedules.push_back(build(call, how));
  return schedules;
}

std::string first_difference(const bytes& expected, const bytes& got) {
  const auto [e, g] = std::ranges::mismatch(expected, got);
  if (e == expected.end()) return {};
  return "byte " + std::to_string(e - expected.begin()) + ": expected " + std::to_string(*e) +
         ", got " + std::to_string(*g);
}

void expect_right(const world& w, algorithm how, random_engine& random) {
  interpreter run(w, schedules_of(w, how));
  ASSERT_EQ(run.flaw(), "");
  for (const message_manner& manner : manners) {
    SCOPED_TRACE(std::string(manner.eager ? "eager" : "rendezvous") +
                 (manner.in_order ? ", in order" : "") + (manner.one_by_one ? ", one by one" : ""));
    const auto left = run.run(manner, random);
    for (std::size_t r = 0; r < left.size(); ++r) {
      const int rank = static_cast<int>(r);
      ASSERT_TRUE(left[r].empty()) << "rank " << r << " is stuck at " << left[r].front();
      ASSERT_EQ(first_difference(w.expected[r], run.received(rank)), "") << "rank " << r;
      ASSERT_EQ(first_difference(w.send[r], run.sent(rank)), "") << "send buffer of rank " << r;
    }
  }
}

/// Small numbers of ranks with every root, two larger ones with some.
template <typename Use>
void for_each_root(operation what, const Use& use) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17}) {
    for (int root = 0; root<(has_root(what) ? ranks : 1); root += ranks> 9 ? 5 : 1) {
      use(ranks, root);
    }
  }
}

#ifdef __SANITIZE_ADDRESS__
constexpr int thoroughness = 1;  // costs a factor of ten
#else
constexpr int thoroughness = 4;
#endif

class every_collective : public ::testing::TestWithParam<operation> {};

TEST_P(every_collective, gives_what_MPI_says_however_it_is_executed) {
  random_engine random(20);
  for (const algorithm how : algorithms_of(GetParam())) {
    for_each_root(GetParam(), [&](int ranks, int root) {
      for (const bool in_place : {false, true}) {
        if (in_place && !can_be_in_place(GetParam())) continue;
        const int repetitions = thoroughness * (has_root(GetParam()) ? 1 : 3);
        for (int repetition = 0; repetition < repetitions && !HasFatalFailure(); ++repetition) {
          const bool operates = has_operator(GetParam());
          const std::size_t element_sizes[] = {1, 3, 8};
          const shape call{
              .what = GetParam(),
              .ranks = ranks,
              .root = root,
              .element_bytes = operates ? operand_bytes : element_sizes[random_up_to(random, 2)],
              .in_place = in_place,
              .fragment_bytes = 1 + random_up_to(random, 40),
              .cut = {1 + random_up_to(random, 80), 1 + random_up_to(random, 40)}};
          const bool ordered = operates && keeps_order(GetParam(), how);
          SCOPED_TRACE(to_text(call, how));
          const world w(call, ordered ? matrix_product : sum_of<std::uint32_t>, random);
          expect_right(w, how, random);
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(schedules, every_collective, ::testing::ValuesIn(all_operations),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

TEST(barrier_schedules, let_no_rank_pass_before_all_have_come) {
  random_engine random(21);
  for (const algorithm how : algorithms_of(operation::barrier)) {
    for (int ranks = 2; ranks <= 17; ++ranks) {
      const world w({.what = operation::barrier, .ranks = ranks}, matrix_product, random);
      interpreter run(w, schedules_of(w, how));
      for (int late = 0; late < ranks; ++late) {
        const auto left = run.run({.eager = true}, random, late);
        for (int r = 0; r < ranks; ++r) {
          EXPECT_FALSE(left[static_cast<std::size_t>(r)].empty())
              << to_string(how) << ": rank " << r << " of " << ranks << " passed without " << late;
        }
      }
    }
  }
}

TEST(reductions, keep_the_order_of_ranks_unless_said_otherwise) {
  random_engine random(22);
  for (const operation what : all_operations) {
    if (!has_operator(what)) continue;
    for (const algorithm how : algorithms_of(what)) {
      EXPECT_EQ(keeps_order(what, how), how != algorithm::ring) << to_string(what);
      if (keeps_order(what, how)) continue;
      int wrong = 0;
      for (int repetition = 0; repetition < 10; ++repetition) {
        const world w({.what = what, .ranks = 5, .element_bytes = operand_bytes}, matrix_product,
                      random);
        interpreter run(w, schedules_of(w, how));
        (void)run.run({}, random);
        for (int r = 0; r < 5; ++r)
          wrong += run.received(r) != w.expected[static_cast<std::size_t>(r)];
      }
      EXPECT_GT(wrong, 0) << to_string(what) << " keeps it after all";
    }
  }
}

TEST(allreduce_schedules, give_the_same_bits_on_every_rank_and_every_time) {
  random_engine random(23);
  for (const algorithm how : algorithms_of(operation::allreduce)) {
    for (int ranks = 2; ranks <= 9; ++ranks) {
      const std::size_t count = 20;
      world w({.what = operation::allreduce, .ranks = ranks, .element_bytes = operand_bytes},
              sum_of<float>, random);
      for (std::size_t r = 0; r < w.calls.size(); ++r) {
        w.calls[r].count = count;
        std::vector<float> values(count);
        std::uniform_real_distribution<float> any(-1.0F, 1.0F);
        for (float& v : values) v = any(random) / any(random);
        w.send[r].resize(count * operand_bytes);
        std::memcpy(w.send[r].data(), values.data(), w.send[r].size());
        w.receive[r].assign(w.send[r].size(), 0);
      }
      interpreter run(w, schedules_of(w, how));
      (void)run.run({}, random);
      const bytes first = run.received(0);
      for (const message_manner& manner : manners) {
        (void)run.run(manner, random);
        for (int r = 0; r < ranks; ++r) {
          EXPECT_EQ(first_difference(first, run.received(r)), "")
              << to_string(how) << ", rank " << r << " of " << ranks;
        }
      }
    }
  }
}

/// Sums over the schedule of one rank.
struct totals {
  std::size_t messages = 0;  ///< sent
  std::size_t bytes = 0;
  std::size_t copies = 0;
  std::size_t operations = 0;
  friend bool operator==(const totals&, const totals&) = default;
};

std::ostream& operator<<(std::ostream& out, const totals& t) {
  return out << t.messages << " messages, " << t.bytes << " bytes, " << t.copies << " copies, "
             << t.operations << " operations";
}

totals totals_of(const schedule& s) {
  totals t;
  for (const action& a : s.actions) {
    if (a.what == action::kind::send) {
      ++t.messages;
      t.bytes += a.from.size();
    } else if (a.what == action::kind::copy) {
      ++t.copies;
    } else if (a.what == action::kind::operate) {
      ++t.operations;
    }
  }
  return t;
}

totals largest_of(const std::vector<schedule>& schedules) {
  totals most;
  for (const schedule& s : schedules) {
    const totals t = totals_of(s);
    most = {std::max(most.messages, t.messages), std::max(most.bytes, t.bytes),
            std::max(most.copies, t.copies), std::max(most.operations, t.operations)};
  }
  return most;
}

std::size_t scratch_of(const std::vector<schedule>& schedules) {
  std::size_t most = 0;
  for (const schedule& s : schedules) most = std::max(most, s.scratch_bytes);
  return most;
}

int rounds_for(int ranks) {
  int rounds = 0;
  while (1 << rounds < ranks) ++rounds;
  return rounds;
}

struct figures {
  operation what;
  algorithm how;
  totals most;  ///< of any rank
  int rounds;
};

// m = 16 elements for a vector or a block; fragments of 4; the messages of the busiest rank.
TEST(known_figures, hold_for_messages_bytes_copies_operations_and_rounds) {
  using enum algorithm;
  using op = operation;
  constexpr std::size_t m = 16;
  for (const int ranks : {2, 4, 8, 16, 7, 12}) {
    const auto p = static_cast<std::size_t>(ranks);
    const int k = rounds_for(ranks);
    const auto logp = static_cast<std::size_t>(k);
    const bool power = 1 << k == ranks;
    const std::size_t half = std::size_t{1} << (k - 1);  // the rest is the last subtree of the root
    const std::size_t largest_subtree = std::max(half / 2, p - half);
    std::vector<figures> known{
        {op::bcast, linear, {p - 1, (p - 1) * m, 0, 0}, 1},
        {op::bcast, binomial, {logp, logp * m, 0, 0}, k},
        {op::bcast, chain, {4, m, 0, 0}, ranks - 1 + 3},
        {op::reduce, linear, {1, m, 0, p - 1}, 1},
        {op::reduce, binomial, {1, m, 0, logp}, k},
        {op::reduce, chain, {4, m, 0, 4}, ranks - 1 + 3},
        {op::allreduce, binomial, {logp, logp * m, 0, logp}, 2 * k},
        {op::allreduce,
         chain,
         {ranks == 2 ? 4U : 8U, (ranks == 2 ? 1 : 2) * m, 0, 4},
         2 * (ranks - 1 + 3)},
        {op::gather, linear, {1, m, 1, 0}, 1},
        {op::gather, binomial, {1, largest_subtree * m, 1, 0}, k},
        {op::scatter, linear, {p - 1, (p - 1) * m, 1, 0}, 1},
        {op::scatter, binomial, {logp, (p - 1) * m, 1, 0}, k},
        {op::allgather, linear, {p - 1, (p - 1) * m, 1, 0}, 1},
        {op::allgather, ring, {p - 1, (p - 1) * m, 1, 0}, ranks - 1},
        {op::alltoall, linear, {p - 1, (p - 1) * m, 1, 0}, 1},
        {op::alltoall, pairwise, {p - 1, (p - 1) * m, 1, 0}, ranks - 1},
        {op::reduce_scatter_block, ring, {p - 1, (p - 1) * m, 0, p - 1}, ranks - 1},
        {op::reduce_scatter_block, pairwise, {p - 1, (p - 1) * m, 0, p - 1}, ranks - 1},
        {op::scan, recursive_doubling, {logp, logp * m, 1, logp}, k},
        {op::scan, chain, {4, m, 4, 4}, ranks - 1 + 3}};
    if (power) {
      const std::size_t part = std::max<std::size_t>(m / p, 1);
      known.push_back(
          {op::allreduce, ring, {2 * (p - 1), 2 * (p - 1) * part, 0, p - 1}, 2 * (ranks - 1)});
      known.push_back({op::allreduce, recursive_doubling, {logp, logp * m, 0, logp}, k});
      known.push_back({op::allgather, recursive_doubling, {logp, (p - 1) * m, 1, 0}, k});
    }
    for (const figures& f : known) {
      const auto schedules =
          schedules_of({.what = f.what, .ranks = ranks, .count = m, .fragment_bytes = 4}, f.how);
      EXPECT_EQ(largest_of(schedules), f.most)
          << to_string(f.what) << " by " << to_string(f.how) << ", " << ranks << " ranks";
      EXPECT_EQ(schedules.front().rounds, f.rounds)
          << to_string(f.what) << " by " << to_string(f.how) << ", " << ranks << " ranks";
    }
  }
}

TEST(known_figures, of_bruck_are_one_message_a_round_to_each_rank) {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    const auto logp = static_cast<std::size_t>(rounds_for(ranks));
    std::size_t moves = 0;
    for (unsigned way = 1; way < static_cast<unsigned>(ranks); ++way)
      moves += __builtin_popcount(way);
    for (const operation what : {operation::allgather, operation::alltoall}) {
      const auto schedules =
          schedules_of({.what = what, .ranks = ranks, .count = 5}, algorithm::bruck);
      for (const schedule& s : schedules) {
        const totals t = totals_of(s);
        EXPECT_EQ(t.messages, logp) << ranks << " ranks";
        EXPECT_EQ(t.bytes, 5 * (what == operation::alltoall ? moves : ranks - 1U)) << ranks;
        EXPECT_EQ(s.rounds, static_cast<int>(logp));
      }
    }
  }
}

TEST(known_figures, of_recursive_doubling_have_two_more_rounds_for_surplus_ranks) {
  for (const int ranks : {3, 5, 6, 7, 9, 17}) {
    const int exchanges = rounds_for(ranks) - 1;
    for (const operation what : {operation::allreduce, operation::allgather, operation::barrier}) {
      const auto schedules =
          schedules_of({.what = what, .ranks = ranks, .count = 8}, algorithm::recursive_doubling);
      EXPECT_EQ(schedules.front().rounds, exchanges + 2) << to_string(what) << ", " << ranks;
      EXPECT_EQ(totals_of(schedules.front()).messages, 1U) << "rank 0 is idle";
    }
  }
}

TEST(schedules, need_no_scratch_where_every_byte_can_arrive_in_place) {
  using op = operation;
  const std::pair<op, algorithm> without[] = {{op::bcast, algorithm::linear},
                                              {op::bcast, algorithm::binomial},
                                              {op::bcast, algorithm::chain},
                                              {op::allreduce, algorithm::ring},
                                              {op::gather, algorithm::linear},
                                              {op::scatter, algorithm::linear},
                                              {op::allgather, algorithm::linear},
                                              {op::allgather, algorithm::ring},
                                              {op::allgather, algorithm::recursive_doubling},
                                              {op::alltoall, algorithm::linear},
                                              {op::alltoall, algorithm::pairwise}};
  for (const auto& [what, how] : without) {
    EXPECT_EQ(scratch_of(schedules_of({.what = what, .ranks = 8, .root = 3, .count = 64}, how)), 0U)
        << to_string(what) << " by " << to_string(how);
  }
}

TEST(schedules, pass_fragments_on_before_the_next_one_has_come) {
  const schedule middle = build({.what = operation::bcast,
                                 .ranks = 3,
                                 .rank = 1,
                                 .element_bytes = 8,
                                 .count = 10,
                                 .fragment_bytes = 30},
                                algorithm::chain);
  ASSERT_EQ(middle.actions.size(), 8U);
  for (std::size_t i = 0; i < 4; ++i) {
    const slice fragment{buffer::receive, i * 24, std::min<std::size_t>(i * 24 + 24, 80)};
    EXPECT_EQ(middle.actions[2 * i].to, fragment);
    EXPECT_EQ(middle.actions[2 * i + 1].from, fragment);
    for (std::size_t earlier = 0; earlier < 2 * i; ++earlier) {
      EXPECT_FALSE(conflict(middle.actions[earlier], middle.actions[2 * i]));
    }
  }
}

// Each rank has combined, and may pass on, what came first before the rest is there.
TEST(schedules, send_and_combine_long_messages_in_pieces) {
  const schedule ring = build({.what = operation::allreduce,
                               .ranks = 2,
                               .element_bytes = 8,
                               .count = 20,
                               .cut = {.bytes = 30}},
                              algorithm::ring);
  std::size_t sent = 0;
  for (const action& one : ring.actions) {
    EXPECT_LE(std::max(one.from.size(), one.to.size()), 32U) << "80 bytes in 3 pieces";
    sent += one.what == action::kind::send ? one.from.size() : 0;
  }
  EXPECT_EQ(sent, 160U) << "half of the vector in each of two phases";
  EXPECT_EQ(ring.actions.size(), 5U * 3U) << "two sends, two receives and a combination";
}

TEST(pieces, are_of_whole_elements_and_not_more_than_wanted) {
  using collective::piece_size;
  const collective::pieces cut{.bytes = 100, .most = 8};
  EXPECT_EQ(piece_size(0, cut, 8), 0U);
  EXPECT_EQ(piece_size(96, cut, 8), 96U);
  EXPECT_EQ(piece_size(104, cut, 8), 56U);
  EXPECT_EQ(piece_size(800, cut, 8), 104U) << "12.5 elements each";
  EXPECT_EQ(piece_size(80'000, cut, 8), 10'000U);
  EXPECT_EQ(piece_size(300, cut, 250), 250U);
  EXPECT_EQ(piece_size(80'000, {.bytes = 100, .most = 128}, 8), 632U);
  EXPECT_EQ(piece_size(10, {.bytes = 0, .most = 8}, 1), 2U);
  EXPECT_EQ(piece_size(80'000, {.bytes = 100, .most = 0}, 8), 80'000U) << "as if 1";
}

TEST(algorithms, have_names_and_say_which_exist) {
  for (const operation what : all_operations) {
    EXPECT_EQ(collective::operation_from(to_string(what)), what);
    EXPECT_FALSE(algorithms_of(what).empty()) << to_string(what);
  }
  for (const algorithm how : collective::all_algorithms) {
    EXPECT_EQ(collective::algorithm_from(to_string(how)), how);
  }
  EXPECT_EQ(collective::operation_from("allred"), std::nullopt);
  EXPECT_EQ(collective::algorithm_from(""), std::nullopt);
  try {
    (void)build({.what = operation::allreduce}, algorithm::pairwise);
    FAIL() << "there is no such algorithm";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "there is no allreduce by pairwise; it can be binomial, chain, ring or "
                 "recursive_doubling");
  }
  EXPECT_THROW((void)keeps_order(operation::barrier, algorithm::ring), usage_error);
}

TEST(shapes, that_make_no_sense_are_refused) {
  const auto linear = algorithm::linear;
  EXPECT_DEATH((void)build({.what = operation::bcast, .ranks = 2, .rank = 2}, linear), "2 of 2");
  EXPECT_DEATH((void)build({.what = operation::bcast, .ranks = 2, .root = -1}, linear), "-1 of 2");
  EXPECT_DEATH((void)build({.what = operation::bcast, .element_bytes = 0}, linear), "no bytes");
  EXPECT_DEATH((void)build({.what = operation::alltoallv, .send_blocks = {{}, {}}}, linear),
               "2 blocks, not 1");
  EXPECT_DEATH((void)build({.what = operation::allgatherv,
                            .ranks = 2,
                            .element_bytes = 4,
                            .receive_blocks = {{3, 5}, {2, 4}}},
                           linear),
               "two receive blocks have byte 20");
  EXPECT_DEATH((void)build({.what = operation::neighbour_alltoall, .sources = {1}}, linear),
               "neighbour 1 of 1");
  EXPECT_DEATH((void)build({.what = operation::neighbour_alltoall, .destinations = {0}}, linear),
               "its own source");
  EXPECT_DEATH((void)build({.what = operation::neighbour_allgather, .in_place = true}, linear),
               "neighbour_allgather");
}

}  // namespace
}  // namespace plait::test
