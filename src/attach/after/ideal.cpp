// SPDX-License-Identifier: BSD-3-Clause
// The run again with MPI at no cost.  A rank's own time between two of its records is the
// computation between them; a receive waits until its send was posted, a collective for those
// ranks' parts that it needs.  [POP: T_id, the run on an ideal network]
#include <algorithm>

#include "attach/after/analysis.hpp"

namespace plait::attach {
namespace {

struct step {
  ticks at = 0;
  std::uint32_t record = 0;
  bool is_wait = false;
};

class replay {
 public:
  replay(std::span<const rank_profile> ranks, const matched_records& matched)
      : ranks_(ranks), matched_(matched), state_(ranks.size()) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      lay_out(ranks[r].records, state_[r]);
      state_[r].posted.assign(ranks[r].records.size(), not_yet);
    }
  }

  [[nodiscard]] double run() {
    for (bool is_done = false; !is_done;) {
      bool moved = false;
      is_done = true;
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        while (state_[r].next < state_[r].steps.size() && advance(r, false)) moved = true;
        is_done = is_done && state_[r].next == state_[r].steps.size();
      }
      if (!moved && !is_done) force_one();
    }
    double longest_s = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const profile_header& h = ranks_[r].header;
      const double rest_s =
          static_cast<double>(h.end - h.begin - h.in_mpi - state_[r].useful) * h.seconds_per_tick;
      longest_s = std::max(longest_s, state_[r].now_s + std::max(0.0, rest_s));
    }
    return longest_s;
  }

 private:
  static constexpr double not_yet = -1;
  struct rank_state {
    std::vector<step> steps;
    std::vector<double> posted;
    std::size_t next = 0;
    ticks useful = 0;
    double now_s = 0;
  };

  static void lay_out(const std::vector<record_data>& records, rank_state& to) {
    for (std::uint32_t i = 0; i < records.size(); ++i) {
      to.steps.push_back({records[i].posted, i, false});
      to.steps.push_back({records[i].wait_begin, i, true});
    }
    std::ranges::stable_sort(to.steps, [](const step& a, const step& b) {
      return a.at != b.at ? a.at < b.at : a.is_wait < b.is_wait;
    });
  }

  /// Returns the time in this replay, in seconds, of the latest post that the record waits for; 0
  /// where it waits for none, `not_yet` where one has not been replayed.
  [[nodiscard]] double needed_s(std::size_t rank, std::uint32_t i) const {
    const record_data& one = ranks_[rank].records[i];
    if (one.kind == record_kind::send) return 0;
    if (one.kind == record_kind::receive) {
      const record_place other = matched_.partner[rank][i];
      return other.is_none() ? 0 : state_[other.rank].posted[other.index];
    }
    const bool is_root = one.peer == ranks_[rank].header.rank;
    double latest_s = 0;
    if (one.kind == record_kind::to_root && !is_root) return latest_s;
    for (const record_place part : matched_.collectives[matched_.collective_of[rank][i]]) {
      const bool is_needed =
          one.kind != record_kind::from_root || ranks_[part.rank].header.rank == one.peer;
      if (!is_needed) continue;
      const double posted_s = state_[part.rank].posted[part.index];
      if (posted_s == not_yet) return not_yet;
      latest_s = std::max(latest_s, posted_s);
    }
    return latest_s;
  }

  /// One step of the rank, unless it waits for what has not been reached.
  bool advance(std::size_t rank, bool by_force) {
    rank_state& own = state_[rank];
    const step& next = own.steps[own.next];
    const record_data& one = ranks_[rank].records[next.record];
    const double needed = next.is_wait ? needed_s(rank, next.record) : 0;
    if (needed == not_yet && !by_force) return false;
    const ticks useful = next.is_wait ? one.useful_before_wait : one.useful_before_post;
    const ticks computed = std::max<ticks>(0, useful - own.useful);
    own.useful = std::max(own.useful, useful);
    own.now_s += static_cast<double>(computed) * ranks_[rank].header.seconds_per_tick;
    if (next.is_wait) {
      own.now_s = std::max(own.now_s, needed);
    } else {
      own.posted[next.record] = own.now_s;
    }
    ++own.next;
    return true;
  }

  /// Records that were left out, or ends that did not meet, can leave all ranks waiting: the one
  /// that is furthest behind goes on.
  void force_one() {
    std::size_t first = ranks_.size();
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (state_[r].next == state_[r].steps.size()) continue;
      if (first == ranks_.size() || state_[r].now_s < state_[first].now_s) first = r;
    }
    if (first < ranks_.size()) advance(first, true);
  }

  std::span<const rank_profile> ranks_;
  const matched_records& matched_;
  std::vector<rank_state> state_;
};

}  // namespace

double ideal_seconds(std::span<const rank_profile> ranks, const matched_records& matched) {
  return replay(ranks, matched).run();
}

}  // namespace plait::attach
