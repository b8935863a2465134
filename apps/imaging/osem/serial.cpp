// SPDX-License-Identifier: BSD-3-Clause
#include "serial.hpp"

#include <cmath>

#include "kernel.hpp"

namespace osem {
namespace {

double projected(const std::vector<crossing>& row, const std::vector<double>& image) {
  double sum = 0;
  for (const crossing& one : row) sum += one.length * image[one.pixel];
  return sum;
}

/// z of a subset.
std::vector<std::int64_t> credits_of(const scan& what, int subset, const std::vector<double>& image,
                                     double quanta) {
  std::vector<std::int64_t> z(image.size());
  std::vector<crossing> row;
  for (std::int64_t i = 0; i < what.size_of(subset); ++i) {
    const measurement one = what.at(subset, i);
    row.clear();
    what.rays->append_row(one.ray, row);
    const double ratio = ratio_of(one.y, projected(row, image) + what.background[one.ray], quanta);
    if (ratio == 0) continue;
    for (const crossing& c : row) z[c.pixel] += credited(c.length, ratio, image[c.pixel]);
  }
  return z;
}

quality quality_of(const scan& what, const serial_start& from, const std::vector<double>& image) {
  quality result;
  std::vector<crossing> row;
  for (std::int64_t ray = 0; ray < what.rays->rays(); ++ray) {
    const auto at = static_cast<std::size_t>(ray);
    if (what.counts[at] == 0) continue;
    row.clear();
    what.rays->append_row(ray, row);
    const double expected = projected(row, image) + what.background[at];
    if (expected > 0)
      result.log_likelihood += what.counts[at] * std::log(expected);
    else
      result.unexplained += what.counts[at];
  }
  for (const double s : what.background) result.log_likelihood -= s;
  for (std::size_t j = 0; j < image.size(); ++j)  // Σ A x, by pixel
    for (const std::vector<double>& one : from.sensitivity)
      result.log_likelihood -= one[j] * image[j];
  if (what.truth.empty()) return result;
  double difference = 0, norm = 0;
  for (std::size_t j = 0; j < image.size(); ++j) {
    difference += (image[j] - what.truth[j]) * (image[j] - what.truth[j]);
    norm += what.truth[j] * what.truth[j];
  }
  if (norm > 0) result.error = std::sqrt(difference / norm);
  return result;
}

}  // namespace

std::vector<double> reconstruct_serially(const scan& what, const serial_start& from, int steps,
                                         const std::function<void(const serial_iteration&)>& each) {
  const count_scale scale = scale_for(what.most_counts());
  std::vector<double> image = from.image;
  each({0, quality_of(what, from, image), image});
  for (int step = 0; step < steps; ++step) {
    const int k = step % what.subsets;
    update(credits_of(what, k, image, scale.quanta), from.sensitivity[static_cast<std::size_t>(k)],
           scale.quantum, image);
    if (k + 1 == what.subsets || step + 1 == steps)
      each({step / what.subsets + 1, quality_of(what, from, image), image});
  }
  return image;
}

}  // namespace osem
