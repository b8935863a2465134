// SPDX-License-Identifier: BSD-3-Clause
// Communication, computation and the transport's processor time, each without the others.
#include "measure/rows/alone.hpp"

#include "contestants.hpp"
#include "measure/rows/alone.hpp"
#include "plain_mpi.hpp"

namespace plait::bench::exchange {

double communication_alone_s(environment& env, const load& what) {
  buffers data(what);
  return measure::step_seconds(env, what.steps, [&] { exchange_blocking(env, data); });
}

double computation_alone_s(environment& env, const load& what) {
  buffers data(what);
  return measure::step_seconds(env, what.steps, [&] {
    for (int i = 0; i < what.pieces; ++i)
      measure::work(data.pieces[static_cast<std::size_t>(i)], what.units_of(i));
  });
}

double transport_s(environment& env, const load& what, double exchange_s) {
  buffers data(what);
  return measure::transport_s(
      env, [&] { measure::open_exchange(env, data.outgoing, data.incoming).wait_asleep(); },
      exchange_s);
}

}  // namespace plait::bench::exchange
