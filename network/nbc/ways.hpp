// SPDX-License-Identifier: BSD-3-Clause
/// The ways to do a collective operation beside work that are compared.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/cut_work.hpp"
#include "measure/rows/overlap_figures.hpp"
#include "operation.hpp"

namespace plait::network::nbc {

/// One way, ready to run.  Both are collective; ranks enter them together.
class way {
 public:
  way() = default;
  virtual ~way() = default;
  way(const way&) = delete;
  way& operator=(const way&) = delete;

  /// The operation, and nothing meanwhile.
  virtual void pure() = 0;
  /// Starts it, does the work, waits.  Seconds of this rank: start, tests, wait, the work.
  [[nodiscard]] virtual measure::step_times beside(measure::cut_work& what) = 0;
};

struct named_way {
  std::string name;
  std::string about;  ///< one line: which calls
  /// Collective; nothing of it but buffers may be left when the next way is made.
  std::function<std::unique_ptr<way>(environment&, buffers&)> make;
  bool among_neighbours = true;  ///< false: not for operations with neighbours
};

/// The blocking call, MPI_I… without and with tests, plait's tasks under `auto`, by plait's
/// schedules and by the library's own call, and under each other policy of progress.
[[nodiscard]] const std::vector<named_way>& all_ways();
/// Number of ways that are measured when none is asked for, from the first on.
inline constexpr std::size_t ways_by_default = 5;

/// One blocking call.  Errors: plait::error.
void call_blocking(buffers& data);

/// One non-blocking call whose completion is looked for, with a sleep of `measure::between_looks`
/// after each look that was too early.
void call_sparsely(buffers& data);

}  // namespace plait::network::nbc
