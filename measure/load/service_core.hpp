// SPDX-License-Identifier: BSD-3-Clause
/// A session's measurements of a step on a node, for the model of a service core
/// (plait/model/service_core.hpp), and what a result says of it.
#pragma once

#include <memory>
#include <optional>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"
#include "measure/compare/comparison.hpp"

namespace plait::measure {

/// A step on a node, for whoever makes a runtime; nothing until it has been measured.
using known_step = std::shared_ptr<std::optional<model::node_step>>;

/// The rows that a step on a node is known by.  All run with one process of each node.
struct step_variants {
  std::string workers = "plait";                ///< a worker for each core
  std::string workers_ideal = "plait_ideal";    ///< computation alone of that
  std::string service_ideal = "service_ideal";  ///< that of a worker less
};

/// Returns what a step took on a node of `cores` cores, seconds; nothing where `by.workers` did not
/// run, or with other workers.  Preconditions: rank 0; the two ideals were measured.
///
/// What messages take from the cores is what compute, posting and overhead of all workers are
/// longer than in the ideal, the waiting apart.
[[nodiscard]] std::optional<model::node_step> step_of(const measurements& found, int cores,
                                                      int steps, const step_variants& by = {});

/// Puts rank 0's step into `to` on every rank.  Collective.
void share(environment& env, const std::optional<model::node_step>& step, const known_step& to);

/// Returns the member "service_core" of a result: `step`, and what the model says of these cells a
/// core on nodes of this and other sizes.
[[nodiscard]] json service_core_of(const model::node_step& step);

/// Prints what a result has in "service_core", if it does: a line for each size of node.
void print_service_core(const json& result);

}  // namespace plait::measure
