// SPDX-License-Identifier: BSD-3-Clause
/// Splits a thread's time among parts of the program's own choosing, as the timers around lines of
/// the architectural probes do.  [overlap-probes, sections 6.1 and 6.2]
#pragma once

#include <cstddef>
#include <vector>

#include <plait/plait.hpp>

namespace plait::measure {

/// Charges each moment to one part, without a gap: each `lap` charges everything since the last
/// one.
class part_watch {
 public:
  explicit part_watch(std::size_t parts) : sums_(parts) {}

  void start() noexcept {
    sums_.assign(sums_.size(), 0);
    laps_.clear();
    laps_.reserve(most_laps);
    began_ = last_ = now_ticks();
  }
  /// Precondition: part < parts.
  void lap(std::size_t part) noexcept {
    const ticks now = now_ticks();
    sums_[part] += now - last_;
    if (laps_.size() < most_laps) laps_.push_back({part, last_ - began_, now - began_});
    last_ = now;
  }

  /// Returns the seconds of each part between `start` and the last `lap`.
  [[nodiscard]] std::vector<double> parts_s() const {
    std::vector<double> seconds;
    for (const ticks one : sums_) seconds.push_back(ticks_to_seconds(one));
    return seconds;
  }
  [[nodiscard]] double total_s() const noexcept { return ticks_to_seconds(last_ - began_); }

  /// A lap, from and to ticks after `start`.
  struct one_lap {
    std::size_t part = 0;
    ticks begin = 0;
    ticks end = 0;
  };
  /// Returns the laps of a run that has few enough to be looked at; none of others.
  [[nodiscard]] std::vector<one_lap> few_laps() const {
    return laps_.size() < most_laps ? laps_ : std::vector<one_lap>{};
  }

 private:
  static constexpr std::size_t most_laps = 100;

  std::vector<ticks> sums_;
  std::vector<one_lap> laps_;
  ticks began_ = 0;
  ticks last_ = 0;
};

}  // namespace plait::measure
