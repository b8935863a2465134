// SPDX-License-Identifier: BSD-3-Clause
#include "transport.hpp"

#include <limits>
#include <thread>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "halo_mpi.hpp"
#include "kernel.hpp"
#include "support/transport_cost.hpp"

namespace jacobi3d {
namespace {

constexpr std::int64_t cells_per_count = std::int64_t{1} << 15;

std::vector<box> countable_pieces(const problem& p, const box& interior) {
  std::vector<box> pieces;
  for_each_piece(p.u, interior, cells_per_count,
                 [&](const box& piece) { pieces.push_back(piece); });
  return pieces;
}

void exchange_sparsely(halo_mpi& halo, field& u) {
  halo.post_receives(u);
  halo.pack(u);
  halo.post_sends(u);
  while (!halo.test()) std::this_thread::sleep_for(plait::app::between_looks);
  halo.unpack(u);
}

}  // namespace

double transport_cpu_s(plait::environment& env, problem& p, double exchange_s, double window_s,
                       int rounds) {
  halo_mpi halo(plait::native(env), p);
  // The counting thread must not touch ghosts, which messages overwrite meanwhile.
  const std::vector<box> pieces = countable_pieces(p, cut(p.size(), halo.faces()).interior);
  const auto relax_next = [&, next = std::size_t{0}]() mutable {
    if (pieces.empty()) return;
    relax(p.u, p.b, p.v, pieces[next]);
    next = (next + 1) % pieces.size();
  };
  const double cost = plait::app::transport_cpu_s(
      env, {relax_next, [&] { exchange_sparsely(halo, p.u); }, exchange_s, window_s, rounds});
  return pieces.empty() ? std::numeric_limits<double>::quiet_NaN() : cost;
}

}  // namespace jacobi3d
