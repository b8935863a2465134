// SPDX-License-Identifier: BSD-3-Clause
#include "turns.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "gather.hpp"
#include "quiet_barrier.hpp"

namespace plait::measure {

progress_lines::progress_lines(const environment& env, bool on, int total)
    : on_(on && env.rank() == 0), total_(total) {}

void progress_lines::step(const std::string& label) {
  if (!on_) return;
  const json line{{"done", done_++}, {"total", total_}, {"label", label}};
  std::fputs(("@progress " + line.dump() + "\n").c_str(), stderr);
  std::fflush(stderr);
}

void take_turn(environment& env, const contestant& one, int round) {
  const bool some_sleep = !all_of(env, one.takes_part);
  if (one.prepare) one.prepare(round);
  env.barrier();
  const ticks start = now_ticks();
  if (one.run && one.takes_part) one.run();
  const double own_s = one.takes_part ? ticks_to_seconds(now_ticks() - start) : 0;
  if (some_sleep) quiet_barrier(env);
  const double total_s = maximum(env, own_s);
  if (one.finish) one.finish(round, total_s);
}

void take_turns(environment& env, const std::vector<contestant>& contestants, int repeat,
                progress_lines& progress) {
  for (int round = warm_up; round < repeat; ++round) {
    for (const contestant& one : contestants) {
      progress.step(round == warm_up ? one.label + " warm-up"
                                     : fmt::format("{} {}/{}", one.label, round + 1, repeat));
      take_turn(env, one, round);
    }
  }
}

}  // namespace plait::measure
