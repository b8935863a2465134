// SPDX-License-Identifier: BSD-3-Clause
/// The ways to do the same steps of messages and work that a benchmark compares.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"
#include "measure/base/named.hpp"
#include "measured_rows.hpp"

namespace plait::measure {

/// Seconds of one step on this rank.
struct timing {
  double total_s = 0;
  double exposed_s = 0;  ///< with nothing to do but wait for the message; NaN where nobody knows
};

/// One way.  `run` is collective and returns this rank's timing, after a warm-up and a barrier.
template <class Load>
struct contestant {
  std::string name;
  std::string about;  ///< one line: which calls
  std::function<timing(environment&, const Load&)> run;
};

/// The rank that is last decides how long a step takes; waiting is the mean over ranks.
template <class Load>
[[nodiscard]] measurement measurement_of(environment& env, const contestant<Load>& one,
                                         const std::string& column, const Load& what,
                                         json remarks) {
  return {one.name, column,
          [&env, one, what] {
            const timing own = one.run(env, what);
            const double exposed_s = sum(env, own.exposed_s) / env.size();
            json figures{{"total_us", 1e6 * maximum(env, own.total_s)}};
            if (std::isfinite(exposed_s)) figures["exposed_us"] = 1e6 * exposed_s;
            return figures;
          },
          std::move(remarks)};
}

/// Of a rank's workers, the mean time with nothing to run while messages were in flight.  Seconds.
[[nodiscard]] inline double exposed_s(const runtime& rt) {
  double sum = 0;
  for (const ledger_entry& worker : rt.ledger()) sum += worker.exposed_s;
  return sum / rt.workers();
}

}  // namespace plait::measure
