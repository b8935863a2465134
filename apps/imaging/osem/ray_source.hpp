// SPDX-License-Identifier: BSD-3-Clause
/// The system matrix, a row a ray: computed by the projector, or read from a file.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/number_file.hpp"
#include "image_grid.hpp"

namespace osem {

/// Rays by view: a view is what one angle sees, and belongs to one subset.  Thread-safe.
class ray_source {
 public:
  virtual ~ray_source() = default;
  [[nodiscard]] virtual const image_grid& grid() const noexcept = 0;
  [[nodiscard]] virtual std::int64_t views() const noexcept = 0;
  [[nodiscard]] virtual std::int64_t rays_of_a_view() const noexcept = 0;
  /// No element of the matrix is larger.
  [[nodiscard]] virtual double largest_element() const noexcept = 0;
  /// About how many elements a row has.
  [[nodiscard]] virtual double elements_of_a_row() const noexcept = 0;
  /// Appends the elements of a row, in an order in which the slowest axis never falls.
  virtual void append_row(std::int64_t ray, std::vector<crossing>& to) const = 0;

  [[nodiscard]] std::int64_t rays() const noexcept { return views() * rays_of_a_view(); }
};

/// A parallel beam: `angles` directions around z, equally spaced over half a turn, at each of
/// `tilts` angles to the plane from -30° to 30° (one: 0).  A detector's bins are 1 wide, and there
/// are as many as it takes to see all of the image.
struct beam {
  std::int64_t angles = 1;
  std::int64_t tilts = 1;
};

/// Our own projector.  [Siddon 1985]
[[nodiscard]] std::unique_ptr<ray_source> make_parallel_beam(const image_grid& grid,
                                                             const beam& views);

/// A matrix from a file: `rays_of_a_view` rows make a view.  Errors: usage_error where the matrix
/// has an element that is negative or not finite, or another shape than that.
[[nodiscard]] std::unique_ptr<ray_source> make_matrix(const image_grid& grid,
                                                      std::int64_t rays_of_a_view,
                                                      plait::imaging::sparse_matrix matrix);

}  // namespace osem
