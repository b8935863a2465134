// SPDX-License-Identifier: BSD-3-Clause
// The exchange as tasks.  A step is over when its message has been combined; nothing else orders
// it, so that what is hidden is what the policy of progress hides.
#include "contestants.hpp"

namespace plait::bench::exchange {
namespace {

void work_on(values& piece, long units, const long&) {
  measure::work(piece, units);
}

void submit_step(runtime& rt, buffers& data, const load& what) {
  const int peer = 1 - rt.env().rank();
  rt.recv("receive", out(data.incoming), peer);
  rt.send("send", in(data.outgoing), peer);
  for (int i = 0; i < what.pieces; ++i)
    rt.task("work", work_on, inout(data.pieces[static_cast<std::size_t>(i)]), what.units_of(i),
            in(data.gate));
  rt.task("combine", combine, in(data.incoming), inout(data.outgoing), inout(data.gate));
}

measure::timing run_tasks(environment& env, const load& what, const runtime_options& options) {
  buffers data(what);
  runtime rt{env, options};
  submit_step(rt, data, what);
  rt.wait();
  env.barrier();
  rt.reset_ledger();
  const ticks start = now_ticks();
  for (int i = 0; i < what.steps; ++i) submit_step(rt, data, what);
  rt.wait();
  const double total_s = ticks_to_seconds(now_ticks() - start);
  expect_steps(data, static_cast<std::uint64_t>(what.steps) + 1);
  return {total_s / what.steps, exposed_s(rt) / what.steps};
}

}  // namespace

contestant plait_tasks(progress policy) {
  return {"plait " + std::string(to_string(policy)),
          "tasks; progress: " + std::string(to_string(policy)),
          [policy](environment& env, const load& what) {
            return run_tasks(env, what,
                             {.engine = {.policy = policy}, .tasks = {.workers = what.workers}});
          }};
}

contestant plait_sleeping(int worst_delay_us) {
  const std::string delay = std::to_string(worst_delay_us) + "us";
  return {"plait sleeping " + delay, "tasks; a proxy thread sleeps at most " + delay,
          [worst_delay_us](environment& env, const load& what) {
            return run_tasks(
                env, what,
                {.engine = {.policy = progress::sleeping, .worst_delay_s = 1e-6 * worst_delay_us},
                 .tasks = {.workers = what.workers}});
          }};
}

}  // namespace plait::bench::exchange
