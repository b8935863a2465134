// SPDX-License-Identifier: BSD-3-Clause
/// A transform over pencils or slabs as tasks: passes and messages say what they read and write,
/// and what overlaps follows from that.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <plait/plait.hpp>

#include "passes.hpp"
#include "transport.hpp"

namespace spectral {

/// Submits what runs behind the rows of a range of planes, while they are in the cache.
using after_rows = std::function<void(plait::runtime&, const range& z)>;

/// Submits the passes and messages of transforms.  It and what it was given outlive the tasks, and
/// their recordings.
class transform_tasks {
 public:
  /// Pieces of a pass are of about `cells_per_piece` cells.
  transform_tasks(const passes& kernel, index cells_per_piece);

  /// field to lines.
  void submit_forward(plait::runtime& rt, const transform_memory& of) const;
  /// lines to field.  `times`: see passes::spread_z; `then`: what to submit for each range of
  /// planes that is done, if anything.
  void submit_backward(plait::runtime& rt, const transform_memory& of,
                       const separable_factors* times, const after_rows& then = {}) const;
  /// Tasks of a transform, messages included, `then` not.
  [[nodiscard]] std::size_t tasks() const;
  /// The ranges of planes whose rows are transformed together.
  [[nodiscard]] const std::vector<range>& plane_pieces() const noexcept { return z_of_rows_; }

 private:
  /// The planes that travel together in a row's transpose; in slabs, all.
  struct planes_together {
    std::vector<range> of_rows;   ///< pieces of the passes along x
    std::vector<range> of_tiles;  ///< pieces of the passes along y
  };
  void submit_x_lines(plait::runtime& rt, const transform_memory& of, const range& z,
                      sign way) const;
  void submit_y_lines(plait::runtime& rt, const transform_memory& of, const chunk_map& column,
                      int tile, const range& z, sign way) const;
  void submit_messages(plait::runtime& rt, const chunk_map& chunks, int tile, int tag) const;
  /// Slabs have none.
  void submit_row_messages(plait::runtime& rt, const transform_memory& of, int row_tile,
                           transpose way) const;

  const passes& kernel_;
  std::vector<planes_together> planes_;
  std::vector<range> z_of_rows_;
  std::vector<range> y_of_tiles_;
};

}  // namespace spectral
