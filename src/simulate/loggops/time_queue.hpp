// SPDX-License-Identifier: BSD-3-Clause
/// A radix heap of ranks by (time, stamp), for times that never go back.
///
/// Bucket b > 0 has the times whose highest bit that differs from `last_` is bit b - 1, so that an
/// entry moves at most 64 times, always to a lower bucket.  Those at `last_` are in order by stamp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace plait::simulate {

struct queued {
  std::uint64_t time;
  std::uint64_t stamp;
  std::uint32_t host;
};

class time_queue {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  time_queue() { least_.fill(never); }

  /// Precondition: no entry was taken whose time is later.
  void push(const queued& added) {
    if (added.time == last_) {
      late_.push_back(added);
      std::push_heap(late_.begin(), late_.end(), behind);
      return;
    }
    const auto bucket = static_cast<std::size_t>(std::bit_width(added.time ^ last_));
    buckets_[bucket].push_back(added);
    least_[bucket] = std::min(least_[bucket], added.time);
    full_ |= std::uint64_t{1} << (bucket - 1);
  }

  /// Returns the earliest time; `never` if there is none.
  [[nodiscard]] std::uint64_t time() const {
    if (next_ < sorted_.size() || !late_.empty()) return last_;
    return full_ == 0 ? never : least_[lowest()];
  }

  /// Returns the first entry.  From now on nothing earlier than its time may be pushed.
  /// Precondition: there is one.
  [[nodiscard]] const queued& top() {
    if (next_ == sorted_.size() && late_.empty()) refill();
    return from_sorted() ? sorted_[next_] : late_.front();
  }

  /// Takes the first entry, after `top`.
  void pop() {
    if (from_sorted()) {
      ++next_;
    } else {
      std::pop_heap(late_.begin(), late_.end(), behind);
      late_.pop_back();
    }
  }

 private:
  static bool behind(const queued& a, const queued& b) { return a.stamp > b.stamp; }

  [[nodiscard]] std::size_t lowest() const {
    return static_cast<std::size_t>(std::countr_zero(full_)) + 1;
  }
  [[nodiscard]] bool from_sorted() const {
    if (next_ == sorted_.size()) return false;
    return late_.empty() || sorted_[next_].stamp < late_.front().stamp;
  }

  void refill() {
    const std::size_t bucket = lowest();
    last_ = least_[bucket];
    full_ &= full_ - 1;
    least_[bucket] = never;
    moved_.clear();
    moved_.swap(buckets_[bucket]);
    sorted_.clear();
    next_ = 0;
    bool in_order = true;
    for (const queued& one : moved_) {
      if (one.time != last_) {
        push(one);
        continue;
      }
      in_order = in_order && (sorted_.empty() || sorted_.back().stamp < one.stamp);
      sorted_.push_back(one);
    }
    if (!in_order) std::ranges::sort(sorted_, {}, &queued::stamp);
  }

  std::array<std::vector<queued>, 65> buckets_;
  std::array<std::uint64_t, 65> least_{};
  std::uint64_t full_ = 0;  ///< bit b - 1: bucket b is not empty
  std::uint64_t last_ = 0;
  std::vector<queued> sorted_;  ///< at `last_`, from `next_` on
  std::size_t next_ = 0;
  std::vector<queued> late_;  ///< pushed at `last_` later: a heap
  std::vector<queued> moved_;
};

}  // namespace plait::simulate
