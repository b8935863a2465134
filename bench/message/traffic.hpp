// SPDX-License-Identifier: BSD-3-Clause
/// Describes what is asked of every way to send messages in this benchmark: a ping-pong, and a
/// stream in bursts, between two ranks.  One way per source file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plait/plait.hpp>

namespace plait::bench::message {

struct traffic {
  std::size_t size_bytes = 8;
  long rounds = 1;  ///< of the ping-pong
  int burst = 64;   ///< messages between two answers of the stream
  long bursts = 1;  ///< of the stream
  int workers = 1;  ///< of each rank, where a way has workers
  progress policy = progress::automatic;
};

/// Seconds on this rank, after a warm-up and a barrier.  Rank 0 begins and ends both patterns, so
/// its time is that of all messages.  Collective.  Errors: plait::error when what arrived is not
/// what was sent.
struct way {
  std::string name;
  std::string about;  ///< one line: which calls
  double (*ping_pong)(environment&, const traffic&);
  double (*stream)(environment&, const traffic&);
};

/// MPI_Send and MPI_Recv; MPI_Isend, MPI_Irecv and MPI_Waitall.
[[nodiscard]] way raw_mpi();
/// rt.send and rt.recv, submitted in program order, one wait at the end.
[[nodiscard]] way plait_tasks();
/// One round, one burst recorded and replayed.
[[nodiscard]] way plait_replayed();
/// Make the ways of a replay with no message, and with every message, on a persistent MPI request.
[[nodiscard]] way plait_replayed_anew();
[[nodiscard]] way plait_replayed_persistent();

using bytes = std::vector<std::byte>;

/// The bytes that rank 0 sends; the other rank begins with others.
[[nodiscard]] bytes initial_bytes(const environment& env, std::size_t count);
/// Errors: plait::error unless these are the bytes that rank 0 sends.
void expect_sent_bytes(const bytes& received);

/// Runs `body` once without and once with the clock, which starts after a barrier.
template <class Body>
[[nodiscard]] double timed(environment& env, Body&& body) {
  body(true);
  env.barrier();
  const ticks start = now_ticks();
  body(false);
  return ticks_to_seconds(now_ticks() - start);
}

}  // namespace plait::bench::message
