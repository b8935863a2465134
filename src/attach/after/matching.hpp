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
  explicit timebase(std::span<const rank_profile> ranks) : ranks_(ranks) {}
  [[nodiscard]] double seconds(std::size_t rank, ticks at) const noexcept;
  /// The largest of a rank whose clock is another one than rank 0's.
  [[nodiscard]] double uncertainty_s() const noexcept;

 private:
  [[nodiscard]] bool is_common(const profile_header& h) const noexcept {
    const profile_header& first = ranks_.front().header;
    return h.rank == first.rank || (h.boot != 0 && h.boot == first.boot);
  }
  std::span<const rank_profile> ranks_;
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
