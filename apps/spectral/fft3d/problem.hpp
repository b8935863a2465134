// SPDX-License-Identifier: BSD-3-Clause
/// A field on one rank that is transformed there and back, and the check of what came out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/passes.hpp"
#include "measure/compare/verdict.hpp"

namespace fft3d {

using plait::measure::setting;
using plait::measure::verdict;
using spectral::complex;
using spectral::index;
using spectral::range;

/// The memory of a transform, which all tile factors share.
struct memory {
  explicit memory(const spectral::slabs& shape);
  spectral::field line_side, plane_side, planes;
  /// Large enough for what leaves the planes, too: `ideal` puts there what is not sent.
  spectral::field lines;
  [[nodiscard]] spectral::transpose_buffers buffers() const {
    return {line_side.data(), plane_side.data()};
  }
  [[nodiscard]] spectral::transform_memory all() const {
    return {buffers(), {}, planes.data(), lines.data()};
  }
};

/// `steps` times: transform forward, normalise, transform backward.  Then every cell is what it was
/// before.
///
/// In the isolated setting ranks exchange nothing, and what others would send is 0.  The field then
/// is constant on this rank's planes.  Its transform along x and y is 0 but at wavenumber 0, which
/// the first rank has; elsewhere everything is 0.
class problem {
 public:
  /// Both outlive it.
  problem(const spectral::passes& kernel, memory& where);

  memory& where;

  [[nodiscard]] const spectral::passes& kernel() const noexcept { return kernel_; }
  [[nodiscard]] const spectral::slabs& shape() const noexcept { return kernel_.shape(); }
  /// 1 / size, as `passes::spread_z` takes it.
  [[nodiscard]] const spectral::separable_factors& normalising() const noexcept {
    return normalising_;
  }

  /// Returns what a cell has before the first step.
  [[nodiscard]] complex input(setting how, index x, index y, index z) const noexcept;
  void reset(setting how);
  /// Errors of n transforms there and back: 10 epsilon log2 N each, of the largest value.
  [[nodiscard]] double error_bound(setting how, std::int64_t steps) const noexcept;
  [[nodiscard]] verdict check_closed_form(setting how, std::int64_t steps) const;
  void keep_as_reference();
  [[nodiscard]] verdict check_against_reference() const;

 private:
  const spectral::passes& kernel_;
  spectral::separable_factors normalising_;
  std::vector<complex> reference_;
};

}  // namespace fft3d
