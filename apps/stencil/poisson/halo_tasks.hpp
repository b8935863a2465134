// SPDX-License-Identifier: BSD-3-Clause
/// The ghost exchange and the sums over ranks as tasks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <plait/plait.hpp>

#include "exchange.hpp"

namespace poisson {

/// Fills the ghosts of one array, by the mover or by a neighbour collective.
class halo_tasks {
 public:
  halo_tasks(const problem& p, array& of, exchange_kind how);
  void submit(plait::runtime& rt);

 private:
  void submit_collective(plait::runtime& rt);

  values cells_;
  std::optional<plait::move_plan> ghosts_;
  std::optional<neighbours> around_;
};

/// A sum over the parts of a rank in their order, then over ranks in theirs (rank_sum.hpp).
class sum_tasks {
 public:
  sum_tasks(plait::environment& env, plait::task_name name)
      : rank_(env.rank()), name_(name), places_(static_cast<std::size_t>(env.size())) {}
  /// `use(c, sum)` is a task, too.
  void submit(plait::runtime& rt, const std::vector<double>& parts, coefficients& c,
              void (coefficients::*use)(double));

 private:
  int rank_;
  plait::task_name name_;
  std::vector<double> places_;
};

}  // namespace poisson
