// SPDX-License-Identifier: BSD-3-Clause
/// The rows of one rank: input, transforms, what leaves, what comes, and whether that is right.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "common/plans.hpp"
#include "common/row_blocks.hpp"
#include "workload.hpp"

namespace ft_probe {

/// Finding of a check.
struct finding {
  double max_error = 0;
  double bound = 0;
  std::string complaint = {};  ///< what is wrong first, in one line; empty if nothing is
};

/// Row g of rank q is a plane wave of its own number and amplitude over the part that is
/// transformed, and a number of its own in each element beyond.  So each element that arrives is
/// known.  Rows are transformed out of place, from `input` to `outgoing`: the input of a run is
/// that of the next.
class problem : public spectral::row_memory {
 public:
  /// Has memory for all of `shapes` of this rank, one at a time.
  problem(std::span<const row_blocks> shapes, int rank, spectral::planning planning);

  /// Chooses a shape and a workload, and sets everything back.
  void reset(const row_blocks& shape, const workload& work);

  /// Transforms these rows.
  void transform(const range& rows);
  /// Copies these rows, of this rank's own block, to where they arrive.
  void copy_own(const range& rows);

  /// Checks each element that arrived; where nothing travels, of this rank's own rows that left.
  [[nodiscard]] finding check(bool travelled) const;

  /// Bytes that the constructor allocates for these shapes.
  [[nodiscard]] static double memory_bytes(std::span<const row_blocks> shapes, int rank);

 private:
  void fill_input();
  void check_row(const complex* row, int from, index number, finding& to) const;
  const spectral::line_plan& plan_of(index n);

  spectral::planning planning_;
  spectral::field input_, outgoing_, incoming_;
  std::map<index, spectral::line_plan> plans_;  ///< by length
  workload work_;
  index filled_rows_ = -1, filled_length_ = -1, filled_part_ = -1;  ///< what `input_` has
};

}  // namespace ft_probe
