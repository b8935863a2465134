// SPDX-License-Identifier: BSD-3-Clause
/// The ways to do the same steps of messages and work that a benchmark compares.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "measure/command_line.hpp"
#include "measure/gather.hpp"
#include "measured_rows.hpp"

namespace plait::bench {

/// Seconds of one step on this rank.
struct timing {
  double total_s = 0;
  double exposed_s = 0;  ///< with nothing to do but wait for the message; NaN where nobody knows
};

/// One way.  `run` is collective and returns this rank's timing, after a warm-up and a barrier.
template <class Load>
struct contestant_of {
  std::string name;
  std::string about;  ///< one line: which calls
  std::function<timing(environment&, const Load&)> run;
};

template <class Load>
[[nodiscard]] std::vector<std::string> names_of(const std::vector<contestant_of<Load>>& all) {
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  return names;
}

/// Those of `all` that `only` names, in its order; all where it is empty.  Errors: usage_error
/// naming `option`.
template <class Load>
[[nodiscard]] std::vector<contestant_of<Load>> chosen(const std::string& option,
                                                      const std::string& only,
                                                      std::vector<contestant_of<Load>> all) {
  if (only.empty()) return all;
  const std::vector<std::string> names = names_of(all);
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::vector<contestant_of<Load>> result;
  for (const std::string& name : measure::parse_names(option, only, known))
    result.push_back(*std::ranges::find(all, name, &contestant_of<Load>::name));
  return result;
}

/// The rank that is last decides how long a step takes; waiting is the mean over ranks.
template <class Load>
[[nodiscard]] measurement measurement_of(environment& env, const contestant_of<Load>& one,
                                         const std::string& column, const Load& what,
                                         json remarks) {
  return {one.name, column,
          [&env, one, what] {
            const timing own = one.run(env, what);
            const double exposed_s = measure::sum(env, own.exposed_s) / env.size();
            json figures{{"total_us", 1e6 * measure::maximum(env, own.total_s)}};
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

}  // namespace plait::bench
