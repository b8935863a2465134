// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "npb.hpp"
#include "problem.hpp"
#include "support/refusal.hpp"

namespace {

using namespace ft;
using ft::index;  // and not the one of <strings.h>
using plait::test::refusal;

/// NPB's `randlc`: x <- 5^13 x mod 2^46 in halves of 23 bits, all of it in double precision.
double randlc(double& x) {
  constexpr double a = 1220703125;
  const double a1 = std::trunc(0x1p-23 * a);
  const double a2 = a - 0x1p23 * a1;
  const double x1 = std::trunc(0x1p-23 * x);
  const double x2 = x - 0x1p23 * x1;
  const double middle = a1 * x2 + a2 * x1;
  const double z = middle - 0x1p23 * std::trunc(0x1p-23 * middle);
  const double low = 0x1p23 * z + a2 * x2;
  x = low - 0x1p46 * std::trunc(0x1p-46 * low);
  return 0x1p-46 * x;
}

TEST(input, is_npbs_random_sequence_from_the_first_plane_to_the_last) {
  constexpr std::array<index, 3> cells{5, 3, 4};
  constexpr index pitch = 6;
  double x = 314159265;
  const auto next = [&x] { return randlc(x); };
  for (index z = 0; z < cells[2]; ++z) {
    std::vector<complex> plane(pitch * 3);
    fill_rows(cells, {0, 1}, z, pitch, plane.data());
    fill_rows(cells, {1, 3}, z, pitch, plane.data() + pitch);
    for (index y = 0; y < cells[1]; ++y)
      for (index i = 0; i < cells[0]; ++i) {
        const complex got = plane[static_cast<std::size_t>(y * pitch + i)];
        EXPECT_EQ(got.real(), next()) << i << ' ' << y << ' ' << z;
        EXPECT_EQ(got.imag(), next()) << i << ' ' << y << ' ' << z;
      }
  }
}

TEST(evolution, decays_with_the_square_of_the_wavenumber_on_either_side_of_zero) {
  const spectral::separable_factors factors = evolution({8, 5, 1});
  const std::vector<double> of_8{0, 1, 2, 3, -4, -3, -2, -1};
  const std::vector<double> of_5{0, 1, 2, -2, -1};
  const auto expected = [](double k) {
    return std::exp(-4e-6 * std::numbers::pi * std::numbers::pi * k * k);
  };
  for (std::size_t i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(factors.x[i], expected(of_8[i]));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(factors.y[i], expected(of_5[i]));
  EXPECT_EQ(factors.z, std::vector<double>{1.0});
}

TEST(a_serial_run, gives_the_published_checksums) {
  for (const char* name : {"S", "W"}) {
    const problem_class what = parse_class("--class", name);
    const std::vector<complex> published = published_checksums(what.cells);
    const std::vector<complex> got = serial_checksums(what.cells, what.iterations);
    ASSERT_EQ(got.size(), published.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_LE(std::abs((got[i] - published[i]) / published[i]), 1e-12) << name << ' ' << i + 1;
  }
}

TEST(classes, have_as_many_checksums_as_iterations) {
  for (const char* name : {"S", "W", "A", "B", "C"}) {
    const problem_class what = parse_class("--class", name);
    EXPECT_EQ(std::ssize(published_checksums(what.cells)), what.iterations) << name;
  }
}

TEST(a_class, may_be_named_by_its_grid_and_any_other_grid_is_class_U) {
  EXPECT_EQ(parse_class("--class", "256x256x128").name, "A");
  EXPECT_EQ(parse_class("--class", "60x45x35").name, "U");
  EXPECT_EQ(parse_class("--class", "60x45x35").cells, (std::array<index, 3>{60, 45, 35}));
  for (const char* wrong : {"Q", "", "8x8", "8x8x0", "8x8x8x8", "8x-8x8", "8x8x8 "})
    EXPECT_NE(refusal([&] { (void)parse_class("--class", wrong); }).find("--class is '"),
              std::string::npos)
        << wrong;
}

TEST(operations, are_those_by_which_npb_computes_its_rate) {
  // NPB's formula, its logarithm evaluated by hand: ln 2^23 = 15.9423851528787.
  EXPECT_NEAR(operations({256, 256, 128}, 6) / (1 << 23),
              14.8157 + 7.19641 * 15.9423851528787 + 6 * (5.23518 + 7.21113 * 15.9423851528787),
              1e-9);
}

TEST(a_wrong_checksum, is_told_with_its_iteration) {
  const spectral::slabs shape("--class", {9, 8, 7}, 1, 0, 8);
  const spectral::passes kernel(shape, spectral::planning::estimated);
  problem p(kernel, 1, 2);
  p.sums = serial_checksums({9, 8, 7}, 2);
  EXPECT_TRUE(p.check_closed_form(setting::distributed, 2).verified);
  p.sums[1] *= 1 + 1e-11;
  const verdict found = p.check_closed_form(setting::distributed, 2);
  EXPECT_FALSE(found.verified);
  EXPECT_EQ(found.complaint.substr(0, 11), "checksum 2:");
  p.sums[1] = std::nan("");
  EXPECT_FALSE(p.check_closed_form(setting::distributed, 2).verified);
}

TEST(a_plane_with_another_bit, is_not_that_of_base) {
  const spectral::slabs shape("--class", {9, 8, 7}, 1, 0, 8);
  const spectral::passes kernel(shape, spectral::planning::estimated);
  problem p(kernel, 1, 2);
  p.reset(setting::distributed);
  complex* field = p.memory(0).field;
  p.result = field;
  p.keep_as_reference();
  EXPECT_TRUE(p.check_against_reference().verified);
  complex& cell = field[p.grid().field_index(3, 2, 5)];
  cell = {cell.real(), std::nextafter(cell.imag(), 2.0)};
  EXPECT_EQ(p.check_against_reference().complaint, "rank 0, plane z = 5: not the bits of base");
}

TEST(a_plane_in_another_order_of_axes, is_that_of_base_to_rounding) {
  const spectral::slabs shape("--class", {9, 8, 7}, 1, 0, 8);
  const spectral::passes kernel(shape, spectral::planning::estimated);
  problem p(kernel, 1, 2);
  p.reset(setting::distributed);
  complex* field = p.memory(0).field;
  p.result = field;
  p.keep_as_reference();
  p.order_of_base = false;
  complex& cell = field[p.grid().field_index(3, 2, 5)];
  cell *= 1 + 1e-15;
  EXPECT_TRUE(p.check_against_reference().verified);
  std::swap(cell, field[p.grid().field_index(4, 2, 5)]);
  EXPECT_EQ(p.check_against_reference().complaint.substr(0, 33),
            "rank 0, plane z = 5: off base by ");
  std::swap(cell, field[p.grid().field_index(4, 2, 5)]);
  cell = std::nan("");
  EXPECT_FALSE(p.check_against_reference().verified);
  p.reset(setting::distributed);
  EXPECT_TRUE(p.order_of_base);
}

}  // namespace
