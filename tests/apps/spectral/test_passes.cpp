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
#include "common/pencils.hpp"
#include "support/refusal.hpp"

namespace {

using namespace spectral;
using spectral::index;  // and not the one of <strings.h>

/// The ranks of a job, one after the other.
class job {
 public:
  job(std::array<index, 3> cells, rank_grid grid, index tile) {
    for (int rank = 0; rank < grid.p * grid.q; ++rank)
      ranks_.emplace_back(pencils("--size", cells, grid, rank, tile));
  }

  template <class Value>
  void fill(Value&& value) {
    for (one_rank& r : ranks_)
      for_cells_of_field(r, [&](index x, index y, index z, complex& to) { to = value(x, y, z); });
  }

  /// `pieces`: how many ranges each pass is cut into.
  void forward(index pieces) {
    for (one_rank& r : ranks_)
      for (const range& some : cut(r.grid().own_z(), pieces)) r.kernel.spread_x(r.memory(), some);
    exchange_rows(false);
    for (one_rank& r : ranks_)
      for (int tile = 0; tile < r.kernel.shape().tiles(); ++tile)
        for (const range& some : cut(r.grid().own_z(), pieces))
          r.kernel.spread_y(r.memory(), tile, some);
    exchange_columns(false);
    for (one_rank& r : ranks_)
      for (int tile = 0; tile < r.kernel.shape().tiles(); ++tile)
        for (const range& some : cut(r.kernel.shape().own_y(), pieces))
          r.kernel.gather_z(r.memory(), tile, some);
  }

  void backward(index pieces, const separable_factors* times = nullptr) {
    for (one_rank& r : ranks_) {
      separable_factors own;
      if (times != nullptr) {
        own = *times;
        own.x.assign(times->x.begin() + r.grid().own_x().low,
                     times->x.begin() + r.grid().own_x().high);
      }
      for (int tile = 0; tile < r.kernel.shape().tiles(); ++tile)
        for (const range& some : cut(r.kernel.shape().own_y(), pieces))
          r.kernel.spread_z(r.memory(), tile, some, times != nullptr ? &own : nullptr);
    }
    exchange_columns(true);
    for (one_rank& r : ranks_)
      for (int tile = 0; tile < r.kernel.shape().tiles(); ++tile)
        for (const range& some : cut(r.grid().own_z(), pieces))
          r.kernel.gather_y(r.memory(), tile, some);
    exchange_rows(true);
    for (one_rank& r : ranks_)
      for (const range& some : cut(r.grid().own_z(), pieces)) r.kernel.gather_x(r.memory(), some);
  }

  template <class Value>
  void expect_field(Value&& value, double bound) {
    for (one_rank& r : ranks_)
      for_cells_of_field(r, [&](index x, index y, index z, complex& got) {
        expect_near(x, y, z, value(x, y, z), got, bound);
      });
  }

  template <class Value>
  void expect_lines(Value&& value, double bound) {
    for (one_rank& r : ranks_) {
      const slabs& s = r.kernel.shape();
      const index first = r.grid().own_x().low;
      for (index x = 0; x < s.nx(); ++x)
        for (index y = s.own_y().low; y < s.own_y().high; ++y)
          for (index z = 0; z < s.nz(); ++z)
            expect_near(first + x, y, z, value(first + x, y, z),
                        r.lines.data()[s.line_index(x, y, z)], bound);
    }
  }

 private:
  struct one_rank {
    explicit one_rank(const pencils& shape)
        : kernel(shape, planning::estimated),
          cells(shape.field_size()),
          lines(shape.column().lines_size()),
          line_side(shape.column().line_side_size()),
          plane_side(shape.column().plane_side_size()),
          x_side(shape.x_side_size()),
          y_side(shape.y_side_size()) {}
    passes kernel;
    field cells, lines, line_side, plane_side, x_side, y_side;
    [[nodiscard]] const pencils& grid() const { return kernel.grid(); }
    [[nodiscard]] transform_memory memory() const {
      return {{line_side.data(), plane_side.data()},
              {x_side.data(), y_side.data()},
              cells.data(),
              lines.data()};
    }
  };

  template <class Body>
  static void for_cells_of_field(one_rank& r, Body&& body) {
    const pencils& g = r.grid();
    for (index z = g.own_z().low; z < g.own_z().high; ++z)
      for (index y = g.own_y().low; y < g.own_y().high; ++y)
        for (index x = 0; x < g.nx(); ++x) body(x, y, z, r.cells.data()[g.field_index(x, y, z)]);
  }

  static void expect_near(index x, index y, index z, complex expected, complex got, double bound) {
    EXPECT_LE(std::abs(got - expected), bound)
        << "cell (" << x << ", " << y << ", " << z << "): expected " << expected << ", got " << got;
  }

  /// From `one` to `two`, or back.
  static void copy(complex* one, complex* two, index size, bool back) {
    if (back) {
      std::copy_n(two, size, one);
    } else {
      std::copy_n(one, size, two);
    }
  }

  void exchange_columns(bool to_planes) {
    for (one_rank& lines : ranks_) {
      const slabs& a = lines.kernel.shape();
      for (int peer = 0; peer < a.ranks(); ++peer) {
        if (peer == a.rank()) continue;  // a rank's own chunk does not travel
        one_rank& planes = ranks_[static_cast<std::size_t>(lines.grid().rank_in_column(peer))];
        const slabs& b = planes.kernel.shape();
        for (int tile = 0; tile < a.tiles(); ++tile) {
          const index size = a.line_side_size(peer, tile);
          ASSERT_EQ(size, b.plane_side_size(a.rank(), tile));
          copy(lines.line_side.data() + a.line_side_offset(peer, tile),
               planes.plane_side.data() + b.plane_side_offset(a.rank(), tile), size, !to_planes);
        }
      }
    }
  }

  void exchange_rows(bool to_field) {
    for (one_rank& of_y : ranks_) {
      const pencils& a = of_y.grid();
      for (int peer = 0; peer < a.grid().p; ++peer) {
        if (peer == a.p()) continue;
        one_rank& of_x = ranks_[static_cast<std::size_t>(a.rank_in_row(peer))];
        const pencils& b = of_x.grid();
        ASSERT_EQ(a.row_tiles(), b.row_tiles());
        for (int tile = 0; tile < a.row_tiles(); ++tile) {
          const range z = a.z_of(tile);
          ASSERT_EQ(z.low, b.z_of(tile).low);
          const index size = z.size() * a.y_side_plane(peer);
          ASSERT_EQ(size, z.size() * b.x_side_plane(a.p()));
          copy(of_y.y_side.data() + a.y_side_offset(peer, z.low),
               of_x.x_side.data() + b.x_side_offset(a.p(), z.low), size, !to_field);
        }
      }
    }
  }

  std::vector<one_rank> ranks_;
};

struct shape_case {
  std::array<index, 3> cells;
  rank_grid grid;
  index tile;
};
const std::vector<shape_case> shapes{
    {{7, 5, 3}, {1, 1}, 7},    {{7, 5, 3}, {1, 3}, 2},      {{8, 4, 4}, {1, 4}, 8},
    {{31, 29, 23}, {1, 5}, 8}, {{60, 45, 35}, {1, 3}, 16},  {{1, 7, 5}, {1, 2}, 1},
    {{256, 3, 4}, {1, 3}, 24}, {{8, 8, 8}, {2, 2}, 2},      {{60, 45, 35}, {2, 3}, 16},
    {{31, 29, 23}, {4, 2}, 5}, {{13, 17, 11}, {3, 3}, 4},   {{5, 9, 1}, {4, 1}, 8},
    {{3, 6, 4}, {3, 2}, 1},    {{256, 24, 12}, {2, 4}, 24}, {{40, 20, 64}, {2, 1}, 8}};

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
  for (const rank_grid grid :
       {rank_grid{1, 1}, rank_grid{1, 2}, rank_grid{1, 3}, rank_grid{2, 3}, rank_grid{5, 1}}) {
    job all(n, grid, 3);
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
    job all(c.cells, c.grid, c.tile);
    all.fill(value_of);
    all.forward(3);
    all.backward(2);
    const double n = cells_of(c);
    all.expect_field([&](index x, index y, index z) { return n * value_of(x, y, z); },
                     n * 10 * 0x1p-52 * (1 + std::log2(n)));
  }
}

TEST(transform, of_a_delta_is_one_everywhere) {
  for (const shape_case& c : shapes) {
    job all(c.cells, c.grid, c.tile);
    all.fill([](index x, index y, index z) { return x + y + z == 0 ? 1.0 : 0.0; });
    all.forward(1);
    all.expect_lines([](index, index, index) { return 1.0; }, 1e-14);
  }
}

TEST(transform, of_a_plane_wave_is_one_spike_at_its_wavenumber) {
  for (const shape_case& c : shapes) {
    const auto [nx, ny, nz] = c.cells;
    const std::array<index, 3> k{2 % nx, 1 % ny, 3 % nz};
    job all(c.cells, c.grid, c.tile);
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
    job all(c.cells, c.grid, c.tile);
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

TEST(pencils, need_cells_for_the_ranks_that_share_an_axis) {
  using plait::test::refusal;
  const auto refused = [](std::array<index, 3> cells, rank_grid grid) {
    return refusal([&] { (void)pencils("--class", cells, grid, 0, 8); });
  };
  EXPECT_EQ(refused({60, 45, 1}, {2, 1}), "accepted");
  EXPECT_EQ(refused({60, 45, 1}, {2, 2}),
            "--class 60x45x1 has too few cells for 2x2 ranks: x and y need 2 each, y and z 2");
  EXPECT_NE(refused({3, 45, 45}, {4, 1}), "accepted");
  EXPECT_NE(refused({45, 3, 45}, {2, 4}), "accepted");
}

TEST(pencils, are_chosen_near_a_square_where_the_axes_have_cells) {
  using plait::test::refusal;
  const auto chosen = [](std::array<index, 3> cells, int ranks, rank_grid wanted = {0, 0}) {
    return choose_pencils("--class", cells, ranks, wanted);
  };
  EXPECT_EQ(chosen({64, 64, 64}, 4), (rank_grid{2, 2}));
  EXPECT_EQ(chosen({64, 64, 64}, 6), (rank_grid{2, 3}));
  EXPECT_EQ(chosen({64, 64, 64}, 12), (rank_grid{3, 4}));
  EXPECT_EQ(chosen({64, 64, 64}, 5), (rank_grid{1, 5}));
  EXPECT_EQ(chosen({64, 64, 2}, 6), (rank_grid{3, 2}));
  EXPECT_EQ(chosen({60, 45, 1}, 4), (rank_grid{4, 1}));
  EXPECT_EQ(chosen({64, 64, 64}, 12, {6, 0}), (rank_grid{6, 2}));
  EXPECT_EQ(chosen({64, 64, 64}, 12, {0, 12}), (rank_grid{1, 12}));
  EXPECT_EQ(refusal([&] {
              (void)chosen({64, 64, 64}, 6, {4, 0});
            }),
            "--grid is 4x0, which 6 ranks cannot form");
  EXPECT_EQ(refusal([&] {
              (void)chosen({64, 64, 64}, 6, {2, 2});
            }),
            "--grid is 2x2, which 6 ranks cannot form");
  EXPECT_EQ(refusal([&] {
              (void)chosen({60, 1, 45}, 4);
            }),
            "--class 60x1x45 has too few cells for 4 ranks in pencils PxQ: x and y need P each, y "
            "and z Q");
}

TEST(a_rows_transpose, has_tiles_of_all_planes_and_chunks_that_do_not_overlap) {
  for (const shape_case& c : shapes)
    for (int rank = 0; rank < c.grid.p * c.grid.q; ++rank) {
      const pencils g("--size", c.cells, c.grid, rank, c.tile);
      EXPECT_EQ(g.row_tiles() == 0, g.are_slabs());
      index z = g.own_z().low;
      for (int tile = 0; tile < g.row_tiles(); ++tile) {
        EXPECT_EQ(g.z_of(tile).low, z);
        z = g.z_of(tile).high;
      }
      if (g.are_slabs()) continue;
      EXPECT_EQ(z, g.own_z().high);
      index x_side = 0;
      index y_side = 0;
      for (int peer = 0; peer < c.grid.p; ++peer)
        for (index plane = g.own_z().low; plane < g.own_z().high; ++plane) {
          EXPECT_EQ(g.x_side_offset(peer, plane), x_side);
          EXPECT_EQ(g.y_side_offset(peer, plane), y_side);
          x_side += g.x_side_plane(peer);
          y_side += g.y_side_plane(peer);
        }
      EXPECT_EQ(x_side, g.x_side_size());
      EXPECT_EQ(y_side, g.y_side_size());
    }
}

TEST(tiles, have_each_x_once_and_chunks_do_not_overlap) {
  for (const shape_case& c : shapes)
    for (int rank = 0; rank < c.grid.p * c.grid.q; ++rank) {
      const pencils g("--size", c.cells, c.grid, rank, c.tile);
      const slabs& s = g.column();
      index x = 0;
      for (int tile = 0; tile < s.tiles(); ++tile) {
        EXPECT_EQ(s.x_of(tile).low, x);
        x = s.x_of(tile).high;
      }
      EXPECT_EQ(x, g.own_x().size());
      index line_side = 0;
      index plane_side = 0;
      for (int peer = 0; peer < c.grid.q; ++peer)
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
