// SPDX-License-Identifier: BSD-3-Clause
/// The least that a view of a box has to be for tasks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <plait/core/strided_bytes.hpp>

namespace plait::test {

/// Cells [0, extent) along three axes, the last of them contiguous.
template <class T>
struct box_view {
  using element = T;

  T* first = nullptr;
  std::array<std::size_t, 3> extent{1, 1, 1};
  std::array<std::size_t, 2> stride{};  ///< cells; of the first two axes

  [[nodiscard]] T& operator()(std::size_t i, std::size_t j, std::size_t k) const {
    return first[i * stride[0] + j * stride[1] + k];
  }
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t i = 0; i < extent[0]; ++i) {
      for (std::size_t j = 0; j < extent[1]; ++j) {
        for (std::size_t k = 0; k < extent[2]; ++k) use((*this)(i, j, k));
      }
    }
  }
  [[nodiscard]] box_view part(std::array<std::size_t, 3> low,
                              std::array<std::size_t, 3> high) const {
    return {&(*this)(low[0], low[1], low[2]),
            {high[0] - low[0], high[1] - low[1], high[2] - low[2]},
            stride};
  }

  [[nodiscard]] strided_bytes strided_memory() const {
    const auto axis = [this](std::size_t k) {
      return strided_bytes::axis{static_cast<std::int64_t>(extent[k]),
                                 static_cast<std::int64_t>(stride[k] * sizeof(T))};
    };
    return {.begin = reinterpret_cast<std::uintptr_t>(first),
            .row_bytes = extent[2] * sizeof(T),
            .axes = {{axis(0), axis(1)}}};
  }
  [[nodiscard]] box_view<const T> as_const() const { return {first, extent, stride}; }
};

/// All of `data`.
template <class T>
[[nodiscard]] box_view<T> array_of(T* data, std::array<std::size_t, 3> extent) {
  return {data, extent, {extent[1] * extent[2], extent[2]}};
}

}  // namespace plait::test
