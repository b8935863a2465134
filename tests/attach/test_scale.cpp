// SPDX-License-Identifier: BSD-3-Clause
// A job whose ranks take their own waits apart, and merge what comes out, gives the figures of one
// rank that has all records; and of 10 000 ranks both the work and the result stay small.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "attach/after/rank_classes.hpp"
#include "made_run.hpp"

namespace plait::attach {
namespace {

/// When it was measured may differ, and the last digit of a number in a sentence.
[[nodiscard]] std::string without_time(const std::string& json) {
  return std::regex_replace(json, std::regex(R"re("(started_at|advice)": ?"[^"]*")re"), "");
}

/// Texts that are equal but for numbers that rounding has made different.
void expect_alike(const std::string& a, const std::string& b) {
  const char* x = a.c_str();
  const char* y = b.c_str();
  while (*x != '\0' || *y != '\0') {
    const bool is_number = std::isdigit(static_cast<unsigned char>(*x)) != 0 || *x == '-';
    if (!is_number) {
      ASSERT_EQ(*x, *y) << std::string(x, std::min<std::size_t>(200, std::strlen(x))) << "\n---\n"
                        << std::string(y, std::min<std::size_t>(200, std::strlen(y)));
      ++x, ++y;
      continue;
    }
    char* x_end = nullptr;
    char* y_end = nullptr;
    const double one = std::strtod(x, &x_end);
    const double other = std::strtod(y, &y_end);
    if (one != other)  // two that are infinite, as a commit's name may look, are equal
      ASSERT_NEAR(one, other, 1e-9 * std::max(1.0, std::abs(one)))
          << std::string(x, std::min<std::size_t>(200, std::strlen(x)));
    x = std::max<const char*>(x_end, x + 1);
    y = std::max<const char*>(y_end, y + 1);
  }
}

/// The same as ranks do it, each with its own profile and what others told it.  What goes from rank
/// to rank is packed and unpacked.
class made_job {
 public:
  explicit made_job(std::vector<rank_profile> ranks) : ranks_(std::move(ranks)) {
    call_ways ways;
    for (const rank_profile& one : ranks_) {
      call_ways own;
      add_ways(own, one);
      add_ways(ways, unpack_ways(pack_ways(own)));
    }
    index_ = std::make_unique<site_index>(ways);
    for (const rank_profile& one : ranks_) numbers_.emplace_back(one, index_->numbers());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      collective_table own(ranks_[r].header.sampling);
      own.add(view(r));
      collectives_.merge(collective_table::unpacked(own.packed()), 1000);
      for (auto& [to, ends] : ends_to_tell(view(r))) {
        auto& all = told_[to];
        all.insert(all.end(), ends.begin(), ends.end());
      }
    }
  }

  [[nodiscard]] std::vector<job_share> shares() const {
    std::vector<job_share> shares;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const auto told = told_.find(ranks_[r].header.rank);
      const std::vector<told_end> none;
      shares.emplace_back(index_->sites().size(), first().ranks);
      add_rank(view(r), meet(view(r), told == told_.end() ? none : told->second, collectives_),
               shares.back());
    }
    return shares;
  }
  /// Merges shares two by two, in an order that a seed gives.
  [[nodiscard]] std::string merged(unsigned seed) const {
    std::vector<job_share> left = shares();
    std::mt19937 random(seed);
    while (left.size() > 1) {
      std::ranges::shuffle(left, random);
      left[left.size() - 2].merge(job_share::unpacked(left.back().packed(), first().ranks));
      left.pop_back();
    }
    return without_time(result_json(
        finish(*index_, std::move(left.front()), first(), ideal_seconds(ranks_, match(ranks_)))));
  }
  [[nodiscard]] std::string by_one_rank() const {
    return without_time(result_json(analyse(ranks_)));
  }

 private:
  [[nodiscard]] const profile_header& first() const { return ranks_.front().header; }
  [[nodiscard]] rank_view view(std::size_t r) const { return {ranks_[r], first(), numbers_[r]}; }

  std::vector<rank_profile> ranks_;
  std::unique_ptr<site_index> index_;
  std::vector<site_numbers> numbers_;
  collective_table collectives_;
  std::map<int, std::vector<told_end>> told_;
};

/// Ranks that compute for different times, exchange with neighbours and with themselves, and take
/// part in collectives of all kinds.
[[nodiscard]] std::vector<rank_profile> mixed_ranks(int count) {
  return profiles_of(made_ranks(count, [=](made_rank& on, int rank, int round) {
    const double late_ms = (rank * 7 + round * 3) % 5;
    on.compute(10 + late_ms);
    const std::uint64_t bytes = std::uint64_t{1} << (10 + (round + rank) % 2 * 8);
    on.start(call_id::MPI_Irecv, record_kind::receive, (rank + 1) % count, bytes);
    on.start(call_id::MPI_Isend, record_kind::send, (rank + count - 1) % count, bytes);
    on.start(call_id::MPI_Irecv, record_kind::receive, rank, 8);
    on.start(call_id::MPI_Isend, record_kind::send, rank, 8);
    on.compute(3);
    on.wait(call_id::MPI_Waitall, 8 - late_ms);
    on.blocking(call_id::MPI_Bcast, record_kind::from_root, round % count, 64, 1 + rank % 3);
    on.blocking(call_id::MPI_Reduce, record_kind::to_root, 1 % count, 64, 1);
    on.start(call_id::MPI_Iallreduce, record_kind::all_to_all, -1, 8);
    on.compute(1);
    on.wait(call_id::MPI_Wait, 5 - rank % 3);
    on.reduce(2);
  }));
}

TEST(scale, ranks_that_take_their_own_waits_apart_find_what_one_rank_finds) {
  for (const int count : {1, 2, 8, 13}) {
    const made_job job(mixed_ranks(count));
    expect_alike(job.merged(1), job.by_one_rank());
  }
}

TEST(scale, an_end_without_another_is_counted_once) {
  std::vector<rank_profile> ranks = mixed_ranks(4);
  std::erase_if(ranks[2].records, [](const record_data& one) { return one.order % 7 == 1; });
  const made_job job(std::move(ranks));
  EXPECT_NE(job.by_one_rank().find("found no other end"), std::string::npos);
  expect_alike(job.merged(1), job.by_one_rank());
}

TEST(scale, of_a_sample_both_ends_of_a_message_remain) {
  std::vector<rank_profile> ranks = mixed_ranks(7);
  for (rank_profile& one : ranks) {
    std::map<std::tuple<record_kind, int>, std::uint32_t> places;
    for (record_data& record : one.records) {
      if (record.kind == record_kind::send || record.kind == record_kind::receive) {
        record.place = places[{record.kind, record.peer}]++;
      }
    }
    thin_out(one, 1);
  }
  const made_job job(std::move(ranks));
  EXPECT_NE(job.by_one_rank().find("one message in 2 was kept"), std::string::npos);
  expect_alike(job.merged(1), job.by_one_rank());
}

TEST(scale, shares_give_the_same_in_whatever_order_they_are_merged) {
  std::vector<rank_profile> ranks = mixed_ranks(80);
  for (int rank : {3, 30, 31, 50}) {
    profile_header& h = ranks[static_cast<std::size_t>(rank)].header;
    h.state = run_state::exited;
    h.changed = 2;
    for (changed_buffer& one : h.changed_buffers) {
      one = {static_cast<int>(call_id::MPI_Isend), static_cast<int>(call_id::MPI_Waitall), 1};
    }
    h.cores[0] = 1U << (rank % 2);
  }
  const made_job job(std::move(ranks));
  const std::string once = job.merged(0);
  for (unsigned seed = 1; seed < 8; ++seed) expect_alike(job.merged(seed), once);
  expect_alike(job.by_one_rank(), once);
}

TEST(scale, of_too_many_collectives_the_same_are_kept_in_whatever_order_they_are_merged) {
  constexpr int count = 40;
  constexpr std::size_t most = 50;
  std::vector<rank_profile> ranks = mixed_ranks(count);
  for (std::size_t r = 0; r < ranks.size(); ++r) {  // a communicator of two ranks each
    for (record_data& one : ranks[r].records) one.communicator = r / 2;
  }
  const site_numbers none;
  std::mt19937 random(5);
  std::vector<std::pair<std::size_t, std::uint32_t>> kept;
  for (int order = 0; order < 4; ++order) {
    std::vector<collective_table> tables(ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      tables[r].add({ranks[r], ranks.front().header, none});
    }
    while (tables.size() > 1) {
      std::ranges::shuffle(tables, random);
      tables[tables.size() - 2].merge(tables.back(), most);
      tables.pop_back();
    }
    kept.emplace_back(tables.front().size(), tables.front().sampling());
    EXPECT_EQ(kept.back(), kept.front());
  }
  EXPECT_LE(kept.front().first, most);
  EXPECT_GE(kept.front().first, most / 4);
  EXPECT_GT(kept.front().second, 0U);
}

/// A square of ranks, each with its neighbours; one computes longer than the others.
class square_of_ranks {
 public:
  static constexpr int side = 100;
  static constexpr int count = side * side;
  static constexpr int slow = 4321;

  [[nodiscard]] static std::vector<int> neighbours(int rank) {
    std::vector<int> found;
    if (rank >= side) found.push_back(rank - side);
    if (rank % side > 0) found.push_back(rank - 1);
    if (rank % side < side - 1) found.push_back(rank + 1);
    if (rank < count - side) found.push_back(rank + side);
    return found;
  }
  [[nodiscard]] static rank_profile profile(int rank) {
    made_rank one(rank, count);
    const double late_ms = rank == slow ? 4 : 0.1 * (rank % 7);
    for (int round = 0; round < 10; ++round) {
      one.compute(10 + late_ms);
      for (const int peer : neighbours(rank)) {
        one.start(call_id::MPI_Irecv, record_kind::receive, peer, 4096);
        one.start(call_id::MPI_Isend, record_kind::send, peer, 4096);
      }
      one.wait(call_id::MPI_Waitall, 4);
      one.reduce(5 - late_ms);
    }
    rank_profile done = one.profile();
    for (const int peer : neighbours(rank)) {
      done.sent_bytes[static_cast<std::size_t>(peer)] = 10 * 4096;
      done.sent_messages[static_cast<std::size_t>(peer)] = 10;
    }
    std::strcpy(done.header.host, ("node" + std::to_string(rank / 64)).c_str());
    return done;
  }
};

/// Merges what the ranks of a square give, as the ranks of a tree do.
[[nodiscard]] analysis analysis_of_square() {
  const profile_header first = square_of_ranks::profile(0).header;
  call_ways ways;
  add_ways(ways, square_of_ranks::profile(0));
  site_index index(ways);
  collective_table collectives;
  std::map<int, std::vector<told_end>> told;
  for (int rank = 0; rank < square_of_ranks::count; ++rank) {
    const rank_profile one = square_of_ranks::profile(rank);
    const site_numbers numbers(one, index.numbers());
    const rank_view view(one, first, numbers);
    collective_table own;
    own.add(view);
    collectives.merge(own, collective_table::most_of_a_job);
    for (auto& [to, ends] : ends_to_tell(view)) {
      told[to].insert(told[to].end(), ends.begin(), ends.end());
    }
  }
  std::vector<job_share> levels;  // of ranks that are merged, a power of two each
  std::vector<int> sizes;
  for (int rank = 0; rank < square_of_ranks::count; ++rank) {
    const rank_profile one = square_of_ranks::profile(rank);
    const site_numbers numbers(one, index.numbers());
    const rank_view view(one, first, numbers);
    levels.emplace_back(index.sites().size(), square_of_ranks::count);
    sizes.push_back(1);
    add_rank(view, meet(view, told[rank], collectives), levels.back());
    const auto merge_last = [&] {
      levels[levels.size() - 2].merge(levels.back());
      levels.pop_back();
      sizes[sizes.size() - 2] += sizes.back();
      sizes.pop_back();
    };
    while (sizes.size() > 1 && sizes.back() == sizes[sizes.size() - 2]) merge_last();
    while (rank + 1 == square_of_ranks::count && sizes.size() > 1) merge_last();
  }
  EXPECT_LE(levels.front().packed().size(), 8U << 20);
  EXPECT_EQ(levels.front().counts.unmatched, 0U);
  EXPECT_LE(levels.front().late_pairs.size(), 4096U);
  return finish(std::move(index), std::move(levels.front()), first, -1);
}

TEST(scale, a_result_of_ten_thousand_ranks_has_classes_and_names_the_outlier) {
  const analysis run = analysis_of_square();
  ASSERT_EQ(run.ranks.size(), std::size_t{square_of_ranks::count});
  EXPECT_TRUE(std::ranges::is_sorted(run.ranks, {}, &rank_result::rank));
  const rank_classes found = classify(run.ranks, run.wall_s);
  ASSERT_EQ(found.outliers.size(), 1U);
  EXPECT_EQ(found.outliers.front()->rank, square_of_ranks::slow);
  std::map<int, std::size_t> ranks_by_neighbours;
  std::size_t all = 0;
  for (const alike_ranks& one : found.classes) {
    for (const rank_result* rank : one) ++ranks_by_neighbours[rank->sends_to];
    all += one.size();
  }
  EXPECT_EQ(all, std::size_t{square_of_ranks::count} - 1);
  EXPECT_LE(found.classes.size(), 13U);
  EXPECT_EQ(ranks_by_neighbours[2], 4U);
  EXPECT_EQ(ranks_by_neighbours[3], 4U * (square_of_ranks::side - 2));
  const std::string json = result_json(run);
  EXPECT_LE(json.size(), 5U << 20);
  EXPECT_NE(json.find("\"rank\": 4321,"), std::string::npos);
  EXPECT_NE(summary_text(run).find("unlike nearly all other ranks: 4321"), std::string::npos);
}

TEST(scale, a_matrix_of_many_ranks_has_all_bytes_in_few_rows) {
  traffic sent(square_of_ranks::count);
  std::uint64_t bytes = 0;
  for (const int rank : {0, 99, square_of_ranks::slow, square_of_ranks::count - 1}) {
    const rank_profile one = square_of_ranks::profile(rank);
    sent.add(one);
    for (const std::uint64_t part : one.sent_bytes) bytes += part;
  }
  EXPECT_EQ(sent.ranks_a_row(), 157);
  EXPECT_EQ(sent.rows(), 64U);
  std::uint64_t found = 0;
  for (std::size_t row = 0; row < sent.rows(); ++row) {
    for (const std::uint64_t part : sent.bytes(row)) found += part;
  }
  EXPECT_EQ(found, bytes);
  EXPECT_EQ(traffic(64).ranks_a_row(), 1);
}

TEST(scale, equal_ranks_are_one_class_and_two_kinds_are_two) {
  std::vector<rank_result> ranks(200);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].rank = static_cast<int>(i);
    ranks[i].compute_s = 5.1;
  }
  EXPECT_EQ(classify(ranks, 10).classes.size(), 1U);
  for (std::size_t i = 0; i < ranks.size(); i += 3) {
    ranks[i].compute_s = 8.1;
    ranks[i].waits.transfer_s = ranks[i].waits.waiting_s = 1;
  }
  const rank_classes found = classify(ranks, 10);
  ASSERT_EQ(found.classes.size(), 2U);
  EXPECT_TRUE(found.outliers.empty());
  const figure_of_class seen =
      figure_of(found.classes[0], [](const rank_result& one) { return one.compute_s; });
  EXPECT_EQ(seen.least, seen.most);
  EXPECT_EQ(ranks_text(classify(std::span(ranks).first(3), 10).classes[0]), "1, 2");
  EXPECT_EQ(ranks_text(found.classes[1]).substr(0, 9), "0, 3, 6, ");
}

}  // namespace
}  // namespace plait::attach
