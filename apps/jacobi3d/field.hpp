// SPDX-License-Identifier: BSD-3-Clause
/// One block of cell values with a ghost layer around it: where each cell lies in memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include <plait/plait.hpp>

namespace jacobi3d {

using extents = std::array<std::int64_t, 3>;

/// Cells [x0, x1) x [y0, y1) x [z0, z1) of one rank's block, in local indices: the block's own
/// cells count from 0, its ghosts are -1 and n.  (Global cells are plait::global_block's.)
struct box {
  std::int64_t x0 = 0, x1 = 0;
  std::int64_t y0 = 0, y1 = 0;
  std::int64_t z0 = 0, z1 = 0;

  [[nodiscard]] constexpr bool empty() const noexcept { return x0 >= x1 || y0 >= y1 || z0 >= z1; }
  [[nodiscard]] constexpr std::int64_t cells() const noexcept {
    return empty() ? 0 : (x1 - x0) * (y1 - y0) * (z1 - z0);
  }
  friend constexpr bool operator==(const box&, const box&) = default;
};

[[nodiscard]] constexpr box whole(const extents& n) noexcept {
  return {0, n[0], 0, n[1], 0, n[2]};
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
    return {at(0, 0, z), static_cast<std::size_t>((n_[1] - 1) * stride_y_ + n_[0])};
  }
  [[nodiscard]] std::span<const double> plane_cells(std::int64_t z) const noexcept {
    return {at(0, 0, z), static_cast<std::size_t>((n_[1] - 1) * stride_y_ + n_[0])};
  }

  void set_zero() noexcept;

 private:
  extents n_;
  std::int64_t stride_y_ = 0;
  std::int64_t stride_z_ = 0;
  std::size_t bytes_ = 0;
  struct freed {
    void operator()(double* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<double, freed> memory_;
  double* base_ = nullptr;
  double* origin_ = nullptr;
};

}  // namespace jacobi3d
