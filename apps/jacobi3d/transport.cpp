// SPDX-License-Identifier: BSD-3-Clause
#include "transport.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "halo_mpi.hpp"
#include "kernel.hpp"
#include "support/soaker.hpp"
#include "support/statistics.hpp"

namespace jacobi3d {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 1ms;
constexpr std::int64_t cells_per_count = std::int64_t{1} << 15;

// Ranks of a node that may run on the same units take one each in turn.
int own_unit(const plait::environment& env) {
  const auto& masks = env.node_units();
  const auto self = static_cast<std::size_t>(env.node_rank());
  const auto before = std::count(masks.begin(), masks.begin() + env.node_rank(), masks[self]);
  return masks[self][static_cast<std::size_t>(before) % masks[self].size()];
}

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
  while (!halo.test()) std::this_thread::sleep_for(between_looks);
  halo.unpack(u);
}

struct counted {
  double seconds = 0;
  double per_second = 0;
};

template <class Body>
counted count_during(const plait::app::soaker& counter, Body&& body) {
  const std::uint64_t count = counter.count();
  const plait::ticks start = plait::now_ticks();
  body();
  counted result;
  result.seconds = plait::ticks_to_seconds(plait::now_ticks() - start);
  result.per_second = static_cast<double>(counter.count() - count) / result.seconds;
  return result;
}

}  // namespace

double transport_cpu_s(plait::environment& env, problem& p, double exchange_s, double window_s,
                       int rounds) {
  halo_mpi halo(plait::native(env), p);
  // The counting thread must not touch ghosts, which messages overwrite meanwhile.
  const std::vector<box> pieces = countable_pieces(p, cut(p.size(), halo.faces()).interior);
  const std::chrono::duration<double> look = between_looks;
  const std::chrono::duration<double> calibration{window_s / 3};
  const int exchanges = std::clamp(
      static_cast<int>(std::ceil(window_s / std::max(exchange_s, 2 * look.count()))), 2, 200);
  const int unit = own_unit(env);
  const plait::app::pinned here(unit);
  const plait::app::soaker counter(unit, [&, next = std::size_t{0}]() mutable {
    if (pieces.empty()) return;
    relax(p.u, p.b, p.v, pieces[next]);
    next = (next + 1) % pieces.size();
  });

  const auto calibrate = [&] {
    env.barrier();
    return count_during(counter, [&] { std::this_thread::sleep_for(calibration); }).per_second;
  };
  std::vector<double> costs;
  double alone = calibrate();
  for (int round = 0; round < rounds; ++round) {
    env.barrier();
    const counted with = count_during(counter, [&] {
      for (int i = 0; i < exchanges; ++i) exchange_sparsely(halo, p.u);
    });
    const double alone_after = calibrate();
    const double lost = 1.0 - with.per_second / (0.5 * (alone + alone_after));
    costs.push_back(lost * with.seconds / exchanges);
    alone = alone_after;
  }
  const double cost = plait::app::median(costs);
  return !pieces.empty() && std::isfinite(cost) ? std::max(0.0, cost)
                                                : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace jacobi3d
