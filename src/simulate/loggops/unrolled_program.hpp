// SPDX-License-Identifier: BSD-3-Clause
/// A program as the engines of LogGOPS run it: all iterations in one template, counters of unmet
/// dependences for each rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/simulate/loggops.hpp>
#include <plait/simulate/program.hpp>

#include "unstable_sort.hpp"

namespace plait::simulate {

class unrolled_program {
 public:
  /// Precondition: `check(of)` has passed; `of` outlives this.
  explicit unrolled_program(const program& of);

  [[nodiscard]] std::uint32_t ranks() const { return of_.ranks(); }
  [[nodiscard]] const rank_template& of_rank(std::uint32_t rank) const {
    return iterated_ ? templates_[of_.template_of[rank]] : of_.of_rank(rank);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& unmet_of_rank(std::uint32_t rank) const {
    return unmet_[of_.template_of[rank]];
  }
  [[nodiscard]] std::uint32_t peer(const operation& what, std::uint32_t rank) const {
    return what.rule == peer_rule::rank ? what.peer : peer_of(of_, what, rank);
  }
  [[nodiscard]] std::uint64_t duration(std::uint32_t rank, std::uint32_t number) const {
    const operation& what = of_rank(rank).operations[number];
    if (what.duration == duration_rule::constant && of_.pace.empty()) return what.size;
    const std::uint32_t once = of_.of_rank(rank).size();
    return duration_of(of_, what, number % once, rank, number / once);
  }
  /// Returns "rank 3: recv 8b from 1 tag 0 (line 12)".
  [[nodiscard]] std::string text(std::uint32_t rank, std::uint32_t number) const;

  /// Number of processors, and of network cards, that every rank has.
  [[nodiscard]] std::uint32_t cpus() const { return cpus_; }
  [[nodiscard]] std::uint32_t nics() const { return nics_; }
  [[nodiscard]] std::uint64_t operations() const { return of_.operations(); }

 private:
  const program& of_;
  bool iterated_;
  std::vector<rank_template> templates_;
  std::vector<std::vector<std::uint32_t>> unmet_;  ///< of each template
  std::uint32_t cpus_ = 1;
  std::uint32_t nics_ = 1;
};

/// Sorts operations of one rank that became ready by one event, as LogGOPSim does.
inline void sort_released(std::vector<std::uint32_t>& numbers, const rank_template& of) {
  unstable_sort(numbers.begin(), numbers.end(), [&of](std::uint32_t a, std::uint32_t b) {
    return of.operations[a].kind < of.operations[b].kind;
  });
}

/// Writes lines about what was left over, up to `most_lines`.
class left_over {
 public:
  static constexpr std::size_t most_lines = 20;

  left_over(const unrolled_program& what, std::vector<std::string>& lines)
      : what_(what), lines_(lines) {}

  void receive(std::uint32_t host, std::uint32_t number) {
    if (more()) lines_.push_back(what_.text(host, number) + " never gets a message");
  }
  void message(std::uint32_t host, std::uint32_t sender, std::uint32_t number) {
    if (more())
      lines_.push_back(what_.text(sender, number) + ", rank " + std::to_string(host) +
                       " never receives it");
  }
  void never_ready(std::uint32_t host, const std::vector<std::uint32_t>& unmet) {
    for (std::uint32_t i = 0; i < unmet.size() && more(); ++i)
      if (unmet[i] > 0)
        lines_.push_back(what_.text(host, i) + " never starts: " + std::to_string(unmet[i]) +
                         " of its dependences are not met");
  }
  [[nodiscard]] bool more() const { return lines_.size() < most_lines; }

 private:
  const unrolled_program& what_;
  std::vector<std::string>& lines_;
};

}  // namespace plait::simulate
