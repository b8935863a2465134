// SPDX-License-Identifier: BSD-3-Clause
// A stream of messages of 8 bytes, in bursts: as the MPI library's own calls, submitted, and
// replayed.  Receives are posted before the messages come, but for those of a replay, which runs
// several iterations in a turn.
#include <array>
#include <cstddef>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"
#include "parts.hpp"

namespace plait::bench::counts {
namespace {

using measure::check_mpi;

constexpr int burst = 64;
constexpr int warm_bursts = 3;  // with all requests, segments and channels that come to be
constexpr int bursts = warm_bursts + 4;
constexpr int recorded_messages =
    8;  // messages of a graph, which runs burst / recorded_messages times

using payload = std::array<std::byte, 8>;
using payloads = std::vector<payload>;

/// Counts only what comes after the warm-up.
template <class Body>
void count_burst(parts& part, int round, const char* row, const char* column, Body&& body) {
  if (round < warm_bursts) return body();
  part.count(row, column, burst, body);
}

void count_raw_messages(session& s) {
  constexpr const char* row = "mpi";
  const MPI_Comm comm = native(s.env);
  payloads all(burst);
  std::vector<MPI_Request> requests(burst, MPI_REQUEST_NULL);
  const auto wait = [&] {
    check_mpi(MPI_Waitall(burst, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  };
  s.turn.among_two([&] {
    for (int round = 0; round < bursts; ++round) {
      s.turn.of(1, [&] {
        count_burst(s.part, round, row, "receive, posted", [&] {
          for (int i = 0; i < burst; ++i)
            check_mpi(MPI_Irecv(all[i].data(), sizeof(payload), MPI_BYTE, 0, 0, comm, &requests[i]),
                      "MPI_Irecv");
        });
      });
      s.turn.of(0, [&] {
        count_burst(s.part, round, row, "send", [&] {
          for (int i = 0; i < burst; ++i)
            check_mpi(MPI_Isend(all[i].data(), sizeof(payload), MPI_BYTE, 1, 0, comm, &requests[i]),
                      "MPI_Isend");
          wait();
        });
      });
      s.turn.of(1, [&] { count_burst(s.part, round, row, "receive, completed", wait); });
    }
  });
}

void count_submitted_messages(session& s) {
  constexpr const char* row = "plait";
  payloads all(burst);
  runtime rt{s.env, {.engine = {.policy = progress::workers, .cores = 1}, .tasks = {.workers = 1}}};
  s.turn.among_two([&] {
    for (int round = 0; round < bursts; ++round) {
      s.turn.of(1, [&] {
        count_burst(s.part, round, row, "receive, posted", [&] {
          for (payload& one : all) rt.recv("message", out(one), 0);
        });
      });
      s.turn.of(0, [&] {
        count_burst(s.part, round, row, "send", [&] {
          for (const payload& one : all) rt.send("message", in(one), 1);
          rt.wait();
        });
      });
      s.turn.of(1,
                [&] { count_burst(s.part, round, row, "receive, completed", [&] { rt.wait(); }); });
    }
  });
}

void count_replayed_messages(session& s) {
  constexpr const char* row = "plait replayed";
  payloads all(recorded_messages);
  runtime rt{s.env, {.engine = {.policy = progress::workers, .cores = 1}, .tasks = {.workers = 1}}};
  graph messages = rt.record([&] {
    for (payload& one : all) {
      if (s.env.rank() == 0) {
        rt.send("message", in(one), 1);
      } else if (s.env.rank() == 1) {
        rt.recv("message", out(one), 0);
      }
    }
  });
  s.turn.among_two([&] {
    for (int round = 0; round < bursts; ++round) {
      for (const int rank : {0, 1}) {
        s.turn.of(rank, [&] {
          count_burst(s.part, round, row, rank == 0 ? "send" : "receive",
                      [&] { rt.replay(messages, burst / recorded_messages).wait(); });
        });
      }
    }
  });
}

}  // namespace

void count_messages(session& s) {
  count_raw_messages(s);
  count_submitted_messages(s);
  count_replayed_messages(s);
}

}  // namespace plait::bench::counts
