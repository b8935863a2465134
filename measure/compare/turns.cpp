// SPDX-License-Identifier: BSD-3-Clause
#include "turns.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <plait/region.h>

#include "measure/base/gather.hpp"
#include "measure/base/quiet_barrier.hpp"

namespace plait::measure {

void progress_lines::step(const std::string& label) {
  if (!on_) return;
  const json line{{"done", done_++}, {"total", total_}, {"label", label}};
  std::fputs(("@progress " + line.dump() + "\n").c_str(), stderr);
  std::fflush(stderr);
}

void take_turns(const std::vector<turn>& turns, const repetition_options& options) {
  const int first = options.warm_up ? warm_up : 0;
  progress_lines progress(options.progress,
                          static_cast<int>(turns.size()) * (options.repeat - first));
  for (int round = first; round < options.repeat; ++round) {
    for (const turn& one : turns) {
      progress.step(round == warm_up
                        ? one.label + " warm-up"
                        : fmt::format("{} {}/{}", one.label, round + 1, options.repeat));
      one.take(round);
    }
    if (round == warm_up && options.after_warm_up) options.after_warm_up();
  }
  progress.step("done");
}

void run_timed(environment& env, const timed_run& one, int round) {
  const bool some_sleep = !all_of(env, one.takes_part);
  if (one.prepare) one.prepare(round);
  env.barrier();
  const ticks start = now_ticks();
  if (one.run && one.takes_part) {
    const plait_region region(one.name.c_str());
    one.run();
  }
  const double own_s = one.takes_part ? ticks_to_seconds(now_ticks() - start) : 0;
  if (some_sleep) quiet_barrier(env);
  const double total_s = maximum(env, own_s);
  if (one.finish) one.finish(round, total_s);
}

}  // namespace plait::measure
