// SPDX-License-Identifier: BSD-3-Clause
/// A rank's block in the memory of a device: its iterates, its planes that have a neighbour, and
/// the kernel of a step there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "common/face.hpp"
#include "device/options.hpp"
#include "kernel.hpp"
#include "problem.hpp"

namespace jacobi3d {

using span_there = plait::device_span<double>;
using const_span_there = plait::device_span<const double>;

/// Places of the cells of a block in its arrays, on the host as on the device.
class layout {
 public:
  explicit layout(const plait::view<const double, 3>& with_ghosts);

  /// Returns the number of elements from the first ghost to the last.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Returns the place of a cell among them.
  [[nodiscard]] std::size_t place(const plait::point<3>& cell) const;
  /// Returns the cells of an array of which this is a part.
  template <class T>
  [[nodiscard]] plait::view<T, 3> cells_around(plait::device_span<T> part) const {
    return {part.data() - part.offset_bytes() / sizeof(T), with_ghosts_, strides_};
  }

  /// Returns what lies from the first to the last of some cells: rows of a plane, or whole planes.
  template <class T>
  [[nodiscard]] plait::device_span<T> rows(plait::device_span<T> all, const box& some) const {
    const std::size_t first = place(some.low);
    return all.part(first, place(some.high - plait::extents<3>(1)) + 1 - first);
  }
  /// Returns rows of a plane with what lies between and behind them, so that parts of as many rows
  /// are as long.
  template <class T>
  [[nodiscard]] plait::device_span<T> message(plait::device_span<T> all, const box& plane) const {
    return all.part(place(plane.low), message_size(plane));
  }
  [[nodiscard]] std::size_t message_size(const box& plane) const;

 private:
  box with_ghosts_;
  std::array<std::ptrdiff_t, 3> strides_;
  std::size_t size_;
};

/// Enqueues to = relax(from) on cells, from a task's function or by hand.
struct relax_there {
  layout lies;
  double cells_per_s;
  stores how;

  /// `below`, `own` and `above`: what `reads` names.  Returns at once.
  void operator()(plait::queue to_queue, const_span_there below, const_span_there own,
                  const_span_there above, const_span_there b, span_there to,
                  const box& cells) const;
};

/// Boxes that a kernel on some cells reads, each of which lies in one piece: those below, its own
/// with a row or a plane more at both sides, and those above.
struct reads {
  explicit reads(const box& some);
  box below;
  box own;
  box above;
};

/// A plane with a neighbour's next to it, which the rank computes in parts of rows.
struct rim_plane {
  std::vector<std::size_t> faces;  ///< that it is the edge of; two where a block is one plane thick
  std::vector<box> parts;
};

/// The block itself: u, v and b there, and how a step is cut into kernels.
class device_block {
 public:
  /// Copies the arrays to the device.  Errors: usage_error where blocks have neighbours in x or y.
  /// Blocks.
  device_block(problem& p, const device_options& how);
  /// Copies the iterate that step `step` would read to the problem's u.  Blocks.
  void fetch(problem& p, int step);

  /// Returns the iterate that a step reads; the next one reads what it writes.
  [[nodiscard]] span_there iterate(int step) { return (step % 2 == 0 ? u_ : v_).all(); }
  [[nodiscard]] const_span_there b() { return b_.all().as_const(); }

  [[nodiscard]] const plait::device& gpu() const noexcept { return gpu_; }
  [[nodiscard]] const layout& lies() const noexcept { return lies_; }
  [[nodiscard]] const relax_there& relax() const noexcept { return relax_; }
  [[nodiscard]] const std::vector<plait::stencil::face>& faces() const noexcept { return faces_; }
  /// Returns a plane in as many parts as its message has, or fewer.
  [[nodiscard]] std::vector<box> in_parts(const box& plane) const;
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
