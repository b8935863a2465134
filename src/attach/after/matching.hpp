// SPDX-License-Identifier: BSD-3-Clause
/// Brings the two ends of each message together, and the ranks' parts of each collective, after the
/// run: on one rank that has the records of all, or on each rank for its own.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "attach/sites/call_ways.hpp"

namespace plait::attach {

/// Returns seconds since rank 0 began, of a moment of a rank's clock; `first` is rank 0's.
[[nodiscard]] double seconds_at(const profile_header& first, const profile_header& h,
                                ticks at) noexcept;
/// Returns how much that may be wrong: 0 where both have one clock.
[[nodiscard]] double uncertainty_s(const profile_header& first, const profile_header& h) noexcept;

/// One clock for the records of all ranks of a list.
class timebase {
 public:
  explicit timebase(std::span<const rank_profile> ranks) : ranks_(ranks) {}
  [[nodiscard]] double seconds(std::size_t rank, ticks at) const noexcept {
    return seconds_at(ranks_.front().header, ranks_[rank].header, at);
  }

 private:
  std::span<const rank_profile> ranks_;
};

/// A rank's profile, and what it takes to tell others of it.
struct rank_view {
  rank_view(const rank_profile& of, const profile_header& rank_0,
            const site_numbers& by_own) noexcept;

  const rank_profile& profile;
  const profile_header& first;  ///< rank 0's
  const site_numbers& numbers;
  std::uint64_t host;  ///< a hash

  [[nodiscard]] double seconds(ticks at) const noexcept {
    return seconds_at(first, profile.header, at);
  }
  /// Computation of the rank while what it had posted was in flight.
  [[nodiscard]] double computed_in_flight_s(const record_data& one) const noexcept;
};

/// The other end of a message.
struct other_end {
  double posted_s = 0;
  double computed_in_flight_s = 0;
  std::uint64_t bytes = 0;
  std::uint64_t host = 0;
  std::int32_t rank = -1;  ///< -1: none was found
  std::int32_t site = -1;  ///< that posted it, in the list of all
  [[nodiscard]] bool is_none() const noexcept { return rank < 0; }
};

/// An end of a message, as its rank tells the other of it.
struct told_end {
  std::uint64_t communicator = 0;
  std::int32_t tag = 0;
  std::uint32_t turn = 0;
  std::uint64_t is_receive = 0;
  other_end end;
};
/// Returns the ends of a rank's messages by the other rank, but for those of messages to itself.
[[nodiscard]] std::map<int, std::vector<told_end>> ends_to_tell(const rank_view& of);

/// A post of a collective, on some rank.
struct collective_post {
  double at_s = -1e300;
  std::int32_t rank = -1;
  std::int32_t site = -1;

  /// Takes the later of two, of one moment that of the first rank.
  void take_later(const collective_post& other) noexcept;
};
/// Times of all ranks in a collective.
struct collective_times {
  collective_post last;
  collective_post root;
  double last_wait_s = -1e300;
  double computed_in_flight_s = 0;  ///< of the rank that computed longest

  void merge(const collective_times& other) noexcept;
};

/// Collectives by communicator and place.  Of too many some are dropped, by the hash by which ranks
/// drop records.
class collective_table {
 public:
  using identity = std::pair<std::uint64_t, std::uint32_t>;
  static constexpr std::size_t most_of_a_job = 1 << 17;

  explicit collective_table(std::uint32_t sampling = 0) noexcept : sampling_(sampling) {}
  void add(const rank_view& of);
  /// Adds those of other ranks, and keeps at most so many.
  void merge(const collective_table& other, std::size_t most);
  [[nodiscard]] const collective_times& of(const record_data& one) const {
    return known_.at({one.communicator, one.place});
  }
  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }
  /// One in 2^sampling is kept.
  [[nodiscard]] std::uint32_t sampling() const noexcept { return sampling_; }
  [[nodiscard]] std::vector<std::byte> packed() const;
  [[nodiscard]] static collective_table unpacked(std::span<const std::byte> packed);

 private:
  void thin_out(std::uint32_t sampling);
  std::map<identity, collective_times> known_;
  std::uint32_t sampling_;
};

/// Parts of other ranks in a rank's messages and collectives.
struct counterparts {
  std::vector<other_end> messages;  ///< by the rank's own records
  const collective_table& collectives;
  std::uint64_t unmatched = 0;  ///< of the rank's records
};
/// Brings a rank's messages together with what others told it of them.
[[nodiscard]] counterparts meet(const rank_view& own, std::span<const told_end> told,
                                const collective_table& collectives);

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
/// Returns the same for one of these ranks, by its place in the list.
[[nodiscard]] counterparts counterparts_of(std::size_t rank, std::span<const rank_view> ranks,
                                           const matched_records& matched,
                                           const collective_table& collectives);

}  // namespace plait::attach
