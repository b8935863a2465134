// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "osem/kernel.hpp"
#include "osem/phantom.hpp"
#include "osem/ray_source.hpp"
#include "osem/scan.hpp"
#include "osem/serial.hpp"
#include "osem/siddon.hpp"

namespace {

using namespace osem;

std::vector<double> dense(const ray_source& rays) {
  const auto pixels = static_cast<std::size_t>(rays.grid().size());
  std::vector<double> a(static_cast<std::size_t>(rays.rays()) * pixels);
  std::vector<crossing> row;
  for (std::int64_t i = 0; i < rays.rays(); ++i) {
    row.clear();
    rays.append_row(i, row);
    for (const crossing& one : row)
      a[static_cast<std::size_t>(i) * pixels + one.pixel] += one.length;
  }
  return a;
}

std::vector<std::vector<double>> sensitivity_of(const scan& what) {
  std::vector<std::vector<double>> all;
  std::vector<crossing> row;
  for (int k = 0; k < what.subsets; ++k) {
    std::vector<double> one(static_cast<std::size_t>(what.rays->grid().size()));
    for (std::int64_t i = 0; i < (what.is_list ? what.rays->rays() : what.size_of(k)); ++i) {
      row.clear();
      what.rays->append_row(what.is_list ? i : what.at(k, i).ray, row);
      for (const crossing& c : row) one[c.pixel] += c.length / (what.is_list ? what.subsets : 1);
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// Counts along the rays of an image that has no symmetry, all of it positive or as given.
scan scan_of(std::shared_ptr<const ray_source> rays, int subsets, std::vector<double> image = {}) {
  scan result;
  result.rays = std::move(rays);
  const auto pixels = static_cast<std::size_t>(result.rays->grid().size());
  if (image.empty())
    for (std::size_t j = 0; j < pixels; ++j)
      image.push_back(1 + std::fmod(0.37 * static_cast<double>(j), 2));
  std::vector<crossing> row;
  for (std::int64_t i = 0; i < result.rays->rays(); ++i) {
    row.clear();
    result.rays->append_row(i, row);
    double sum = 0;
    for (const crossing& c : row) sum += c.length * image[c.pixel];
    result.counts.push_back(std::floor(3 * sum));
  }
  result.background.assign(result.counts.size(), 0);
  result.subsets = subsets;
  return result;
}

struct history {
  std::vector<quality> found;
  std::vector<double> image;
};

history reconstruct(const scan& what, int steps) {
  history result;
  const serial_start from{
      std::vector<double>(static_cast<std::size_t>(what.rays->grid().size()), 1.0),
      sensitivity_of(what)};
  result.image = reconstruct_serially(
      what, from, steps, [&](const serial_iteration& one) { result.found.push_back(one.found); });
  return result;
}

/// The formula as it stands, with a dense matrix and sums of floating-point numbers.
std::vector<double> reconstruct_densely(const scan& what, int steps) {
  const std::vector<double> a = dense(*what.rays);
  const auto pixels = static_cast<std::size_t>(what.rays->grid().size());
  std::vector<double> x(pixels, 1.0);
  for (int step = 0; step < steps; ++step) {
    const int k = step % what.subsets;
    std::vector<double> back(pixels), ones(pixels);
    for (std::int64_t i = 0; i < what.size_of(k); ++i) {
      const measurement one = what.at(k, i);
      const double* row = &a[one.ray * pixels];
      const double expected =
          std::inner_product(x.begin(), x.end(), row, 0.0) + what.background[one.ray];
      for (std::size_t j = 0; j < pixels; ++j) {
        ones[j] += row[j];
        if (one.y > 0 && expected > 0) back[j] += row[j] * one.y / expected;
      }
    }
    for (std::size_t j = 0; j < pixels; ++j)
      if (ones[j] > 0) x[j] = x[j] / ones[j] * back[j];
  }
  return x;
}

double counts_of(const scan& what, int subset) {
  double sum = 0;
  for (std::int64_t i = 0; i < what.size_of(subset); ++i) sum += what.at(subset, i).y;
  return sum;
}

TEST(siddon, cuts_a_line_as_clipping_it_at_every_voxel_does) {
  const image_grid grid{{5, 4, 3}};
  const std::vector<point> directions{{1, 0, 0},     {0, -1, 0},          {0, 0, 1},
                                      {0.6, 0.8, 0}, {-0.48, 0.64, -0.6}, {0.36, -0.48, 0.8}};
  for (const point& d : directions)
    for (double shift = -3.3; shift < 3.5; shift += 0.37) {
      const ray line{{shift, 0.31 * shift + 0.123, 0.2 - 0.4 * shift}, d};
      std::vector<crossing> row;
      trace(grid, line, row);
      std::vector<double> got(60);
      for (const crossing& one : row) got[one.pixel] += one.length;
      for (std::size_t j = 0; j < 60; ++j) {
        const std::array<std::size_t, 3> cell{j % 5, j / 5 % 4, j / 20};
        double from = -1e9, to = 1e9;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double low = grid.low(axis) + static_cast<double>(cell[axis]);
          if (d[axis] == 0) {
            if (line.through[axis] < low || line.through[axis] >= low + 1) to = from;
            continue;
          }
          const double a = (low - line.through[axis]) / d[axis],
                       b = (low + 1 - line.through[axis]) / d[axis];
          from = std::max(from, std::min(a, b));
          to = std::min(to, std::max(a, b));
        }
        EXPECT_NEAR(got[j], std::max(0.0, to - from), 1e-12)
            << "shift " << shift << ", voxel " << j;
      }
    }
}

TEST(siddon, never_falls_along_the_slowest_axis) {
  for (const image_grid& grid : {image_grid{{6, 7, 1}}, image_grid{{4, 4, 4}}}) {
    const auto rays = make_parallel_beam(grid, {.angles = 9, .tilts = grid.cells[2] > 1 ? 3 : 1});
    const std::int64_t layer = grid.size() / grid.cells[grid.slowest_axis()];
    std::vector<crossing> row;
    for (std::int64_t i = 0; i < rays->rays(); ++i) {
      row.clear();
      rays->append_row(i, row);
      EXPECT_TRUE(
          std::ranges::is_sorted(row, {}, [&](const crossing& c) { return c.pixel / layer; }))
          << "ray " << i;
    }
  }
}

TEST(parallel_beam, sees_all_of_the_image_from_each_angle) {
  const auto rays = make_parallel_beam({{16, 16, 1}}, {.angles = 7});
  std::vector<crossing> row;
  for (std::int64_t view = 0; view < rays->views(); ++view) {
    row.clear();
    for (std::int64_t bin = 0; bin < rays->rays_of_a_view(); ++bin)
      rays->append_row(view * rays->rays_of_a_view() + bin, row);
    double sum = 0;
    for (const crossing& one : row) sum += one.length;
    // Lines 1 apart integrate an area but for its edge.
    EXPECT_NEAR(sum, 256, 8) << "view " << view;
  }
}

TEST(the_phantom, is_a_head) {
  const image_grid grid{{64, 64, 1}};
  const std::vector<double> image = shepp_logan(grid);
  EXPECT_DOUBLE_EQ(image[0], 0);
  EXPECT_NEAR(image[32 * 64 + 32], 0.2, 1e-12);  // brain
  EXPECT_NEAR(image[60 * 64 + 32], 1.0, 1e-12);  // skull
  EXPECT_TRUE(std::ranges::all_of(image, [](double v) { return v >= 0; }));
}

TEST(osem, agrees_with_the_formula_on_a_dense_matrix) {
  for (const image_grid& grid : {image_grid{{12, 12, 1}}, image_grid{{6, 5, 4}}})
    for (const int subsets : {1, 3, 5}) {
      scan what = scan_of(
          make_parallel_beam(grid, {.angles = 10, .tilts = grid.cells[2] > 1 ? 2 : 1}), subsets);
      for (const double s : {0.0, 0.7}) {
        what.background.assign(what.counts.size(), s);
        const std::vector<double> got = reconstruct(what, 3 * subsets + 1).image;
        const std::vector<double> expected = reconstruct_densely(what, 3 * subsets + 1);
        const double largest = *std::ranges::max_element(expected);
        for (std::size_t j = 0; j < got.size(); ++j)
          EXPECT_NEAR(got[j], expected[j], 1e-10 * largest) << subsets << " subsets, pixel " << j;
      }
    }
}

TEST(osem, with_one_subset_never_loses_likelihood) {
  for (const double s : {0.0, 2.0}) {
    scan what = scan_of(make_parallel_beam({{16, 16, 1}}, {.angles = 12}), 1);
    what.background.assign(what.counts.size(), s);
    const std::vector<quality> found = reconstruct(what, 30).found;
    ASSERT_EQ(found.size(), 31U);
    for (std::size_t i = 1; i < found.size(); ++i)
      EXPECT_GE(found[i].log_likelihood,
                found[i - 1].log_likelihood - 1e-12 * std::abs(found[i - 1].log_likelihood));
    EXPECT_GT(found.back().log_likelihood, found.front().log_likelihood);
  }
}

TEST(osem, without_background_keeps_the_counts_of_the_last_subset) {
  const scan what = scan_of(make_parallel_beam({{16, 16, 1}}, {.angles = 13}), 4);
  for (int steps = 1; steps <= 8; ++steps) {
    const std::vector<double> x = reconstruct(what, steps).image;
    const int last = (steps - 1) % what.subsets;
    const std::vector<double> sensitivity = sensitivity_of(what)[static_cast<std::size_t>(last)];
    const double seen = std::inner_product(x.begin(), x.end(), sensitivity.begin(), 0.0);
    EXPECT_NEAR(seen / counts_of(what, last), 1, 1e-12) << steps << " updates";
  }
}

TEST(osem, of_a_list_in_one_subset_is_that_of_its_counts) {
  scan what = scan_of(make_parallel_beam({{10, 10, 1}}, {.angles = 8}), 1);
  const std::vector<double> binned = reconstruct(what, 4).image;
  make_list(what, 7);
  EXPECT_EQ(static_cast<double>(what.events.size()), counts_of(what, 0));
  const std::vector<double> listed = reconstruct(what, 4).image;
  for (std::size_t j = 0; j < binned.size(); ++j) EXPECT_NEAR(listed[j], binned[j], 1e-10 * 3);
}

TEST(osem, takes_more_subsets_than_angles) {
  const scan what = scan_of(make_parallel_beam({{8, 8, 1}}, {.angles = 3}), 5);
  EXPECT_EQ(what.size_of(2), what.rays->rays_of_a_view());
  EXPECT_EQ(what.size_of(3), 0);
  EXPECT_EQ(reconstruct(what, 5).image,
            reconstruct(what, 3).image);  // empty subsets change nothing
}

TEST(osem, takes_angles_that_subsets_do_not_divide) {
  const scan what = scan_of(make_parallel_beam({{8, 8, 1}}, {.angles = 7}), 3);
  std::vector<int> seen(static_cast<std::size_t>(what.rays->rays()));
  for (int k = 0; k < 3; ++k)
    for (std::int64_t i = 0; i < what.size_of(k); ++i) ++seen[what.at(k, i).ray];
  EXPECT_EQ(std::ranges::count(seen, 1), std::ssize(seen));
}

TEST(osem, finds_the_activity_of_a_single_pixel) {
  const scan what = scan_of(make_parallel_beam({{1, 1, 1}}, {.angles = 1}), 1, {2.0});
  const std::vector<double> x = reconstruct(what, 1).image;
  ASSERT_EQ(x.size(), 1U);
  double counts = counts_of(what, 0), length = 0;
  std::vector<crossing> row;
  for (std::int64_t i = 0; i < what.rays->rays(); ++i) what.rays->append_row(i, row);
  for (const crossing& one : row) length += one.length;
  EXPECT_NEAR(x[0], counts / length, 1e-12 * counts);
}

TEST(osem, leaves_pixels_that_no_ray_sees_and_counts_that_none_explain) {
  plait::imaging::sparse_matrix a{3, 3, {0, 1, 2, 2}, {0, 1}, {1.0, 2.0}};
  scan what;
  what.rays = make_matrix({{3, 1, 1}}, 1, std::move(a));
  what.counts = {5, 0, 7};  // the last ray sees nothing, and pixel 2 is seen by none
  what.background.assign(3, 0);
  const history h = reconstruct(what, 2);
  EXPECT_EQ(h.image, (std::vector<double>{5, 0, 1}));
  EXPECT_EQ(h.found.back().unexplained, 7);
}

TEST(sums, of_quanta_hold_all_counts) {
  for (const double largest : {1e-6, 1.0, 3.0, 1e9, 1e15}) {
    const count_scale scale = scale_for(largest);
    EXPECT_EQ(scale.quanta * scale.quantum, 1);
    EXPECT_LE(largest * scale.quanta, std::ldexp(1.0, 61));
    EXPECT_GE(largest * scale.quanta, std::ldexp(1.0, 60));
  }
  EXPECT_EQ(scale_for(0).quanta, 1);
}

}  // namespace
