// SPDX-License-Identifier: BSD-3-Clause
/// The vectors of conjugate gradients in the memory of a device, and the kernels of an iteration.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "coefficients.hpp"
#include "common/device/layout.hpp"
#include "common/device/options.hpp"
#include "problem.hpp"

namespace poisson {

using plait::stencil::const_span_there;
using plait::stencil::span_there;

/// OpenCL's kernels of device/cg_cells.cl, built for a device.
struct built_kernels {
  /// Errors: those of OpenCL.
  explicit built_kernels(const plait::device& gpu);
  plait::opencl::kernel turn, multiply, shorten, sum;
};

/// The device that all rows use in turns.
struct device_options : plait::stencil::device_options {
  std::optional<built_kernels> kernels = {};  ///< none: it is emulated, and computes by the host's
};
[[nodiscard]] device_options with_kernels(const plait::stencil::device_options& on);

/// Enqueues kernels on some cells, from a task's function; each returns at once.  Spans are those
/// of the cells, from the first to the last.  Once `done`, nothing is enqueued.
class kernels_there {
 public:
  kernels_there(const plait::stencil::device_layout& lies, const device_options& how)
      : lies_(lies), cells_per_s_(how.cells_per_s), built_(how.kernels) {}

  /// x += alpha p, p = r + beta p.
  void turn(plait::queue q, const_span_there r, span_there x, span_there p, const coefficients& c,
            const box& cells) const;
  /// w = A p, and the lanes of p·w.  `own` has a row more on both sides.
  void product(plait::queue q, const_span_there own, span_there w, span_there lanes,
               const coefficients& c, const box& cells) const;
  /// r -= alpha w, and the lanes of r·r.
  void shorten(plait::queue q, const_span_there w, span_there r, span_there lanes,
               const coefficients& c, const box& cells) const;
  /// x += alpha p, whatever `done` says.
  void catch_up(plait::queue q, const_span_there p, span_there x, const coefficients& c,
                const box& cells) const;

 private:
  [[nodiscard]] double seconds(const box& cells) const noexcept {
    return static_cast<double>(cells.size()) / cells_per_s_;
  }
  template <class... Arguments>
  void launch(plait::queue q, const plait::opencl::kernel& what, const box& cells,
              const Arguments&... arguments) const;

  plait::stencil::device_layout lies_;
  double cells_per_s_;
  std::optional<built_kernels> built_;
};

/// The vectors of a rank's block.
class device_vectors {
 public:
  /// Precondition: `expect_slabs`, and the boundary is not periodic.
  device_vectors(const problem& p, const device_options& how);

  /// Copies the vectors to the device, or x and r to the problem: by tasks, or by hand on an
  /// emulated device.  Block.
  void load(problem& p, plait::runtime& rt);
  void fetch(problem& p, plait::runtime& rt);
  void load_by_hand(problem& p);
  void fetch_by_hand(problem& p);

  plait::device gpu;
  plait::stencil::device_layout lies;
  kernels_there kernels;
  plait::device_array<double> x, r, p, w;
  plait::device_array<double> pw_lanes, rr_lanes;  ///< eight of each strip
};

}  // namespace poisson
