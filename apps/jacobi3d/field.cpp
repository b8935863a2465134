// SPDX-License-Identifier: BSD-3-Clause
#include "field.hpp"

namespace jacobi3d {
namespace {

constexpr std::int64_t line = 64 / sizeof(double);

}  // namespace

field::field(const extents& n, int place)
    : n_(n),
      memory_({n[axis::x], n[axis::y], n[axis::z], 1}, {1, 1, 1, 0}, sizeof(double), place),
      stride_y_(memory_.strides()[1]),
      stride_z_(memory_.strides()[2]),
      origin_(reinterpret_cast<double*>(memory_.first())) {
  // The first row has its ghost at -1 on a cache line of its own.
  base_ = origin_ - stride_z_ - stride_y_ - line;
}

}  // namespace jacobi3d
