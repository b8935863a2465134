// SPDX-License-Identifier: BSD-3-Clause
// The steps as tasks.  Data alone orders them: the work of a step and its messages need the turn
// from the step before, which needs that step's messages.
#include <algorithm>

#include <fmt/format.h>

#include "contestants.hpp"

namespace plait::bench::progress_sweep {
namespace {

void work_on(std::span<measure::value_block> piece, long units, const step_state&) {
  measure::work(piece, units);
}

void submit_step(runtime& rt, step_data& data, const step_load& what, std::size_t now) {
  const int peer = 1 - rt.env().rank();
  const std::size_t words = data.state.words_of_message;
  const std::span incoming(data.incoming[now]), outgoing(data.outgoing[now]);
  for (int i = 0; i < what.flights; ++i)
    rt.recv("receive", out(incoming.subspan(static_cast<std::size_t>(i) * words, words)), peer, i);
  for (int i = 0; i < what.flights; ++i)
    rt.send("send", in(outgoing.subspan(static_cast<std::size_t>(i) * words, words)), peer, i);
  for (const piece_of_work& piece : data.pieces)
    rt.task("work", work_on, inout(piece.on), piece.units, in(data.state));
  rt.task("turn", turn, in(incoming), inout(std::span(data.outgoing[1 - now])), inout(data.state));
}

void submit_both(runtime& rt, step_data& data, const step_load& what) {
  submit_step(rt, data, what, 0);
  submit_step(rt, data, what, 1);
}

// A graph that is replayed must fit the in-flight limit.
std::size_t in_flight_for(const step_load& what) {
  const std::size_t of_a_step = static_cast<std::size_t>(what.pieces + 2 * what.flights + 1);
  return std::max(scheduler_options::usual_in_flight, 2 * of_a_step);
}

// `steps_of` makes of a runtime and the data what runs so many times two steps.
template <class StepsOf>
measure::timing run_tasks(environment& env, const step_run& run, runtime_options options,
                          StepsOf&& steps_of) {
  options.tasks.workers = run.what.workers;
  options.tasks.in_flight = in_flight_for(run.what);
  step_data data(run.what, env.rank(), run.grid);
  runtime rt{env, options};
  auto steps = steps_of(rt, data);
  constexpr int warm_up = 1;
  steps(warm_up);
  env.barrier();
  rt.reset_ledger();
  const ticks start = now_ticks();
  steps(run.what.steps / 2);
  const double total_s = ticks_to_seconds(now_ticks() - start);
  expect_right(data, static_cast<std::uint64_t>(run.what.steps + 2 * warm_up));
  return {total_s / run.what.steps, exposed_s(rt) / run.what.steps};
}

measure::timing run_replayed(environment& env, const step_run& run,
                             const runtime_options& options) {
  return run_tasks(env, run, options, [&](runtime& rt, step_data& data) {
    return [&rt, both = rt.record([&] { submit_both(rt, data, run.what); })](int count) mutable {
      rt.replay(both, static_cast<std::uint64_t>(count)).wait();
    };
  });
}

measure::timing run_submitted(environment& env, const step_run& run,
                              const runtime_options& options) {
  return run_tasks(env, run, options, [&](runtime& rt, step_data& data) {
    return [&](int count) {
      for (int i = 0; i < count; ++i) submit_both(rt, data, run.what);
      rt.wait();
    };
  });
}

}  // namespace

step_contestant plait_tasks(progress policy) {
  return {fmt::format("plait {}", to_string(policy)),
          fmt::format("a replayed graph; progress: {}", to_string(policy)),
          [policy](environment& env, const step_run& run) {
            return run_replayed(env, run, {.engine = {.policy = policy}});
          }};
}

step_contestant plait_every(double poll_every_s) {
  const std::string interval = fmt::format("{:g}us", 1e6 * poll_every_s);
  return {"plait every " + interval, "a replayed graph; a sleeping proxy looks every " + interval,
          [poll_every_s](environment& env, const step_run& run) {
            return run_replayed(
                env, run, {.engine = {.policy = progress::sleeping, .poll_every_s = poll_every_s}});
          }};
}

step_contestant plait_submitted() {
  return {"plait auto submitted", "tasks of every step submitted anew; progress: auto",
          [](environment& env, const step_run& run) { return run_submitted(env, run, {}); }};
}

}  // namespace plait::bench::progress_sweep
