// SPDX-License-Identifier: BSD-3-Clause
/// Brings the two ends of each message together, and the ranks' parts of each collective, after the
/// run and without a message.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attach/after/rank_profile.hpp"

namespace plait::attach {

/// One clock for the records of all ranks: seconds since rank 0 began.
class timebase {
 public:
  explicit timebase(std::span<const rank_profile> ranks);
  [[nodiscard]] double seconds(std::size_t rank, ticks at) const noexcept;
  [[nodiscard]] double uncertainty_s() const noexcept { return uncertainty_s_; }

 private:
  struct one_clock {
    bool is_common = true;
    double seconds_per_tick = 0;
    ticks at[2] = {};
    double offset_s[2] = {};
  };
  std::vector<one_clock> clocks_;
  double common_rate_ = 0;
  ticks origin_ = 0;
  double origin_s_ = 0;
  double uncertainty_s_ = 0;
};

/// A record, by its rank's place in the list of profiles and its own.
struct record_place {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t rank = none;
  std::uint32_t index = none;
  [[nodiscard]] bool is_none() const noexcept { return rank == none; }
};

struct matched_records {
  /// Other end of the message, for each record of each rank.
  std::vector<std::vector<record_place>> partner;
  /// Place in `collectives`, for each record of a collective.
  std::vector<std::vector<std::uint32_t>> collective_of;
  std::vector<std::vector<record_place>> collectives;
  std::uint64_t unmatched = 0;
};

/// The k-th send meets the k-th receive on (communicator, source, target, tag): by the order of
/// their posts where every record was kept, by the numbers they were given otherwise.
[[nodiscard]] matched_records match(std::span<const rank_profile> ranks);

}  // namespace plait::attach
