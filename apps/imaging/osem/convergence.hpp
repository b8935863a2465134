// SPDX-License-Identifier: BSD-3-Clause
/// Convergence of a reconstruction: likelihood, error and picture of each iteration, for the
/// result.
#pragma once

#include <string>
#include <vector>

#include "image_grid.hpp"
#include "measure/base/gather.hpp"
#include "measure/compare/verdict.hpp"
#include "serial.hpp"

namespace osem {

/// Collects what a serial run says, and judges it: with one subset the likelihood never falls.
class convergence {
 public:
  explicit convergence(const scan& what) : what_(what) {}

  void add(const serial_iteration& one);
  [[nodiscard]] plait::measure::verdict check() const;
  /// {"iterations": [{"iteration", "log_likelihood", "unexplained", "error", "picture"}], "truth",
  /// "width", "height", "high"}: pictures are the middle plane, grey from 0 to "high", in base64.
  [[nodiscard]] plait::measure::json to_json(int iterations) const;

 private:
  struct kept {
    int number = 0;
    quality found;
    std::vector<double> plane;
  };
  [[nodiscard]] std::vector<double> middle_plane(const std::vector<double>& image) const;

  const scan& what_;
  std::vector<kept> kept_;
};

/// FNV-1a of an image's bits, as hexadecimal digits: images are equal if these are.
[[nodiscard]] std::string fingerprint(const std::vector<double>& image);

}  // namespace osem
