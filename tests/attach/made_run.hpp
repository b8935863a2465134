// SPDX-License-Identifier: BSD-3-Clause
/// Profiles of a run whose every time is given by a test, in milliseconds.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "attach/after/analysis.hpp"
#include "attach/calls.hpp"

namespace plait::attach {

/// A rank on a host of its own, on a network that a mebibyte takes 70 ms on.
class made_rank {
 public:
  made_rank(int rank, int ranks) {
    profile_header& h = profile_.header;
    h.rank = rank;
    h.ranks = ranks;
    h.boot = 7;
    h.seconds_per_tick = 1e-6;
    h.begin = 1;
    h.state = run_state::finalized;
    h.latency_s[0] = 1e-6;
    h.seconds_per_byte[0] = h.seconds_per_byte_each_way[0] = 70e-3 / (1 << 20);
    std::strcpy(h.host, ("node" + std::to_string(rank)).c_str());
    std::strcpy(h.program, "/made/run");
    profile_.sent_bytes.resize(static_cast<std::size_t>(ranks));
    profile_.sent_messages.resize(static_cast<std::size_t>(ranks));
  }

  void compute(double ms) {
    now_ += in_ticks(ms);
    useful_ += in_ticks(ms);
  }
  /// Computes while another thread looks, up to the end.
  void compute_and_look(double ms) {
    compute(ms);
    looked_ += in_ticks(ms);
  }
  void start(call_id call, record_kind kind, int peer, std::uint64_t bytes) {
    record_data one;
    one.kind = kind;
    one.communicator = 1;
    one.peer = peer;
    one.bytes = bytes;
    one.order = order_++;
    const bool is_collective = kind != record_kind::send && kind != record_kind::receive;
    if (is_collective) one.place = collectives_++;
    one.posted = now_;
    one.useful_before_post = useful_;
    one.looked_before_post = looked_;
    one.post_site = site(call);
    ++profile_.sites[one.post_site].count;
    profile_.sites[one.post_site].bytes += bytes;
    open_.push_back(one);
  }
  /// Waits for all that was started, or for what was started first.
  void wait(call_id call, double ms, bool for_all = true) {
    const std::size_t count = for_all ? open_.size() : 1;
    const auto at = site(call);
    for (std::size_t i = 0; i < count; ++i) {
      record_data& one = open_[i];
      one.wait_begin = now_;
      one.wait_end = now_ + in_ticks(ms);
      one.useful_before_wait = useful_;
      one.looked_before_wait = looked_;
      one.wait_site = at;
      one.has_waited = 1;
      one.is_blocking = one.post_site == at ? 1 : 0;
      profile_.records.push_back(one);
    }
    if (profile_.records.back().is_blocking == 0) ++profile_.sites[at].count;
    open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(count));
    profile_.sites[at].waited += in_ticks(ms);
    profile_.header.in_mpi += in_ticks(ms);
    now_ += in_ticks(ms);
  }
  void blocking(call_id call, record_kind kind, int peer, std::uint64_t bytes, double ms) {
    start(call, kind, peer, bytes);
    wait(call, ms);
  }
  void send_and_receive(int peer, std::uint64_t bytes, double ms) {
    start(call_id::MPI_Sendrecv, record_kind::send, peer, bytes);
    start(call_id::MPI_Sendrecv, record_kind::receive, peer, bytes);
    wait(call_id::MPI_Sendrecv, ms);
  }
  void reduce(double ms, std::uint64_t bytes = 8) {
    blocking(call_id::MPI_Allreduce, record_kind::all_to_all, -1, bytes, ms);
  }

  [[nodiscard]] profile_header& header() noexcept { return profile_.header; }
  [[nodiscard]] rank_profile profile() const {
    rank_profile done = profile_;
    done.header.end = now_;
    return done;
  }

 private:
  [[nodiscard]] static ticks in_ticks(double ms) noexcept {
    return static_cast<ticks>(1000 * ms + 0.5);
  }
  [[nodiscard]] std::int16_t site(call_id call) {
    const auto number = static_cast<std::int16_t>(call);
    profile_.sites[number].call = number;
    profile_.sites[number].offset = static_cast<std::uint64_t>(number);
    return number;
  }

  rank_profile profile_;
  ticks now_ = 1;
  ticks useful_ = 0;
  ticks looked_ = 0;
  std::uint32_t order_ = 0;
  std::uint32_t collectives_ = 0;
  std::vector<record_data> open_;
};

/// A run of `count` ranks, each of which does `step(rank, number, round)` ten times.
template <class Step>
[[nodiscard]] std::vector<made_rank> made_ranks(int count, Step step) {
  std::vector<made_rank> ranks;
  for (int rank = 0; rank < count; ++rank) {
    made_rank& one = ranks.emplace_back(rank, count);
    for (int round = 0; round < 10; ++round) step(one, rank, round);
  }
  return ranks;
}
[[nodiscard]] inline std::vector<rank_profile> profiles_of(const std::vector<made_rank>& ranks) {
  std::vector<rank_profile> profiles;
  for (const made_rank& one : ranks) profiles.push_back(one.profile());
  return profiles;
}

}  // namespace plait::attach
