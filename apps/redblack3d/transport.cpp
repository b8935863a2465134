// SPDX-License-Identifier: BSD-3-Clause
#include "transport.hpp"

#include <limits>
#include <thread>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "halo_mpi.hpp"
#include "kernel.hpp"
#include "support/transport_cost.hpp"

namespace redblack3d {
namespace {

constexpr std::int64_t cells_per_count = std::int64_t{1} << 15;

void exchange_sparsely(halo_mpi& halo) {
  halo.pack();
  halo.start();
  while (!halo.test()) std::this_thread::sleep_for(plait::app::between_looks);
  halo.unpack();
}

}  // namespace

double transport_cpu_s(plait::environment& env, problem& p, double exchange_s, double window_s) {
  halo_mpi halo(plait::native(env), p, colour::black);
  const block_data data = p.data();
  // The counting thread must not touch ghosts, which messages overwrite meanwhile.
  std::vector<box> pieces;
  for_each_piece(data, p.parts().interior, cells_per_count,
                 [&](const box& piece) { pieces.push_back(piece); });
  const auto sweep_next = [&, next = std::size_t{0}]() mutable {
    if (pieces.empty()) return;
    relax(data, colour::red, pieces[next]);
    next = (next + 1) % pieces.size();
  };
  const double cost = plait::app::transport_cpu_s(
      env, {sweep_next, [&] { exchange_sparsely(halo); }, exchange_s, window_s});
  return pieces.empty() ? std::numeric_limits<double>::quiet_NaN() : 2 * cost;
}

}  // namespace redblack3d
