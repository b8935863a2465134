// SPDX-License-Identifier: BSD-3-Clause
/// Describes what was measured: counts by ray, or a list of events, in subsets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "ray_source.hpp"

namespace osem {

/// Holds what was measured along one ray: counts, or one event.
struct measurement {
  std::uint32_t ray = 0;
  double y = 0;
};

/// A scan, the same on every rank.
struct scan {
  std::shared_ptr<const ray_source> rays;
  std::vector<double> counts;      ///< by ray
  std::vector<double> background;  ///< s, by ray
  std::vector<double> truth;       ///< the image that was measured, where it is known
  int subsets = 1;
  bool is_list = false;               ///< one measurement an event
  std::vector<std::uint32_t> events;  ///< of a list: the ray of each event, in order

  /// Measurements of a subset.  Of counts: view v belongs to subset v mod K; of a list: event e to
  /// subset e mod K.
  [[nodiscard]] std::int64_t size_of(int subset) const noexcept;
  [[nodiscard]] measurement at(int subset, std::int64_t index) const noexcept;
  /// Counts of the subset that has most.
  [[nodiscard]] double most_counts() const noexcept;
};

/// Parameters of a scan of the phantom.
struct simulation {
  double counts = 0;      ///< expected in all, with Poisson noise; 0: the projections themselves
  double background = 0;  ///< expected on each ray besides
  std::int64_t seed = 1;
};

/// Scans the Shepp-Logan phantom.  Ranks share the work.  Collective.
[[nodiscard]] scan scan_phantom(plait::environment& env, std::shared_ptr<const ray_source> rays,
                                const simulation& how);

/// Takes each count as an event, in an order that the seed decides.  Errors: usage_error where
/// counts are no whole numbers, or more than 2^31.
void make_list(scan& of, std::int64_t seed);

/// Errors: usage_error, named after `option`, for a sinogram of another size than the rays, and for
/// numbers that are negative or not finite.
void check_numbers(const std::string& option, const std::vector<double>& values, std::int64_t rays);

}  // namespace osem
