// SPDX-License-Identifier: BSD-3-Clause
/// One session: products over all ranks and products of own blocks, all rows in turns.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/measured_rows.hpp"
#include "peer.hpp"
#include "problem.hpp"
#include "variant.hpp"

namespace plait::bench::sparse {

inline constexpr const char* base_row = "base";
inline constexpr const char* ideal_row = "ideal";
inline constexpr const char* product_column = "product";

struct request {
  std::vector<std::string> rows;  ///< names
  int steps = 0;
  spmv::options runtime;
  double link_rate_Bps = 0;  ///< payload rate of the link between hosts; 0 = not known
  measure::repetition_options repetition;
};

struct outcome {
  measure::json rows;    ///< on rank 0
  bool verified = true;  ///< the same on every rank
};

/// Runs the session.  What is wrong with a row is printed on standard error, a line for each rank.
/// Collective.
[[nodiscard]] outcome measure(environment& env, spmv::problem& p, const request& wanted);

}  // namespace plait::bench::sparse
