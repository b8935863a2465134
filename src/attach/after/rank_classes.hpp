// SPDX-License-Identifier: BSD-3-Clause
/// Classes of ranks that are alike: of thousands, a line each says nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attach/after/job_share.hpp"

namespace plait::attach {

/// Returns a figure of a rank.
using rank_figure = double (*)(const rank_result&);

struct figure_of_class {
  double least = 0;
  double median = 0;
  double most = 0;
};

/// Some ranks, the one with the lowest number first.
using alike_ranks = std::vector<const rank_result*>;

struct rank_classes {
  std::vector<alike_ranks> classes;  ///< the largest first
  bool has_rest = false;             ///< the last class is of ranks that are in no other
  alike_ranks outliers;              ///< in no class
};
/// Ranks are alike that send to about as many others, that compute for the same share of the run
/// to a twentieth, and that wait mostly for the same.  At most 32 ranks that compute or wait much
/// longer or shorter than nearly all, as few others do, are outliers; there are at most 12 classes,
/// and the rest.
/// `wall_s`: of the run.
[[nodiscard]] rank_classes classify(std::span<const rank_result> ranks, double wall_s);

/// Returns the least, the middle and the largest of a figure.
[[nodiscard]] figure_of_class figure_of(const alike_ranks& ranks, rank_figure figure);
/// "0, 3-98, 101-198, ...", in some 60 characters.
[[nodiscard]] std::string ranks_text(const alike_ranks& ranks);

}  // namespace plait::attach
