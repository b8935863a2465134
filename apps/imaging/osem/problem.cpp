// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>

#include "measure/base/gather.hpp"
#include "measure/base/mpi_check.hpp"

namespace osem {
namespace {

using plait::measure::check_mpi;

/// Σ z and Σ y are both exact but for the rounding of addends.
constexpr double counts_tolerance = 1e-12;
constexpr double bytes_per_element = sizeof(std::uint32_t) + sizeof(double);

std::vector<double> as_numbers(const std::vector<std::int64_t>& sums, double quantum) {
  std::vector<double> result(sums.size());
  std::ranges::transform(sums, result.begin(),
                         [&](std::int64_t sum) { return static_cast<double>(sum) * quantum; });
  return result;
}

}  // namespace

problem::problem(plait::environment& env, const scan& what, int slabs, int blocks)
    : env_(env), scan_(what), scale_(scale_for(what.most_counts())) {
  cut_into_slabs(slabs);
  deal_out(blocks);
  const auto pixels = static_cast<std::size_t>(what.rays->grid().size());
  image.resize(pixels);
  credits.resize(pixels);
  std::size_t most = 0;
  for (const auto& subset : blocks_) {
    std::size_t rays = 0;
    for (const ray_block& one : subset) rays += one.size();
    most = std::max(most, rays);
  }
  projection.resize(most);
  ratio.resize(most);
  find_sensitivity();
}

void problem::cut_into_slabs(int slabs) {
  const image_grid& grid = scan_.rays->grid();
  const std::int64_t layers = grid.cells[grid.slowest_axis()];
  const std::int64_t count = std::min<std::int64_t>(slabs, layers);
  for (std::int64_t i = 0; i <= count; ++i)
    slab_begin_.push_back(static_cast<std::size_t>(i * layers / count * (grid.size() / layers)));
}

/// Measurement i of a subset belongs to rank i mod P: neighbouring rays are about as long.
void problem::deal_out(int blocks) {
  blocks_.resize(static_cast<std::size_t>(scan_.subsets));
  paths_.resize(is_list() ? 2 : static_cast<std::size_t>(scan_.subsets));
  for (auto& one : paths_) one.resize(static_cast<std::size_t>(blocks));
  for (int k = 0; k < scan_.subsets; ++k) {
    std::vector<ray_block>& own = blocks_[static_cast<std::size_t>(k)];
    own.resize(static_cast<std::size_t>(blocks));
    const std::int64_t all = scan_.size_of(k);
    const std::int64_t rays =
        std::max<std::int64_t>(0, all - env_.rank() + env_.size() - 1) / env_.size();
    std::size_t first = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      ray_block& to = own[static_cast<std::size_t>(b)];
      to.first = first;
      for (std::int64_t i = b * rays / blocks; i < (b + 1) * rays / blocks; ++i) {
        const measurement one = scan_.at(k, env_.rank() + i * env_.size());
        to.rays.push_back(one.ray);
        to.y.push_back(one.y);
        to.s.push_back(scan_.background[one.ray]);
      }
      first += to.size();
    }
    if (!is_list()) trace(k);
  }
}

void problem::trace(const ray_block& rays, block_paths& to) const {
  to.resize(static_cast<std::size_t>(slabs()));
  for (slab_elements& slab : to) {
    slab.begin.assign(1, 0);
    slab.pixel.clear();
    slab.length.clear();
  }
  std::vector<crossing> row;
  for (const std::uint32_t ray : rays.rays) {
    row.clear();
    scan_.rays->append_row(ray, row);
    auto at = row.begin();
    for (std::size_t s = 0; s < to.size(); ++s) {
      for (; at != row.end() && at->pixel < slab_begin_[s + 1]; ++at) {
        to[s].pixel.push_back(at->pixel - static_cast<std::uint32_t>(slab_begin_[s]));
        to[s].length.push_back(at->length);
      }
      to[s].begin.push_back(static_cast<std::uint32_t>(to[s].pixel.size()));
    }
  }
}

std::vector<std::int64_t> problem::summed_lengths(int subset, const count_scale& scale) const {
  std::vector<std::int64_t> sums(image.size());
  std::vector<crossing> row;
  const auto add = [&](std::int64_t ray) {
    row.clear();
    scan_.rays->append_row(ray, row);
    for (const crossing& one : row) sums[one.pixel] += whole_quanta(one.length * scale.quanta);
  };
  if (is_list()) {  // a list says nothing of rays without an event: all rays, whoever has them
    for (std::int64_t ray = env_.rank(); ray < scan_.rays->rays(); ray += env_.size()) add(ray);
  } else {
    for (const ray_block& block : blocks_[static_cast<std::size_t>(subset)])
      for (const std::uint32_t ray : block.rays) add(ray);
  }
  return sums;
}

void problem::find_sensitivity() {
  const auto rays = static_cast<double>(scan_.rays->rays());
  const count_scale scale = scale_for(rays * std::max(scan_.rays->largest_element(), 1e-300));
  const int different = is_list() ? 1 : scan_.subsets;
  for (int k = 0; k < different; ++k) {
    std::vector<std::int64_t> sums = summed_lengths(k, scale);
    // A subset of a list has its share of all rays' sensitivity.
    const double quantum = is_list() ? scale.quantum / scan_.subsets : scale.quantum;
    own_sensitivity_.push_back(as_numbers(sums, quantum));
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_INT64_T,
                            MPI_SUM, plait::native(env_)),
              "MPI_Allreduce");
    sensitivity_.push_back(as_numbers(sums, quantum));
  }
  for (int k = different; k < scan_.subsets; ++k) {
    own_sensitivity_.push_back(own_sensitivity_.front());
    sensitivity_.push_back(sensitivity_.front());
  }
}

std::span<const double> problem::sensitivity(setting how, int step, int which) const noexcept {
  const auto& of = how == setting::distributed ? sensitivity_ : own_sensitivity_;
  return std::span(of[static_cast<std::size_t>(subset_of(step))])
      .subspan(begin(which), begin(which + 1) - begin(which));
}

void problem::trace(int step) {
  const std::vector<ray_block>& rays = blocks(step);
  std::vector<block_paths>& to = paths(step);
  for (std::size_t b = 0; b < rays.size(); ++b) trace(rays[b], to[b]);
}

void problem::forward_all(int step) {
  for (int s = 0; s < slabs(); ++s) forward_slab(step, s);
}

void problem::forward_slab(int step, int which) {
  const std::vector<ray_block>& rays = blocks(step);
  for (std::size_t b = 0; b < rays.size(); ++b)
    forward(paths(step)[b][static_cast<std::size_t>(which)], slab(image, which),
            part(projection, rays[b]));
}

void problem::compare_all(int step) {
  for (const ray_block& block : blocks(step))
    compare(block.y, block.s, part(projection, block), part(ratio, block), scale_.quanta);
}

void problem::credit_slab(int step, int which) {
  const std::vector<ray_block>& rays = blocks(step);
  std::ranges::fill(slab(credits, which), 0);
  for (std::size_t b = 0; b < rays.size(); ++b)
    credit(paths(step)[b][static_cast<std::size_t>(which)], slab(image, which),
           part(ratio, rays[b]), slab(credits, which));
}

void problem::update_slab(setting how, int step, int which) {
  update(slab(credits, which), sensitivity(how, step, which), scale_.quantum, slab(image, which));
}

std::vector<double> problem::start() const {
  std::vector<double> result(image.size());
  for (const std::vector<double>& one : sensitivity_)
    for (std::size_t j = 0; j < result.size(); ++j)
      if (one[j] > 0) result[j] = 1;
  return result;
}

void problem::reset(setting) {
  image = start();
  std::ranges::fill(credits, 0);
  std::ranges::fill(projection, 0);
  std::ranges::fill(ratio, 0);
}

double problem::error_bound(setting, int) noexcept {
  return counts_tolerance;
}

verdict problem::check_closed_form(setting how, int steps) const {
  double seen = 0, credited = 0;
  bool has_background = false;
  for (const ray_block& block : blocks_[static_cast<std::size_t>(subset_of(steps - 1))])
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (ratio[block.first + i] > 0) seen += block.y[i];
      has_background = has_background || block.s[i] > 0;
    }
  for (const std::int64_t z : credits) credited += static_cast<double>(z) * scale_.quantum;
  if (how == setting::distributed) {
    seen = plait::measure::sum(env_, seen);
    has_background = plait::measure::maximum(env_, has_background ? 1 : 0) > 0;
  }
  verdict result;
  for (const double x : image) result.verified = result.verified && std::isfinite(x) && x >= 0;
  if (!result.verified)
    result.complaint = fmt::format("rank {}: a pixel is no number", env_.rank());
  if (has_background) return result;
  result.max_error = seen > 0 ? std::abs(credited - seen) / seen : credited;
  if (result.max_error > counts_tolerance) {
    result.verified = false;
    result.complaint =
        fmt::format("rank {}: {} counts are credited, of {}", env_.rank(), credited, seen);
  }
  return result;
}

verdict problem::check_against_reference() const {
  for (std::size_t j = 0; j < image.size(); ++j)
    if (std::memcmp(&image[j], &reference_[j], sizeof(double)) != 0)
      return {.verified = false,
              .max_error = std::abs(image[j] - reference_[j]),
              .complaint = fmt::format("rank {}: pixel {} is {}, expected {}", env_.rank(), j,
                                       image[j], reference_[j])};
  return {};
}

double memory_bytes(const scan& what, int ranks) noexcept {
  const auto pixels = static_cast<double>(what.rays->grid().size());
  const double rows = what.is_list ? 2.0 * static_cast<double>(what.events.size()) / what.subsets
                                   : static_cast<double>(what.rays->rays());
  return rows / ranks * what.rays->elements_of_a_row() * bytes_per_element +
         (2.0 * what.subsets + 5) * pixels * sizeof(double) +
         4.0 * static_cast<double>(what.counts.size()) * sizeof(double);
}

}  // namespace osem
