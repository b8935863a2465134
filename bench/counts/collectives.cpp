// SPDX-License-Identifier: BSD-3-Clause
// Collective calls of 8 bytes between two ranks: a call and the wait for it.
#include <array>
#include <functional>
#include <string>

#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"
#include "parts.hpp"

namespace plait::bench::counts {
namespace {

using measure::check_mpi;

constexpr int warm_calls =
    128;  // sizes are compared in the first calls, and in few of the later ones
constexpr int calls = 64;

struct both_ranks {
  const char* row;
  std::string call;

  [[nodiscard]] std::string of(int rank) const {
    return call + (rank == 0 ? ", first rank" : ", second rank");
  }
};

/// Rank 0 begins, rank 1 begins and ends, rank 0 ends.
void count_calls(session& s, const both_ranks& name, const std::function<void()>& begin,
                 const std::function<void()>& end) {
  for (int i = 0; i < warm_calls + calls; ++i) {
    const auto counted = [&](auto&& what) { i < warm_calls ? what() : s.part.count(what); };
    s.turn.of(0, [&] { counted(begin); });
    s.turn.of(1, [&] {
      counted([&] {
        begin();
        end();
      });
    });
    s.turn.of(0, [&] { counted(end); });
  }
  s.part.end(name.row, name.of(s.env.rank()), calls);
}

void count_submitted_calls(session& s) {
  runtime rt{s.env, {.engine = {.policy = progress::workers, .cores = 1}, .tasks = {.workers = 1}}};
  double value = 1;
  const auto wait = [&] { rt.wait(); };
  count_calls(
      s, {"plait", "bcast"},
      [&] {
        if (s.env.rank() == 0) {
          rt.bcast("value", in(value), 0);
        } else {
          rt.bcast("value", out(value), 0);
        }
      },
      wait);
  count_calls(
      s, {"plait", "allreduce"}, [&] { rt.allreduce("value", inout(value)); }, wait);
}

/// Counts calls of the library: one that it cannot complete in two turns takes more.
void count_raw_calls(session& s, const std::string& name,
                     const std::function<void(MPI_Request*)>& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < warm_calls + calls; ++i) {
    const auto counted = [&](auto&& what) { i < warm_calls ? what() : s.part.count(what); };
    for (const int rank : {0, 1}) {
      s.turn.of(rank, [&] { counted([&] { start(&request); }); });
    }
    constexpr int most_turns = 6;
    for (int turn = 0; turn < most_turns; ++turn) {
      s.turn.of(turn % 2, [&] {
        int done = 0;
        if (request == MPI_REQUEST_NULL) return;
        counted([&] { check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test"); });
      });
    }
    check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  s.part.end("mpi", both_ranks{"mpi", name}.of(s.env.rank()), calls);
}

}  // namespace

void count_collectives(session& s) {
  const MPI_Comm comm = native(s.env);
  double value = 1;
  double sum = 0;
  count_raw_calls(s, "bcast", [&](MPI_Request* to) {
    check_mpi(MPI_Ibcast(&value, 1, MPI_DOUBLE, 0, comm, to), "MPI_Ibcast");
  });
  count_raw_calls(s, "allreduce", [&](MPI_Request* to) {
    check_mpi(MPI_Iallreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, to), "MPI_Iallreduce");
  });
  count_submitted_calls(s);
}

}  // namespace plait::bench::counts
