// SPDX-License-Identifier: BSD-3-Clause
#include "scan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/base/mpi_check.hpp"
#include "phantom.hpp"

namespace osem {
namespace {

/// Random bits of one ray: the same for any number of ranks.  [Steele et al. 2014, SplitMix64]
class bits_of_a_ray {
 public:
  using result_type = std::uint64_t;
  bits_of_a_ray(std::int64_t seed, std::int64_t ray)
      : state_(mixed(static_cast<std::uint64_t>(seed)) + static_cast<std::uint64_t>(ray)) {
    state_ = mixed(state_);
  }
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return mixed(state_ += 0x9e3779b97f4a7c15); }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// A x.  Each rank has its share of rays, the others are 0 there, and so the sum over ranks has
/// the bits of the one that is not.
std::vector<double> project(plait::environment& env, const ray_source& rays,
                            const std::vector<double>& image) {
  std::vector<double> projection(static_cast<std::size_t>(rays.rays()));
  std::vector<crossing> row;
  for (std::int64_t ray = env.rank(); ray < rays.rays(); ray += env.size()) {
    row.clear();
    rays.append_row(ray, row);
    double sum = 0;
    for (const crossing& one : row) sum += one.length * image[one.pixel];
    projection[static_cast<std::size_t>(ray)] = sum;
  }
  plait::measure::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, projection.data(), static_cast<int>(projection.size()),
                    MPI_DOUBLE, MPI_SUM, plait::native(env)),
      "MPI_Allreduce");
  return projection;
}

}  // namespace

std::int64_t scan::size_of(int subset) const noexcept {
  const std::int64_t all = is_list ? std::ssize(events) : rays->views();
  const std::int64_t own = (all - subset + subsets - 1) / subsets;
  return is_list ? own : own * rays->rays_of_a_view();
}

measurement scan::at(int subset, std::int64_t index) const noexcept {
  if (is_list) return {events[static_cast<std::size_t>(subset + index * subsets)], 1};
  const std::int64_t bins = rays->rays_of_a_view();
  const std::int64_t ray = (subset + index / bins * subsets) * bins + index % bins;
  return {static_cast<std::uint32_t>(ray), counts[static_cast<std::size_t>(ray)]};
}

double scan::most_counts() const noexcept {
  double most = 0;
  for (int subset = 0; subset < subsets; ++subset) {
    double sum = 0;
    for (std::int64_t i = 0; i < size_of(subset); ++i) sum += at(subset, i).y;
    most = std::max(most, sum);
  }
  return most;
}

scan scan_phantom(plait::environment& env, std::shared_ptr<const ray_source> rays,
                  const simulation& how) {
  scan result;
  result.rays = std::move(rays);
  result.truth = shepp_logan(result.rays->grid());
  result.counts = project(env, *result.rays, result.truth);
  result.background.assign(result.counts.size(), how.background);
  const double seen = std::accumulate(result.counts.begin(), result.counts.end(), 0.0);
  if (how.counts > 0 && seen > 0) {
    const double brightness = how.counts / seen;
    for (double& value : result.truth) value *= brightness;
    for (std::size_t ray = 0; ray < result.counts.size(); ++ray) {
      bits_of_a_ray bits(how.seed, static_cast<std::int64_t>(ray));
      const double expected = result.counts[ray] * brightness + how.background;
      result.counts[ray] =
          expected > 0
              ? static_cast<double>(std::poisson_distribution<std::int64_t>(expected)(bits))
              : 0;
    }
  } else {
    for (double& value : result.counts) value += how.background;
  }
  return result;
}

void make_list(scan& of, std::int64_t seed) {
  double all = 0;
  for (const double y : of.counts) {
    if (y != std::floor(y))
      throw plait::usage_error(fmt::format(
          "--list needs counts that are whole numbers, and one is {}; say --counts", y));
    all += y;
  }
  if (all > static_cast<double>(std::int64_t{1} << 31))
    throw plait::usage_error(fmt::format("--list of {:.3g} events; 2^31 are the most", all));
  for (std::size_t ray = 0; ray < of.counts.size(); ++ray)
    of.events.insert(of.events.end(), static_cast<std::size_t>(of.counts[ray]),
                     static_cast<std::uint32_t>(ray));
  bits_of_a_ray bits(seed, -1);
  for (std::size_t i = of.events.size(); i > 1; --i)
    std::swap(of.events[i - 1], of.events[bits() % i]);  // [Fisher and Yates 1938]
  of.is_list = true;
}

void check_numbers(const std::string& option, const std::vector<double>& values,
                   std::int64_t rays) {
  if (std::ssize(values) != rays)
    throw plait::usage_error(fmt::format("{} has {} numbers, and the system matrix {} rows", option,
                                         values.size(), rays));
  const auto wrong =
      std::ranges::find_if(values, [](double value) { return !(value >= 0) || std::isinf(value); });
  if (wrong != values.end())
    throw plait::usage_error(
        fmt::format("{} has a number {}; counts are 0 or more", option, *wrong));
}

}  // namespace osem
