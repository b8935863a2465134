// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include <mpi.h>
#include <plait/comm/flood.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"
#include "comm/native.hpp"
#include "comm/rank_pair.hpp"

namespace plait {
namespace {

constexpr int flood_tag = 7;
constexpr int flood_ready_tag = 8;
constexpr int flood_times_tag = 9;
constexpr std::size_t most_flooded_bytes = std::size_t{1} << 30;

// Differs by flood and by sender, so that neither what an earlier flood left nor a rank's own bytes
// pass for what should arrive.  A prime period: a message in another's place is noticed.
[[nodiscard]] std::byte content(std::size_t index, std::uint64_t flood_number, int sender) {
  return static_cast<std::byte>(1 + (index + flood_number + (sender > 0 ? 97U : 0U)) % 251);
}

}  // namespace

flood_pair::flood_pair(environment& env, int first, int second)
    : env_(env), first_(first), second_(second) {
  expect_pair(env, first, second);
}

double flood_pair::run(const flood& what) {
  PLAIT_EXPECTS(env_.rank() == first_ || env_.rank() == second_, std::to_string(env_.rank()));
  PLAIT_EXPECTS(what.messages >= 1, std::to_string(what.messages));
  const auto messages = static_cast<std::size_t>(what.messages);
  PLAIT_EXPECTS(what.size_bytes >= 1 && what.size_bytes <= most_flooded_bytes / messages,
                std::to_string(what.size_bytes));
  mpi_token_guard guard(env_.token());
  ++floods_;
  const bool sends = what.both_ways || env_.rank() == first_;
  const bool receives = what.both_ways || env_.rank() == second_;
  const std::size_t bytes = what.size_bytes * messages;
  const int own = env_.rank() == first_ ? 0 : 1;
  if (sends) {
    out_.resize(bytes);
    for (std::size_t i = 0; i < bytes; ++i) out_[i] = content(i, floods_, own);
  }
  if (receives) in_.assign(bytes, std::byte{0});
  const double longer_s = later(exchange(what, sends, receives));
  if (!receives) return longer_s;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (in_[i] != content(i, floods_, 1 - own))
      throw error("a flood of " + std::to_string(what.messages) + " messages of " +
                  std::to_string(what.size_bytes) + " bytes arrived wrong");
  }
  messages_checked_ += messages;
  bytes_checked_ += bytes;
  return longer_s;
}

// Receives are posted before the ranks meet, so that no message arrives unexpected.
double flood_pair::exchange(const flood& what, bool sends, bool receives) {
  MPI_Comm comm = native_access::of(env_).internal;
  const int peer = env_.rank() == first_ ? second_ : first_;
  const int count = static_cast<int>(what.size_bytes);
  std::vector<MPI_Request> requests;
  for (int i = 0; receives && i < what.messages; ++i) {
    mpi_call(MPI_Irecv(in_.data() + static_cast<std::size_t>(i) * what.size_bytes, count, MPI_BYTE,
                       peer, flood_tag, comm, &requests.emplace_back()),
             "MPI_Irecv");
  }
  std::byte here{}, there{};
  mpi_call(MPI_Sendrecv(&here, 1, MPI_BYTE, peer, flood_ready_tag, &there, 1, MPI_BYTE, peer,
                        flood_ready_tag, comm, MPI_STATUS_IGNORE),
           "MPI_Sendrecv");
  const ticks start = now_ticks();
  for (int i = 0; sends && i < what.messages; ++i) {
    mpi_call(MPI_Isend(out_.data() + static_cast<std::size_t>(i) * what.size_bytes, count, MPI_BYTE,
                       peer, flood_tag, comm, &requests.emplace_back()),
             "MPI_Isend");
  }
  mpi_call(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
           "MPI_Waitall");
  return ticks_to_seconds(now_ticks() - start);
}

double flood_pair::later(double own) {
  const int peer = env_.rank() == first_ ? second_ : first_;
  return std::max(own, swap_times(env_, peer, flood_times_tag, own));
}

}  // namespace plait
