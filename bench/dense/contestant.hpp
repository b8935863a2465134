// SPDX-License-Identifier: BSD-3-Clause
/// A contestant: a way to solve a system or to multiply matrices, with settings that it chooses
/// itself before the turns begin.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "common/mesh.hpp"
#include "measure/rows/checked_run.hpp"

namespace plait::bench::dense {

using measure::checked_run;
using measure::json;
using plait::dense::mesh;

/// The task of all contestants.
struct setup {
  std::vector<std::int64_t> blocks;          ///< rows and columns of a block, to be tried
  std::vector<std::int64_t> logical_blocks;  ///< of PBLAS, to be tried; 0 = ScaLAPACK's own
  std::string hpcc;                          ///< line of the shell that starts it; empty: none
  int workers = 0;                           ///< of a rank, where it has workers; 0 = choose
  progress policy = progress::automatic;
};

class contestant {
 public:
  virtual ~contestant() = default;
  /// Tries all settings and keeps the fastest.  Returns the rate of each, as lines of text.
  /// Collective.
  [[nodiscard]] virtual std::vector<std::string> choose(double operations) = 0;
  /// Returns what was kept, in words.
  [[nodiscard]] virtual std::string settings() const = 0;
  /// Runs with what was kept.  Precondition: something was.  Collective.
  [[nodiscard]] virtual checked_run run() = 0;
};

/// Settings, and what makes a run with them, which holds all that it needs.  Collective.
struct candidate {
  std::string settings;
  std::function<std::function<checked_run()>()> make;
};

/// Makes a contestant of one or more candidates.
[[nodiscard]] std::unique_ptr<contestant> fastest_of(std::vector<candidate> all);

/// Returns "block 64: 12.3 Gflop/s".
[[nodiscard]] std::string rate_line(const std::string& settings, double operations, double total_s);

/// One of the rows of a problem.
struct competitor {
  std::string row;
  std::unique_ptr<contestant> code;
};

/// All rows of one problem.
struct contest {
  std::string column;     ///< "hpl 2000"
  double operations = 0;  ///< of a run
  std::vector<competitor> rows = {};
};

/// A system of order n, solved: operations as netlib counts them.  `grid` and `env` outlive it, as
/// they do what the next one returns.  Only rows among `wanted` are made.  Collective.
[[nodiscard]] contest linear_system_of(environment& env, const mesh& grid, std::int64_t n,
                                       const setup& how, const std::vector<std::string>& wanted);
/// A product of matrices of order n.  Collective.
[[nodiscard]] contest product_of(environment& env, const mesh& grid, std::int64_t n,
                                 const setup& how, const std::vector<std::string>& wanted);

}  // namespace plait::bench::dense
