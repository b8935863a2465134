// SPDX-License-Identifier: BSD-3-Clause
#include "ray_source.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "siddon.hpp"

namespace osem {
namespace {

constexpr double largest_tilt = std::numbers::pi / 6;

class parallel_beam final : public ray_source {
 public:
  parallel_beam(const image_grid& grid, const beam& views) : grid_(grid), beam_(views) {
    const auto [nx, ny, nz] = grid.cells;
    const double across = std::hypot(static_cast<double>(nx), static_cast<double>(ny));
    const double highest = beam_.tilts > 1 ? largest_tilt : 0;
    bins_ = static_cast<std::int64_t>(std::ceil(across));
    rows_ = static_cast<std::int64_t>(
        std::ceil(static_cast<double>(nz) * std::cos(highest) + across * std::sin(highest)));
  }

  [[nodiscard]] const image_grid& grid() const noexcept override { return grid_; }
  [[nodiscard]] std::int64_t views() const noexcept override { return beam_.angles * beam_.tilts; }
  [[nodiscard]] std::int64_t rays_of_a_view() const noexcept override { return bins_ * rows_; }
  [[nodiscard]] double largest_element() const noexcept override { return std::numbers::sqrt3; }

  /// A voxel has volume 1, and all rays of a view lie 1 apart; so they cross 1 of length in it, in
  /// pieces of about two thirds.
  [[nodiscard]] double elements_of_a_row() const noexcept override {
    return 1.6 * static_cast<double>(grid_.size()) / static_cast<double>(rays_of_a_view());
  }

  void append_row(std::int64_t number, std::vector<crossing>& to) const override {
    trace(grid_, line(number), to);
  }

 private:
  [[nodiscard]] ray line(std::int64_t number) const {
    const std::int64_t view = number / rays_of_a_view(), within = number % rays_of_a_view();
    const double azimuth = std::numbers::pi * static_cast<double>(view / beam_.tilts) /
                           static_cast<double>(beam_.angles);
    const double tilt = tilt_of(view % beam_.tilts);
    const double u = middle(within % bins_, bins_), v = middle(within / bins_, rows_);
    const double ca = std::cos(azimuth), sa = std::sin(azimuth);
    const double ct = std::cos(tilt), st = std::sin(tilt);
    return {.through = {-sa * u - ca * st * v, ca * u - sa * st * v, ct * v},
            .direction = {ca * ct, sa * ct, st}};
  }

  [[nodiscard]] double tilt_of(std::int64_t which) const {
    if (beam_.tilts == 1) return 0;
    return largest_tilt *
           (2.0 * static_cast<double>(which) / static_cast<double>(beam_.tilts - 1) - 1.0);
  }

  /// The middle of a bin.
  static double middle(std::int64_t bin, std::int64_t bins) {
    return static_cast<double>(bin) + 0.5 - 0.5 * static_cast<double>(bins);
  }

  image_grid grid_;
  beam beam_;
  std::int64_t bins_ = 1;  ///< across
  std::int64_t rows_ = 1;  ///< of bins
};

class matrix_rows final : public ray_source {
 public:
  matrix_rows(const image_grid& grid, std::int64_t rays_of_a_view,
              plait::imaging::sparse_matrix matrix)
      : grid_(grid), rays_of_a_view_(rays_of_a_view), matrix_(std::move(matrix)) {
    for (const double value : matrix_.value) largest_ = std::max(largest_, value);
  }

  [[nodiscard]] const image_grid& grid() const noexcept override { return grid_; }
  [[nodiscard]] std::int64_t views() const noexcept override {
    return matrix_.rows / rays_of_a_view_;
  }
  [[nodiscard]] std::int64_t rays_of_a_view() const noexcept override { return rays_of_a_view_; }
  [[nodiscard]] double largest_element() const noexcept override { return largest_; }
  [[nodiscard]] double elements_of_a_row() const noexcept override {
    return static_cast<double>(matrix_.value.size()) / static_cast<double>(matrix_.rows);
  }

  void append_row(std::int64_t ray, std::vector<crossing>& to) const override {
    const auto row = static_cast<std::size_t>(ray);
    for (auto i = static_cast<std::size_t>(matrix_.begin[row]);
         i < static_cast<std::size_t>(matrix_.begin[row + 1]); ++i)
      to.push_back({matrix_.column[i], matrix_.value[i]});
  }

 private:
  image_grid grid_;
  std::int64_t rays_of_a_view_;
  plait::imaging::sparse_matrix matrix_;
  double largest_ = 0;
};

}  // namespace

std::unique_ptr<ray_source> make_parallel_beam(const image_grid& grid, const beam& views) {
  PLAIT_EXPECTS(views.angles > 0 && views.tilts > 0, "a view at least");
  return std::make_unique<parallel_beam>(grid, views);
}

std::unique_ptr<ray_source> make_matrix(const image_grid& grid, std::int64_t rays_of_a_view,
                                        plait::imaging::sparse_matrix matrix) {
  const auto wrong = std::ranges::find_if(
      matrix.value, [](double value) { return !(value >= 0) || std::isinf(value); });
  if (wrong != matrix.value.end())
    throw plait::usage_error(fmt::format(
        "--matrix has an element {}; the elements of a system matrix are 0 or more", *wrong));
  if (matrix.columns != grid.size())
    throw plait::usage_error(
        fmt::format("--matrix has {} columns, and the image {} pixels; say --image", matrix.columns,
                    grid.size()));
  if (matrix.rows == 0 || rays_of_a_view < 1 || matrix.rows % rays_of_a_view != 0)
    throw plait::usage_error(fmt::format(
        "--matrix has {} rows, no whole number of views of {} bins", matrix.rows, rays_of_a_view));
  return std::make_unique<matrix_rows>(grid, rays_of_a_view, std::move(matrix));
}

}  // namespace osem
