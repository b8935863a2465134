// SPDX-License-Identifier: BSD-3-Clause
/// Products of each rank's own block with its own part of x, without messages: the speed of
/// kernels.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/checked_run.hpp"
#include "measure/rows/measured_rows.hpp"
#include "peer.hpp"
#include "problem.hpp"

namespace plait::bench::sparse {

inline constexpr const char* own_block_column = "own block";
inline constexpr const char* triad_row = "triad";

/// The rows of one problem.  Nothing here has messages, but all ranks measure at the same time.
class own_block {
 public:
  /// A run is so many products.  `env`, `p` and `findings` outlive it.  Collective.
  own_block(environment& env, spmv::problem& p, int products, measure::row_findings& findings);

  /// Returns a row for our kernel, for each peer's, and the triad.  Collective.
  [[nodiscard]] std::vector<measure::measurement> rows(const std::vector<loaded_peer>& peers);

  /// Adds each row's rate as a fraction of the triad's of the same turn.
  static void add_fractions(measure::json& rows);

 private:
  [[nodiscard]] measure::json figures_of(const std::string& row, own_product& code);
  [[nodiscard]] measure::json triad() const;

  environment& env_;
  spmv::problem& p_;
  int products_;
  measure::row_findings& findings_;
  spmv::expected_product expected_;
  double bytes_;     ///< of a product, on all ranks
  double nonzeros_;  ///< on all ranks
};

}  // namespace plait::bench::sparse
