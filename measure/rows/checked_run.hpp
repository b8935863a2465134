// SPDX-License-Identifier: BSD-3-Clause
/// Runs of rows whose results are checked, and what the checks have found.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"
#include "measure/compare/turns.hpp"
#include "measure/compare/variant.hpp"
#include "measure/compare/verdict.hpp"

namespace plait::measure {

/// Seconds of a run, and what a check of its result found on this rank.
struct checked_run {
  double total_s = 0;                    ///< of the slowest rank
  std::optional<double> exposed_s = {};  ///< of this rank's workers, the mean; where it is known
  verdict found = {};
  double error_bound = 0;
};

/// Runs a variant of an application once; `check` judges what it left behind.  Collective.
template <class Problem>
[[nodiscard]] checked_run run_checked(environment& env, variant<Problem>& code, Problem& p,
                                      int steps, const std::function<verdict(setting)>& check) {
  checked_run result;
  const setting solves = code.solves();
  run_timed(env,
            {.prepare =
                 [&](int) {
                   p.reset(solves);
                   code.prepare(p);
                 },
             .run = [&] { code.run(p, steps, {}); },
             .finish =
                 [&](int, double total_s) {
                   const run_report report = code.finish(p);
                   result.total_s = total_s;
                   if (report.ledger.empty()) return;
                   double exposed_s = 0;
                   for (const ledger_entry& worker : report.ledger) exposed_s += worker.exposed_s;
                   result.exposed_s = exposed_s / static_cast<double>(report.ledger.size());
                 }},
            0);
  result.found = check(solves);
  result.error_bound = p.error_bound(solves, steps);
  return result;
}

/// Returns a run's "total_us" and, where it is known, "exposed_us" of each of its `parts`, the
/// latter the mean over ranks, and "gflops" by so many operations of the run.  Collective.
[[nodiscard]] json figures_of(environment& env, const checked_run& got, int parts,
                              double operations);

/// The findings of all runs' checks, by row and column; the same on every rank.
class row_findings {
 public:
  /// `env` outlives it; `program`: whose words on standard error they are.
  row_findings(environment& env, std::string program) : env_(env), program_(std::move(program)) {}

  /// Adds what was found in a run.  Prints what is wrong first with a row on standard error, a line
  /// for each rank.  Collective.
  void note(const std::string& row, const std::string& column, const checked_run& got);
  /// Adds "verified", "max_error" and "error_bound" to the rows, and returns whether all runs were
  /// right.
  [[nodiscard]] bool add_to(json& rows) const;

 private:
  struct finding {
    bool verified = true;
    double max_error = 0;
    double error_bound = 0;
  };

  environment& env_;
  std::string program_;
  std::map<std::pair<std::string, std::string>, finding> found_;
};

}  // namespace plait::measure
