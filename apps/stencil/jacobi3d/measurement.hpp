// SPDX-License-Identifier: BSD-3-Clause
/// The session: all variants in turns, with all processes or with one of each node, and what they
/// are held against.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "common/nodes.hpp"
#include "measure/base/session_options.hpp"
#include "measure/compare/variant_list.hpp"
#include "measure/load/node_processes.hpp"
#include "variant.hpp"

namespace jacobi3d {

using variant_list = plait::measure::variant_list<problem>;
using domains = plait::stencil::divided_cells<domain>;

/// Who has the cores of a node that has several processes: the rows `plait` and `service`.
struct node_rows {
  plait::service_core service = plait::service_core::never;  ///< of the row `plait`
  bool has_service_row = false;  ///< whether `service`, with a worker less, follows it
};

[[nodiscard]] bool is_tiled(std::string_view name);

/// Measures the variants `names`, writes the result and prints it.  Returns the exit code.
/// Precondition: tiles only where a node has one process.  Collective.
int run_session(plait::environment& env, const domains& whole,
                const plait::measure::node_processes& nodes, const variant_list& all,
                const std::vector<std::string>& names, const options& chosen, const node_rows& rows,
                const plait::measure::session_options& wanted);

}  // namespace jacobi3d
