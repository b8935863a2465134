// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <string>

#include <mpi.h>
#include <plait/comm/burst.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"
#include "comm/native.hpp"
#include "comm/rank_pair.hpp"

namespace plait {
namespace {

constexpr int message_tag = 3;
constexpr int answer_tag = 4;
constexpr int ready_tag = 5;
constexpr int times_tag = 6;
constexpr std::size_t most_bytes = std::size_t{1} << 30;

// Busy, as computation would be: a sleep would end late, and on a colder core.
void work_for(ticks duration) noexcept {
  const ticks end = now_ticks() + duration;
  while (now_ticks() < end) {
  }
}

// The n-th message of a burst begins with its number, for the receiver to see while time is taken.
[[nodiscard]] std::byte number_of(int message) noexcept {
  return static_cast<std::byte>(message & 0xff);
}

// Every burst has bytes of its own, so that nothing left from the one before passes for it; a prime
// period, so that a message shifted by any power of two is noticed.
void fill(std::vector<std::byte>& bytes, std::uint64_t burst_number) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(1 + (i + burst_number) % 251);
}

void send(MPI_Comm comm, const std::vector<std::byte>& bytes, int peer, int tag) {
  mpi_call(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, peer, tag, comm),
           "MPI_Send");
}

void receive(MPI_Comm comm, std::vector<std::byte>& bytes, int peer, int tag) {
  mpi_call(MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, peer, tag, comm,
                    MPI_STATUS_IGNORE),
           "MPI_Recv");
}

[[noreturn]] void arrived_wrong(const char* what, const burst& of) {
  throw error(std::string(what) + " of " + std::to_string(of.size_bytes) +
              " bytes arrived wrong, in a burst of " + std::to_string(of.messages));
}

}  // namespace

burst_pair::burst_pair(environment& env, int client, int server)
    : env_(env), client_(client), server_(server) {
  expect_pair(env, client, server);
}

burst_times burst_pair::run(const burst& what) {
  PLAIT_EXPECTS(env_.rank() == client_ || env_.rank() == server_, std::to_string(env_.rank()));
  PLAIT_EXPECTS(what.messages >= 1, std::to_string(what.messages));
  PLAIT_EXPECTS(what.size_bytes >= 1 && what.size_bytes <= most_bytes,
                std::to_string(what.size_bytes));
  mpi_token_guard guard(env_.token());
  ++bursts_;
  message_.resize(what.size_bytes);
  return exchange(env_.rank() == client_ ? send_all(what) : receive_all(what));
}

double burst_pair::send_all(const burst& what) {
  MPI_Comm comm = native_access::of(env_).internal;
  fill(message_, bursts_);
  answer_.assign(what.size_bytes, std::byte{0});
  const ticks pause = seconds_to_ticks(what.send_pause_s);
  std::vector<std::byte> ready(1);
  receive(comm, ready, server_, ready_tag);
  work_for(seconds_to_ticks(what.rest_s));

  const ticks start = now_ticks();
  for (int i = 0; i < what.messages; ++i) {
    if (i > 0 && pause > 0) work_for(pause);
    message_[0] = number_of(i);
    send(comm, message_, server_, message_tag);
  }
  receive(comm, answer_, server_, answer_tag);
  const double round_trip_s = ticks_to_seconds(now_ticks() - start);

  if (answer_ != message_) arrived_wrong("the answer", what);
  messages_checked_ += static_cast<std::uint64_t>(what.messages) + 1;
  bytes_checked_ += 2 * what.size_bytes + static_cast<std::uint64_t>(what.messages) - 1;
  return round_trip_s;
}

// The answer is what was received last: the client finds its own bytes in it, or not.
double burst_pair::receive_all(const burst& what) {
  MPI_Comm comm = native_access::of(env_).internal;
  std::ranges::fill(message_, std::byte{0});
  const ticks pause = seconds_to_ticks(what.receive_pause_s);
  bool in_order = true;
  send(comm, std::vector<std::byte>(1), client_, ready_tag);

  ticks first = 0;
  for (int i = 0; i < what.messages; ++i) {
    if (i > 0 && pause > 0) work_for(pause);
    receive(comm, message_, client_, message_tag);
    if (i == 0) first = now_ticks();
    in_order = in_order && message_[0] == number_of(i);
  }
  const double receiving_s = ticks_to_seconds(now_ticks() - first);
  send(comm, message_, client_, answer_tag);
  if (!in_order) arrived_wrong("a message", what);
  return receiving_s;
}

burst_times burst_pair::exchange(double own_s) {
  const bool is_client = env_.rank() == client_;
  const double other_s = swap_times(env_, is_client ? server_ : client_, times_tag, own_s);
  return is_client ? burst_times{own_s, other_s} : burst_times{other_s, own_s};
}

}  // namespace plait
