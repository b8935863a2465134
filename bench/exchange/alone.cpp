// SPDX-License-Identifier: BSD-3-Clause
// Communication, computation and the transport's processor time, each without the others.
#include "alone.hpp"

#include "contestants.hpp"
#include "plain_mpi.hpp"
#include "transport.hpp"

namespace plait::bench {

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
  buffers data(what);
  return transport_s(
      env, [&] { open_exchange(env, data.outgoing, data.incoming).wait_asleep(); }, exchange_s);
}

}  // namespace plait::bench
