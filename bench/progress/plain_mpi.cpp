// SPDX-License-Identifier: BSD-3-Clause
// Blocking and by hand, and what each takes alone.
#include "contestants.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/open_exchange.hpp"
#include "measure/rows/row_limits.hpp"

namespace plait::bench::progress_sweep {
namespace {

// The best known distance: rarer ones find handshakes late, closer ones cost more than they bring.
constexpr double between_tests_s = 200e-6;

measure::open_exchange exchange_of_step(environment& env, const step_load& what, step_data& data) {
  const std::size_t now = data.state.step % 2;
  return {env, std::as_bytes(std::span(data.outgoing[now])),
          std::as_writable_bytes(std::span(data.incoming[now])), what.flights};
}

void compute(const step_data& data) {
  for (const piece_of_work& piece : data.pieces) measure::work(piece.on, piece.units);
}

double wait_s(measure::open_exchange& exchange) {
  const ticks start = now_ticks();
  exchange.wait();
  return ticks_to_seconds(now_ticks() - start);
}

// Between two pieces, but no more often than is worth it.
void compute_and_test(const step_data& data, measure::open_exchange& exchange) {
  const ticks distance = seconds_to_ticks(between_tests_s);
  ticks tested = now_ticks();
  bool done = false;
  for (std::size_t i = 0; i < data.pieces.size(); ++i) {
    measure::work(data.pieces[i].on, data.pieces[i].units);
    if (done || i + 1 == data.pieces.size() || now_ticks() - tested < distance) continue;
    done = exchange.test();
    tested = now_ticks();
  }
}

// `step` returns the seconds in which it could only wait.
template <class Step>
measure::timing timed_steps(environment& env, const step_run& run, Step&& step) {
  step_data data(run.what, env.rank(), run.grid);
  const auto steps = [&](int count) {
    double exposed = 0;
    for (int i = 0; i < count; ++i) {
      const std::size_t now = data.state.step % 2;
      exposed += step(data);
      turn(data.incoming[now], data.outgoing[1 - now], data.state);
    }
    return exposed;
  };
  constexpr int warm_up = 2;  // both pairs of buffers
  (void)steps(warm_up);
  env.barrier();
  const ticks start = now_ticks();
  const double exposed = steps(run.what.steps);
  const double total_s = ticks_to_seconds(now_ticks() - start);
  expect_right(data, static_cast<std::uint64_t>(run.what.steps + warm_up));
  return {total_s / run.what.steps, exposed / run.what.steps};
}

}  // namespace

step_contestant blocking() {
  return {measure::blocking_row, "MPI_Irecv, MPI_Isend, MPI_Waitall, then the work",
          [](environment& env, const step_run& run) {
            return timed_steps(env, run, [&](step_data& data) {
              measure::open_exchange exchange = exchange_of_step(env, run.what, data);
              const double exposed = wait_s(exchange);
              compute(data);
              return exposed;
            });
          }};
}

step_contestant by_hand() {
  return {"hand",
          "MPI_Irecv, MPI_Isend, the work with MPI_Testall between pieces, at least 200 us apart, "
          "MPI_Waitall",
          [](environment& env, const step_run& run) {
            return timed_steps(env, run, [&](step_data& data) {
              measure::open_exchange exchange = exchange_of_step(env, run.what, data);
              compute_and_test(data, exchange);
              return wait_s(exchange);
            });
          }};
}

double communication_alone_s(environment& env, const step_run& run) {
  step_data data(run.what, env.rank(), run.grid);
  return measure::step_seconds(env, run.what.steps,
                               [&] { exchange_of_step(env, run.what, data).wait(); });
}

double computation_alone_s(environment& env, const step_run& run) {
  const step_data data(run.what, env.rank(), run.grid);
  return measure::step_seconds(env, run.what.steps, [&] { compute(data); });
}

double transport_s(environment& env, const step_run& run, double exchange_s) {
  step_data data(run.what, env.rank(), run.grid);
  return measure::transport_s(
      env, [&] { exchange_of_step(env, run.what, data).wait_asleep(); }, exchange_s);
}

}  // namespace plait::bench::progress_sweep
