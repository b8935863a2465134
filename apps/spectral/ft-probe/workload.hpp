// SPDX-License-Identifier: BSD-3-Clause
/// Part of a row that is transformed: the computation scale of the paper's experiments.
#pragma once

#include "common/row_blocks.hpp"

namespace ft_probe {

using spectral::complex;
using spectral::index;
using spectral::range;
using spectral::row_blocks;

/// A row is transformed `times` times, and before that its first `part` elements once.
struct workload {
  index length = 1;  ///< R, of the row
  index times = 0;
  index part = 0;  ///< R' < R; 0: none

  /// Returns the elements that end up transformed, from the first on; the others travel as they
  /// are.
  [[nodiscard]] index transformed() const noexcept { return times > 0 ? length : part; }
  /// Returns the operations, where those of one transform of the row are 1.
  [[nodiscard]] double scale() const;
};

/// Operations of a transform of n elements: 5 n log2 n.
[[nodiscard]] double operations(index n);

/// Returns the workload nearest to `scale` whose lengths have the factors 2, 3, 5 and 7 only.  FFTW
/// transforms others at another speed.  Below 1 this is sections 6.3 to 6.5: the FFT is performed
/// on R' <= R elements of each row.  Above 1, which the paper does not need, the row is transformed
/// again from its input.  Precondition: scale >= 0.
[[nodiscard]] workload workload_of(index length, double scale);

}  // namespace ft_probe
