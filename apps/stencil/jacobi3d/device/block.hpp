// SPDX-License-Identifier: BSD-3-Clause
/// A rank's block in the memory of a device: its iterates, its planes that have a neighbour, and
/// the kernel of a step there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "common/device/layout.hpp"
#include "common/face.hpp"
#include "device/options.hpp"
#include "kernel.hpp"
#include "problem.hpp"

namespace jacobi3d {

using plait::stencil::const_span_there;
using plait::stencil::reads;
using plait::stencil::span_there;
using layout = plait::stencil::device_layout;

/// Enqueues to = relax(from) on cells, from a task's function or by hand.
struct relax_there {
  layout lies;
  double cells_per_s;
  stores how;
  std::optional<plait::opencl::kernel> built;  ///< of a device that is not emulated

  /// `below`, `own` and `above`: what `reads` names.  Returns at once.
  void operator()(plait::queue to_queue, const_span_there below, const_span_there own,
                  const_span_there above, const_span_there b, span_there to,
                  const box& cells) const;
};

/// A plane with a neighbour's next to it, which the rank computes in parts of rows.
struct rim_plane {
  std::vector<std::size_t> faces;  ///< that it is the edge of; two where a block is one plane thick
  std::vector<box> parts;
};

/// The block itself: u, v and b there, and how a step is cut into kernels.
class device_block {
 public:
  /// Precondition: `expect_slabs`.
  device_block(problem& p, const device_options& how);

  /// Copies the arrays to the device, and the iterate that step `step` would read to the problem's
  /// u: by tasks, or by hand on an emulated device.  Block.
  void load(problem& p, plait::runtime& rt);
  void fetch(problem& p, int step, plait::runtime& rt);
  void load_by_hand(problem& p);
  void fetch_by_hand(problem& p, int step);

  /// Returns the iterate that a step reads; the next one reads what it writes.
  [[nodiscard]] span_there iterate(int step) { return (step % 2 == 0 ? u_ : v_).all(); }
  [[nodiscard]] const_span_there b() { return b_.all().as_const(); }

  [[nodiscard]] const plait::device& gpu() const noexcept { return gpu_; }
  [[nodiscard]] const layout& lies() const noexcept { return lies_; }
  [[nodiscard]] const relax_there& relax() const noexcept { return relax_; }
  [[nodiscard]] const std::vector<plait::stencil::face>& faces() const noexcept { return faces_; }
  [[nodiscard]] int parts() const noexcept { return parts_; }

  /// Returns all cells of the block.
  [[nodiscard]] const box& whole() const noexcept { return whole_; }

  // The kernels of a step: the rim's, those of planes next to the rim, and the others.
  [[nodiscard]] const std::vector<rim_plane>& rim() const noexcept { return rim_; }
  [[nodiscard]] const std::vector<box>& near() const noexcept { return near_; }
  [[nodiscard]] const std::vector<box>& far() const noexcept { return far_; }

 private:
  void cut_rim();
  void cut_interior(const box& interior);

  plait::device gpu_;
  box whole_;
  layout lies_;
  relax_there relax_;
  plait::device_array<double> u_, v_, b_;
  std::vector<plait::stencil::face> faces_;
  int parts_;
  std::vector<rim_plane> rim_;
  std::vector<box> near_, far_;
};

}  // namespace jacobi3d
