// SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

namespace redblack3d {

namespace {

/// Threads that sweep do not look after messages: where no core is free for the proxy, it must not
/// wait for them, as it would under `automatic`.
plait::progress progress_of(const plait::environment& env, const policy& how) {
  if (!how.proxy) return plait::progress::none;
  const bool core_is_free = plait::fair_share(env.node_units(), env.node_rank()) > how.threads;
  return core_is_free ? plait::progress::automatic : plait::progress::sleeping;
}

}  // namespace

exchange::exchange(plait::environment& env, problem& p, const policy& how)
    : engine_(env, {.policy = progress_of(env, how), .workers = how.threads}),
      movers_{plait::mover(plait::ghosts_of(p.u[0], {.name = "red ghosts"}), engine_),
              plait::mover(plait::ghosts_of(p.u[1], {.name = "black ghosts"}), engine_)} {}

std::optional<double> exchange::proxy_cpu_s() const {
  if (!engine_.chosen().proxy) return std::nullopt;
  return engine_.statistics().proxy_cpu_s;
}

}  // namespace redblack3d
