// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/together.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "attach/calls/real_functions.hpp"

namespace plait::attach {
namespace {

constexpr int gather_tag = 3;
constexpr int exchange_tag = 4;
/// In parts: a count of MPI's is an int.
constexpr std::size_t piece_bytes = 64 << 20;

/// Looks for messages to this rank, and takes them in.
class arrivals {
 public:
  explicit arrivals(const session& of) : of_(of) {}
  /// Returns whether there was one.
  bool take() {
    int is_there = 0;
    MPI_Status status;
    PLAIT_REAL(MPI_Iprobe)(MPI_ANY_SOURCE, exchange_tag, of_.own, &is_there, &status);
    if (is_there == 0) return false;
    int bytes = 0;
    PLAIT_REAL(MPI_Get_count)(&status, constants.byte, &bytes);
    const std::size_t before = all_.size();
    all_.resize(before + static_cast<std::size_t>(bytes) / sizeof(told_end));
    PLAIT_REAL(MPI_Recv)
    (all_.data() + before, bytes, constants.byte, status.MPI_SOURCE, exchange_tag, of_.own,
     MPI_STATUS_IGNORE);
    return true;
  }
  [[nodiscard]] std::vector<told_end>& all() noexcept { return all_; }

 private:
  const session& of_;
  std::vector<told_end> all_;
};

[[nodiscard]] std::vector<MPI_Request> start_sends(
    const session& of, const std::map<int, std::vector<told_end>>& told) {
  constexpr std::size_t most = piece_bytes / sizeof(told_end);
  std::vector<MPI_Request> sends;
  for (const auto& [to, ends] : told) {
    for (std::size_t at = 0; at < ends.size(); at += most) {
      const std::size_t bytes = std::min(most, ends.size() - at) * sizeof(told_end);
      PLAIT_REAL(MPI_Issend)
      (ends.data() + at, static_cast<int>(bytes), constants.byte, to, exchange_tag, of.own,
       &sends.emplace_back());
    }
  }
  return sends;
}

}  // namespace

void send_bytes(const session& of, const byte_list& data, int to) {
  const std::uint64_t size = data.size();
  PLAIT_REAL(MPI_Send)(&size, sizeof size, constants.byte, to, gather_tag, of.own);
  for (std::size_t at = 0; at < size; at += piece_bytes) {
    PLAIT_REAL(MPI_Send)
    (data.data() + at, static_cast<int>(std::min(piece_bytes, size - at)), constants.byte, to,
     gather_tag, of.own);
  }
}

byte_list receive_bytes(const session& of, int from) {
  std::uint64_t size = 0;
  PLAIT_REAL(MPI_Recv)
  (&size, sizeof size, constants.byte, from, gather_tag, of.own, MPI_STATUS_IGNORE);
  byte_list data(size);
  for (std::size_t at = 0; at < size; at += piece_bytes) {
    PLAIT_REAL(MPI_Recv)
    (data.data() + at, static_cast<int>(std::min(piece_bytes, size - at)), constants.byte, from,
     gather_tag, of.own, MPI_STATUS_IGNORE);
  }
  return data;
}

void broadcast(session& of, byte_list& data) {
  const profile_header& h = of.notes.header();
  int step = step_up(h);
  if (h.rank != 0) data = receive_bytes(of, h.rank - step);
  for (step /= 2; step > 0; step /= 2) {
    if (h.rank + step < h.ranks) send_bytes(of, data, h.rank + step);
  }
}

/// A synchronous send is over once it is received.  So when all ranks have come to the barrier
/// nothing is under way.
std::vector<told_end> exchange_ends(session& of, const std::map<int, std::vector<told_end>>& told) {
  std::vector<MPI_Request> sends = start_sends(of, told);
  arrivals here(of);
  MPI_Request barrier = constants.request_null;
  bool is_at_barrier = false;
  std::chrono::microseconds pause{10};
  for (int is_over = 0; is_over == 0;) {
    const bool has_come = here.take();
    int is_sent = 0;
    if (is_at_barrier) {
      PLAIT_REAL(MPI_Test)(&barrier, &is_over, MPI_STATUS_IGNORE);
    } else {
      PLAIT_REAL(MPI_Testall)
      (static_cast<int>(sends.size()), sends.data(), &is_sent, MPI_STATUSES_IGNORE);
      if (is_sent != 0) PLAIT_REAL(MPI_Ibarrier)(of.own, &barrier);
      is_at_barrier = is_sent != 0;
    }
    if (has_come || is_sent != 0) pause = std::chrono::microseconds{10};
    if (!has_come && is_over == 0) std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds{1000});
  }
  return std::move(here.all());
}

}  // namespace plait::attach
