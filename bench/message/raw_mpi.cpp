// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"
#include "traffic.hpp"

namespace plait::bench::message {
namespace {

using measure::check_mpi;

void send(MPI_Comm comm, const bytes& ball, int peer) {
  check_mpi(MPI_Send(ball.data(), static_cast<int>(ball.size()), MPI_BYTE, peer, 0, comm),
            "MPI_Send");
}

void receive(MPI_Comm comm, bytes& ball, int peer) {
  check_mpi(MPI_Recv(ball.data(), static_cast<int>(ball.size()), MPI_BYTE, peer, 0, comm,
                     MPI_STATUS_IGNORE),
            "MPI_Recv");
}

void rally(environment& env, bytes& ball, long rounds) {
  MPI_Comm comm = native(env);
  for (long round = 0; round < rounds; ++round) {
    if (env.rank() == 0) {
      send(comm, ball, 1);
      receive(comm, ball, 1);
    } else {
      receive(comm, ball, 0);
      send(comm, ball, 0);
    }
  }
}

double ping_pong(environment& env, const traffic& what) {
  bytes ball = initial_bytes(env, what.size_bytes);
  const double seconds =
      timed(env, [&](bool warm_up) { rally(env, ball, warm_up ? 2 : what.rounds); });
  expect_sent_bytes(ball);
  return seconds;
}

// One burst: all its messages, then an answer, as in osu_bw.
void send_burst(MPI_Comm comm, const bytes& all, const traffic& what, bytes& answer,
                std::vector<MPI_Request>& requests) {
  for (std::size_t i = 0; i < requests.size(); ++i)
    check_mpi(MPI_Isend(all.data() + i * what.size_bytes, static_cast<int>(what.size_bytes),
                        MPI_BYTE, 1, 0, comm, &requests[i]),
              "MPI_Isend");
  check_mpi(MPI_Waitall(what.burst, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  receive(comm, answer, 1);
}

void receive_burst(MPI_Comm comm, bytes& all, const traffic& what, const bytes& answer,
                   std::vector<MPI_Request>& requests) {
  for (std::size_t i = 0; i < requests.size(); ++i)
    check_mpi(MPI_Irecv(all.data() + i * what.size_bytes, static_cast<int>(what.size_bytes),
                        MPI_BYTE, 0, 0, comm, &requests[i]),
              "MPI_Irecv");
  check_mpi(MPI_Waitall(what.burst, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  send(comm, answer, 0);
}

double stream(environment& env, const traffic& what) {
  bytes all = initial_bytes(env, what.size_bytes * static_cast<std::size_t>(what.burst));
  bytes answer(1);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(what.burst), MPI_REQUEST_NULL);
  MPI_Comm comm = native(env);
  const double seconds = timed(env, [&](bool warm_up) {
    for (long i = 0; i < (warm_up ? 1 : what.bursts); ++i) {
      if (env.rank() == 0) {
        send_burst(comm, all, what, answer, requests);
      } else {
        receive_burst(comm, all, what, answer, requests);
      }
    }
  });
  expect_sent_bytes(all);
  return seconds;
}

}  // namespace

way raw_mpi() {
  return {"mpi",
          "MPI_Send and MPI_Recv for the ping-pong; MPI_Isend, MPI_Irecv, MPI_Waitall for the "
          "stream",
          ping_pong, stream};
}

}  // namespace plait::bench::message
