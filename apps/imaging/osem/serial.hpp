// SPDX-License-Identifier: BSD-3-Clause
/// The reconstruction by one process, ray after ray: what all others must give, and how it
/// converges.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "scan.hpp"

namespace osem {

/// Quality of an image: its likelihood, and its distance from the truth.
struct quality {
  /// Σ y log(A x + s) - Σ (A x + s), over rays whose counts something can have sent.
  double log_likelihood = 0;
  /// Counts on the other rays.
  double unexplained = 0;
  /// |x - truth| / |truth|, where that is known.
  std::optional<double> error;
};

/// An image after an iteration.
struct serial_iteration {
  int number = 0;  ///< from 0, the start
  quality found;
  const std::vector<double>& image;
};

/// Holds what a serial run needs beside the scan.
struct serial_start {
  std::vector<double> image;
  std::vector<std::vector<double>> sensitivity;  ///< by subset
};

/// Does `steps` updates, and calls `each` before the first, after every `what.subsets` and after
/// the last.  Returns the image.
[[nodiscard]] std::vector<double> reconstruct_serially(
    const scan& what, const serial_start& from, int steps,
    const std::function<void(const serial_iteration&)>& each);

}  // namespace osem
