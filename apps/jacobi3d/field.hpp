// SPDX-License-Identifier: BSD-3-Clause
/// One block of cell values with a ghost layer around it: where each cell lies in memory.
#pragma once

#include <cstdint>
#include <span>

#include <plait/plait.hpp>

namespace jacobi3d {

using plait::axis;
using extents = plait::extents<3>;

/// Cells of one rank's block in local indices: the block's own cells count from 0, its ghosts are
/// -1 and n.
using box = plait::box<3, plait::space::local>;

[[nodiscard]] constexpr box whole(const extents& n) noexcept {
  return box(n);
}

/// Values of a block and one layer of ghosts in one allocation, x fastest, then y, then z.  Row (y,
/// z) starts on a cache line at its cell x = 0; what lies between two rows are their ghosts and
/// padding.
class field {
 public:
  /// All values are 0.  Fields a kernel reads and writes together have different `place`s, 0 to 2:
  /// their rows then begin at different offsets in a page.  Errors: std::bad_alloc.
  explicit field(const extents& n, int place = 0);

  [[nodiscard]] const extents& size() const noexcept { return n_; }
  [[nodiscard]] std::int64_t stride_y() const noexcept { return stride_y_; }
  [[nodiscard]] std::int64_t stride_z() const noexcept { return stride_z_; }

  /// Cell (x, y, z); -1 and n are ghosts.
  [[nodiscard]] double* at(std::int64_t x, std::int64_t y, std::int64_t z) noexcept {
    return origin_ + x + y * stride_y_ + z * stride_z_;
  }
  [[nodiscard]] const double* at(std::int64_t x, std::int64_t y, std::int64_t z) const noexcept {
    return origin_ + x + y * stride_y_ + z * stride_z_;
  }

  /// All memory of planes [z0, z1), ghosts and padding included; -1 <= z0 < z1 <= n + 1.
  [[nodiscard]] std::span<double> planes(std::int64_t z0, std::int64_t z1) noexcept {
    return {base_ + (z0 + 1) * stride_z_, static_cast<std::size_t>((z1 - z0) * stride_z_)};
  }
  [[nodiscard]] std::span<const double> planes(std::int64_t z0, std::int64_t z1) const noexcept {
    return {base_ + (z0 + 1) * stride_z_, static_cast<std::size_t>((z1 - z0) * stride_z_)};
  }

  /// The own cells of plane z as one contiguous piece (with the padding between its rows): what a
  /// z face sends and receives.
  [[nodiscard]] std::span<double> plane_cells(std::int64_t z) noexcept {
    return {at(0, 0, z), static_cast<std::size_t>((n_[axis::y] - 1) * stride_y_ + n_[axis::x])};
  }
  [[nodiscard]] std::span<const double> plane_cells(std::int64_t z) const noexcept {
    return {at(0, 0, z), static_cast<std::size_t>((n_[axis::y] - 1) * stride_y_ + n_[axis::x])};
  }

  void set_zero() noexcept { memory_.set_zero(); }

 private:
  extents n_;
  plait::block_memory memory_;
  std::int64_t stride_y_ = 0;
  std::int64_t stride_z_ = 0;
  double* base_ = nullptr;
  double* origin_ = nullptr;
};

}  // namespace jacobi3d
