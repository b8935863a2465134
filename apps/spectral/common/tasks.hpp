// SPDX-License-Identifier: BSD-3-Clause
/// A transform over slabs as tasks: passes and messages say what they read and write, and what
/// overlaps follows from that.
#pragma once

#include <cstddef>
#include <functional>

#include <plait/plait.hpp>

#include "passes.hpp"

namespace spectral {

/// Memory of one transform in flight; `lines` may be shared by several.
struct task_memory {
  transpose_buffers buffers;
  complex* planes = nullptr;
  complex* lines = nullptr;
};

/// Submits what runs behind the rows of a range of planes, while they are in the cache.
using after_rows = std::function<void(plait::runtime&, const range& z)>;

/// Submits the passes and messages of transforms.  It and what it was given outlive the tasks, and
/// their recordings.
class transform_tasks {
 public:
  /// Pieces of a pass are of about `cells_per_piece` cells.
  transform_tasks(const passes& kernel, index cells_per_piece);

  /// planes to lines.
  void submit_forward(plait::runtime& rt, const task_memory& of) const;
  /// lines to planes.  `times`: see passes::spread_z; `then`: what to submit for each range of
  /// planes that is done, if anything.
  void submit_backward(plait::runtime& rt, const task_memory& of, const separable_factors* times,
                       const after_rows& then = {}) const;
  /// Tasks of a transform, messages included, `then` not.
  [[nodiscard]] std::size_t tasks() const;
  /// The ranges of planes whose rows are transformed together.
  [[nodiscard]] const std::vector<range>& plane_pieces() const noexcept { return z_of_rows_; }

 private:
  void submit_rows(plait::runtime& rt, complex* planes, const range& z, sign way) const;
  void submit_messages(plait::runtime& rt, const transpose_buffers& buffers, int tile,
                       bool to_planes) const;

  const passes& kernel_;
  std::vector<range> z_of_rows_;
  std::vector<range> z_of_tiles_;
  std::vector<range> y_of_tiles_;
};

}  // namespace spectral
