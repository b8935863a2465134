// SPDX-License-Identifier: BSD-3-Clause
#include "field.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace jacobi3d {
namespace {

constexpr std::int64_t line = 64 / sizeof(double);
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::int64_t small_page = 4096 / sizeof(double);

constexpr std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

field::field(const extents& n) : n_(n) {
  // Both ghosts of a row lie in the padding before the next one: its own at n, the next row's at
  // -1.
  stride_y_ = round_up(n[0] + 2, line);
  // Rows or planes that start at the same offset in a page compete for the same cache sets.
  if (stride_y_ % small_page == 0) stride_y_ += line;
  stride_z_ = stride_y_ * (n[1] + 2) + line;
  if (stride_z_ % small_page == 0) stride_z_ += line;
  bytes_ = static_cast<std::size_t>(stride_z_ * (n[2] + 2) + line) * sizeof(double);
  const std::size_t alignment = bytes_ >= huge_page ? huge_page : 64;
  bytes_ = (bytes_ + alignment - 1) / alignment * alignment;
  base_ = static_cast<double*>(std::aligned_alloc(alignment, bytes_));
  if (base_ == nullptr) throw std::bad_alloc();
  // A 7-point sweep walks five rows at once; advisory, and a machine without them is only slower.
  if (alignment == huge_page) madvise(base_, bytes_, MADV_HUGEPAGE);
  origin_ = base_ + line + stride_y_ + stride_z_;
  set_zero();
}

field::~field() {
  std::free(base_);
}

field::field(field&& other) noexcept
    : n_(other.n_),
      stride_y_(other.stride_y_),
      stride_z_(other.stride_z_),
      bytes_(other.bytes_),
      base_(std::exchange(other.base_, nullptr)),
      origin_(other.origin_) {}

field& field::operator=(field&& other) noexcept {
  std::swap(n_, other.n_);
  std::swap(stride_y_, other.stride_y_);
  std::swap(stride_z_, other.stride_z_);
  std::swap(bytes_, other.bytes_);
  std::swap(base_, other.base_);
  std::swap(origin_, other.origin_);
  return *this;
}

void field::set_zero() noexcept {
  std::memset(base_, 0, bytes_);
}

}  // namespace jacobi3d
