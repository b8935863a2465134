// SPDX-License-Identifier: BSD-3-Clause
// The passes of a transform, all ranks in one process: what is exchanged is copied from one rank's
// chunks to another's.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "common/passes.hpp"
#include "support/refusal.hpp"

namespace {

using namespace spectral;
using spectral::index;  // and not the one of <strings.h>

/// The ranks of a job, one after the other.
class job {
 public:
  job(std::array<index, 3> cells, int ranks, index tile) {
    for (int rank = 0; rank < ranks; ++rank) {
      const slabs shape("--size", cells, ranks, rank, tile);
      ranks_.push_back({passes(shape, planning::estimated), field(shape.planes_size()),
                        field(shape.lines_size()), field(shape.line_side_size()),
                        field(shape.plane_side_size())});
    }
  }

  template <class Value>
  void fill(Value&& value) {
    for (one_rank& r : ranks_)
      for_cells_of_planes(r, [&](index x, index y, index z, complex& to) { to = value(x, y, z); });
  }

  /// `pieces`: how many ranges each pass is cut into.
  void forward(index pieces) {
    for (one_rank& r : ranks_) {
      const range z = r.kernel.shape().own_z();
      for (const range& some : cut(z, pieces)) r.kernel.rows(r.planes.data(), some, sign::forward);
      for (int tile = 0; tile < r.kernel.shape().tiles(); ++tile)
        for (const range& some : cut(z, pieces))
          r.kernel.spread_y(r.planes.data(), r.buffers(), tile, some);
    }
    exchange(false);
    for (one_rank& r : ranks_)
      for (int tile = 0; tile < r.kernel.shape().tiles(); ++tile)
        for (const range& some : cut(r.kernel.shape().own_y(), pieces))
          r.kernel.gather_z(r.buffers(), r.lines.data(), tile, some);
  }

  void backward(index pieces, const separable_factors* times = nullptr) {
    for (one_rank& r : ranks_)
      for (int tile = 0; tile < r.kernel.shape().tiles(); ++tile)
        for (const range& some : cut(r.kernel.shape().own_y(), pieces))
          r.kernel.spread_z(r.lines.data(), r.buffers(), tile, some, times);
    exchange(true);
    for (one_rank& r : ranks_) {
      const range z = r.kernel.shape().own_z();
      for (int tile = 0; tile < r.kernel.shape().tiles(); ++tile)
        for (const range& some : cut(z, pieces))
          r.kernel.gather_y(r.buffers(), r.planes.data(), tile, some);
      for (const range& some : cut(z, pieces)) r.kernel.rows(r.planes.data(), some, sign::backward);
    }
  }

  template <class Value>
  void expect_planes(Value&& value, double bound) {
    for (one_rank& r : ranks_)
      for_cells_of_planes(r, [&](index x, index y, index z, complex& got) {
        expect_near(x, y, z, value(x, y, z), got, bound);
      });
  }

  template <class Value>
  void expect_lines(Value&& value, double bound) {
    for (one_rank& r : ranks_) {
      const slabs& s = r.kernel.shape();
      for (index x = 0; x < s.nx(); ++x)
        for (index y = s.own_y().low; y < s.own_y().high; ++y)
          for (index z = 0; z < s.nz(); ++z)
            expect_near(x, y, z, value(x, y, z), r.lines.data()[s.line_index(x, y, z)], bound);
    }
  }

 private:
  struct one_rank {
    passes kernel;
    field planes, lines, line_side, plane_side;
    [[nodiscard]] transpose_buffers buffers() const {
      return {line_side.data(), plane_side.data()};
    }
  };

  template <class Body>
  static void for_cells_of_planes(one_rank& r, Body&& body) {
    const slabs& s = r.kernel.shape();
    for (index z = s.own_z().low; z < s.own_z().high; ++z)
      for (index y = 0; y < s.ny(); ++y)
        for (index x = 0; x < s.nx(); ++x) body(x, y, z, r.planes.data()[s.plane_index(x, y, z)]);
  }

  static void expect_near(index x, index y, index z, complex expected, complex got, double bound) {
    EXPECT_LE(std::abs(got - expected), bound)
        << "cell (" << x << ", " << y << ", " << z << "): expected " << expected << ", got " << got;
  }

  void exchange(bool to_planes) {
    const int ranks = static_cast<int>(ranks_.size());
    for (int a = 0; a < ranks; ++a)
      for (int b = 0; b < ranks; ++b) {
        if (a == b) continue;  // a rank's own chunk does not travel
        one_rank& lines = ranks_[static_cast<std::size_t>(a)];
        one_rank& planes = ranks_[static_cast<std::size_t>(b)];
        for (int tile = 0; tile < lines.kernel.shape().tiles(); ++tile) {
          const index size = lines.kernel.shape().line_side_size(b, tile);
          ASSERT_EQ(size, planes.kernel.shape().plane_side_size(a, tile));
          complex* one = lines.line_side.data() + lines.kernel.shape().line_side_offset(b, tile);
          complex* two =
              planes.plane_side.data() + planes.kernel.shape().plane_side_offset(a, tile);
          if (to_planes) {
            std::copy_n(one, size, two);
          } else {
            std::copy_n(two, size, one);
          }
        }
      }
  }

  std::vector<one_rank> ranks_;
};

struct shape_case {
  std::array<index, 3> cells;
  int ranks;
  index tile;
};
const std::vector<shape_case> shapes{{{7, 5, 3}, 1, 7},    {{7, 5, 3}, 3, 2},     {{8, 4, 4}, 4, 8},
                                     {{31, 29, 23}, 5, 8}, {{60, 45, 35}, 3, 16}, {{1, 7, 5}, 2, 1},
                                     {{256, 3, 4}, 3, 24}};

/// A value of a cell without any pattern.
complex value_of(index x, index y, index z) {
  const double n = static_cast<double>(1 + x + 1009 * y + 9176 * z);
  return {std::sin(n * 1.7), std::cos(n * 0.3)};
}

double cells_of(const shape_case& c) {
  return static_cast<double>(c.cells[0] * c.cells[1] * c.cells[2]);
}

complex root(index numerator, index n) {
  return std::polar(
      1.0, 2 * std::numbers::pi * static_cast<double>(numerator % n) / static_cast<double>(n));
}

TEST(transform, is_the_direct_one) {
  constexpr std::array<index, 3> n{7, 5, 3};
  for (const int ranks : {1, 2, 3}) {
    job all(n, ranks, 3);
    all.fill(value_of);
    all.forward(2);
    const auto direct = [&](index kx, index ky, index kz) {
      complex sum = 0;
      for (index z = 0; z < n[2]; ++z)
        for (index y = 0; y < n[1]; ++y)
          for (index x = 0; x < n[0]; ++x)
            sum += value_of(x, y, z) *
                   std::conj(root(kx * x, n[0]) * root(ky * y, n[1]) * root(kz * z, n[2]));
      return sum;
    };
    all.expect_lines(direct, 1e-13 * 105);
  }
}

TEST(transform, and_its_inverse_give_back_the_input) {
  for (const shape_case& c : shapes) {
    job all(c.cells, c.ranks, c.tile);
    all.fill(value_of);
    all.forward(3);
    all.backward(2);
    const double n = cells_of(c);
    all.expect_planes([&](index x, index y, index z) { return n * value_of(x, y, z); },
                      n * 10 * 0x1p-52 * (1 + std::log2(n)));
  }
}

TEST(transform, of_a_delta_is_one_everywhere) {
  for (const shape_case& c : shapes) {
    job all(c.cells, c.ranks, c.tile);
    all.fill([](index x, index y, index z) { return x + y + z == 0 ? 1.0 : 0.0; });
    all.forward(1);
    all.expect_lines([](index, index, index) { return 1.0; }, 1e-14);
  }
}

TEST(transform, of_a_plane_wave_is_one_spike_at_its_wavenumber) {
  for (const shape_case& c : shapes) {
    const auto [nx, ny, nz] = c.cells;
    const std::array<index, 3> k{2 % nx, 1 % ny, 3 % nz};
    job all(c.cells, c.ranks, c.tile);
    all.fill([&](index x, index y, index z) {
      return root(k[0] * x, nx) * root(k[1] * y, ny) * root(k[2] * z, nz);
    });
    all.forward(2);
    const double n = cells_of(c);
    all.expect_lines(
        [&](index x, index y, index z) { return x == k[0] && y == k[1] && z == k[2] ? n : 0.0; },
        n * 1e-14 * std::log2(n));
  }
}

TEST(factors, multiply_each_wavenumber_by_the_product_of_its_axes_and_stay_in_the_lines) {
  for (const shape_case& c : shapes) {
    separable_factors factors;
    for (const auto& [to, n, seed] :
         {std::tuple(&factors.x, c.cells[0], 2), std::tuple(&factors.y, c.cells[1], 3),
          std::tuple(&factors.z, c.cells[2], 5)})
      for (index i = 0; i < n; ++i) to->push_back(1.0 / static_cast<double>(1 + (i * seed) % 7));
    const auto factor = [&](index x, index y, index z) {
      return factors.x[static_cast<std::size_t>(x)] * factors.y[static_cast<std::size_t>(y)] *
             factors.z[static_cast<std::size_t>(z)];
    };
    // A delta has 1 at every wavenumber.
    job all(c.cells, c.ranks, c.tile);
    all.fill([](index x, index y, index z) { return x + y + z == 0 ? 1.0 : 0.0; });
    all.forward(1);
    all.backward(3, &factors);
    all.expect_lines(factor, 1e-14);
    // What came back, transformed again, has them too, times the size.
    all.forward(2);
    const double n = cells_of(c);
    all.expect_lines([&](index x, index y, index z) { return n * factor(x, y, z); }, n * 1e-13);
  }
}

TEST(slabs, need_a_plane_and_a_line_for_each_rank) {
  using plait::test::refusal;
  const std::array<index, 3> flat{60, 45, 1};
  EXPECT_EQ(refusal([&] { (void)slabs("--class", flat, 2, 0, 8); }),
            "--class 60x45x1 has 1 planes along z for 2 ranks; y and z need at least one for each");
  EXPECT_EQ(refusal([&] { (void)slabs("--class", flat, 1, 0, 8); }), "accepted");
}

TEST(tiles, have_each_x_once_and_chunks_do_not_overlap) {
  for (const shape_case& c : shapes)
    for (int rank = 0; rank < c.ranks; ++rank) {
      const slabs s("--size", c.cells, c.ranks, rank, c.tile);
      index x = 0;
      for (int tile = 0; tile < s.tiles(); ++tile) {
        EXPECT_EQ(s.x_of(tile).low, x);
        x = s.x_of(tile).high;
      }
      EXPECT_EQ(x, s.nx());
      index line_side = 0;
      index plane_side = 0;
      for (int peer = 0; peer < c.ranks; ++peer)
        for (int tile = 0; tile < s.tiles(); ++tile) {
          EXPECT_EQ(s.line_side_offset(peer, tile), line_side);
          EXPECT_EQ(s.plane_side_offset(peer, tile), plane_side);
          line_side += s.line_side_size(peer, tile);
          plane_side += s.plane_side_size(peer, tile);
        }
      EXPECT_EQ(line_side, s.line_side_size());
      EXPECT_EQ(plane_side, s.plane_side_size());
    }
}

}  // namespace
