// SPDX-License-Identifier: BSD-3-Clause
// Communication, computation and the transport's processor time, each without the others.
#include <thread>

#include "contestants.hpp"
#include "plain_mpi.hpp"
#include "support/transport_cost.hpp"

namespace plait::bench {
namespace {

template <class Step>
double step_seconds(environment& env, int steps, Step&& step) {
  step();
  env.barrier();
  const ticks start = now_ticks();
  for (int i = 0; i < steps; ++i) step();
  return ticks_to_seconds(now_ticks() - start) / steps;
}

}  // namespace

double communication_alone_s(environment& env, const load& what) {
  buffers data(what);
  return step_seconds(env, what.steps, [&] { exchange_blocking(env, data); });
}

double computation_alone_s(environment& env, const load& what) {
  buffers data(what);
  return step_seconds(env, what.steps, [&] {
    for (int i = 0; i < what.pieces; ++i)
      work(data.pieces[static_cast<std::size_t>(i)], what.units_of(i));
  });
}

double transport_s(environment& env, const load& what, double exchange_s) {
  constexpr long units_of_a_count = 3000;  // some 100 µs
  buffers data(what);
  values counted = initial_values();
  const auto exchange_sparsely = [&] {
    open_exchange exchange(env, data);
    while (!exchange.test()) std::this_thread::sleep_for(app::between_looks);
  };
  return app::transport_cpu_s(
      env, {[&] { work(counted, units_of_a_count); }, exchange_sparsely, exchange_s, 0.06, 1});
}

}  // namespace plait::bench
