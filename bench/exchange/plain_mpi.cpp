// SPDX-License-Identifier: BSD-3-Clause
#include "plain_mpi.hpp"

#include "contestants.hpp"
#include "measure/base/mpi_check.hpp"
#include "measure/rows/row_limits.hpp"

namespace plait::bench::exchange {
namespace {

using measure::check_mpi;

void compute(buffers& data, const load& what) {
  for (int i = 0; i < what.pieces; ++i)
    measure::work(data.pieces[static_cast<std::size_t>(i)], what.units_of(i));
}

// The steps of one contestant: `step` returns the seconds in which it could only wait.
template <class Step>
measure::timing timed_steps(environment& env, const load& what, Step&& step) {
  buffers data(what);
  const auto steps = [&](int count) {
    double exposed_s = 0;
    for (int i = 0; i < count; ++i) {
      exposed_s += step(data);
      combine(data.incoming, data.outgoing, data.gate);
    }
    return exposed_s;
  };
  (void)steps(1);
  env.barrier();
  const ticks start = now_ticks();
  const double exposed_s = steps(what.steps);
  const double total_s = ticks_to_seconds(now_ticks() - start);
  expect_steps(data, static_cast<std::uint64_t>(what.steps) + 1);
  return {total_s / what.steps, exposed_s / what.steps};
}

template <class Body>
double seconds_of(Body&& body) {
  const ticks start = now_ticks();
  body();
  return ticks_to_seconds(now_ticks() - start);
}

measure::timing run_blocking(environment& env, const load& what) {
  return timed_steps(env, what, [&](buffers& data) {
    const double exposed_s = seconds_of([&] { exchange_blocking(env, data); });
    compute(data, what);
    return exposed_s;
  });
}

measure::timing run_nonblocking(environment& env, const load& what) {
  return timed_steps(env, what, [&](buffers& data) {
    measure::open_exchange exchange(env, data.outgoing, data.incoming);
    compute(data, what);
    return seconds_of([&] { exchange.wait(); });
  });
}

measure::timing run_nonblocking_tested(environment& env, const load& what) {
  return timed_steps(env, what, [&](buffers& data) {
    measure::open_exchange exchange(env, data.outgoing, data.incoming);
    for (int i = 0; i < what.pieces; ++i) {
      measure::work(data.pieces[static_cast<std::size_t>(i)], what.units_of(i));
      (void)exchange.test();
    }
    return seconds_of([&] { exchange.wait(); });
  });
}

}  // namespace

void exchange_blocking(environment& env, buffers& data) {
  const int peer = 1 - env.rank();
  const auto count = static_cast<int>(data.outgoing.size());
  check_mpi(MPI_Sendrecv(data.outgoing.data(), count, MPI_BYTE, peer, 0, data.incoming.data(),
                         count, MPI_BYTE, peer, 0, native(env), MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
}

contestant blocking() {
  return {measure::blocking_row, "MPI_Sendrecv, then the work", run_blocking};
}

contestant nonblocking() {
  return {nonblocking_name, "MPI_Irecv, MPI_Isend, the work, MPI_Waitall", run_nonblocking};
}

contestant nonblocking_tested() {
  return {"nonblocking tested", "as nonblocking, MPI_Testall between two pieces of the work",
          run_nonblocking_tested};
}

}  // namespace plait::bench::exchange
