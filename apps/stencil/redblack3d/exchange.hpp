// SPDX-License-Identifier: BSD-3-Clause
/// The exchange of a node's ghosts by plait's mover, driven as KeLP's is: start, compute, wait.
#pragma once

#include <array>
#include <optional>
#include <string>

#include <plait/plait.hpp>

#include "policy.hpp"
#include "problem.hpp"

namespace redblack3d {

/// XTRA's proxy thread beside so many that sweep (0: one on each core): one that spins where a core
/// is free for it, else one that sleeps most of the time and does not wait for them to look after
/// messages.
[[nodiscard]] plait::progress progress_of_proxy(const plait::environment& env, int threads);

class exchange {
 public:
  /// XTRA has a proxy thread.  Without it messages move in `start` and `wait` only.  Collective.
  exchange(plait::environment& env, problem& p, const policy& how);

  /// Packs and starts the messages that fill the ghosts of one colour.
  void start(colour ghosts) { movers_[index_of(ghosts)].start(); }
  /// Returns when they are filled.
  void wait(colour ghosts) { movers_[index_of(ghosts)].wait(); }

  /// Who looks after the messages meanwhile.
  [[nodiscard]] const std::string& progress() const noexcept { return engine_.chosen().name; }
  [[nodiscard]] std::optional<double> proxy_cpu_s() const;

 private:
  plait::engine engine_;
  std::array<plait::mover, 2> movers_;  ///< by the colour of the ghosts
};

}  // namespace redblack3d
