// SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

namespace redblack3d {

plait::progress progress_of_proxy(const plait::environment& env, int threads) {
  const bool core_is_free =
      threads > 0 && plait::fair_share(env.node_units(), env.node_rank()) > threads;
  return core_is_free ? plait::progress::automatic : plait::progress::sleeping;
}

exchange::exchange(plait::environment& env, problem& p, const policy& how)
    : engine_(env,
              {.policy = how.proxy ? progress_of_proxy(env, how.threads) : plait::progress::none,
               .workers = how.threads}),
      movers_{plait::mover(plait::ghosts_of(p.u[0], {.name = "red ghosts"}), engine_),
              plait::mover(plait::ghosts_of(p.u[1], {.name = "black ghosts"}), engine_)} {}

std::optional<double> exchange::proxy_cpu_s() const {
  if (!engine_.chosen().proxy) return std::nullopt;
  return engine_.statistics().proxy_cpu_s;
}

}  // namespace redblack3d
