// SPDX-License-Identifier: BSD-3-Clause
/// Places of a block's cells in arrays of a device, and the parts that kernels and messages name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "common/face.hpp"

namespace plait::stencil {

using span_there = device_span<double>;
using const_span_there = device_span<const double>;

/// Places of the cells of a block in its arrays, on the host as on the device.
class device_layout {
 public:
  explicit device_layout(const view<const double, 3>& with_ghosts);

  /// Returns the number of elements from the first ghost to the last.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Returns the place of a cell among them.
  [[nodiscard]] std::size_t place(const point<3>& cell) const;
  /// Returns the cells of an array of which this is a part.
  template <class T>
  [[nodiscard]] view<T, 3> cells_around(device_span<T> part) const {
    return {part.data() - part.offset_bytes() / sizeof(T), with_ghosts_, strides_};
  }

  /// Returns what lies from the first to the last of some cells: rows of a plane, or whole planes.
  template <class T>
  [[nodiscard]] device_span<T> rows(device_span<T> all, const box<3>& some) const {
    const std::size_t first = place(some.low);
    return all.part(first, place(some.high - extents<3>(1)) + 1 - first);
  }
  /// Returns rows of a plane with what lies between and behind them, so that parts of as many rows
  /// are as long.
  template <class T>
  [[nodiscard]] device_span<T> message(device_span<T> all, const box<3>& plane) const {
    return all.part(place(plane.low), message_size(plane));
  }
  [[nodiscard]] std::size_t message_size(const box<3>& plane) const;
  /// Returns the elements from a cell to the next one in y, or in z.
  [[nodiscard]] std::int64_t row() const noexcept { return strides_[1]; }
  [[nodiscard]] std::int64_t plane() const noexcept { return strides_[2]; }

 private:
  box<3> with_ghosts_;
  std::array<std::ptrdiff_t, 3> strides_;
  std::size_t size_;
};

/// Boxes that a kernel on some cells reads, each of which lies in one piece: those below, its own
/// with a row or a plane more at both sides, and those above.
struct reads {
  explicit reads(const box<3>& some);
  box<3> below;
  box<3> own;
  box<3> above;
};

/// Returns a plane in so many parts of whole rows, or fewer.
[[nodiscard]] std::vector<box<3>> parts_of_plane(const box<3>& plane, int parts);
/// Returns the planes that neighbours need, each once and in so many parts, as their messages are.
[[nodiscard]] std::vector<box<3>> parts_of_edges(const std::vector<face>& faces, int parts);

}  // namespace plait::stencil
