// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix times a vector: each rank lists the columns that its rows name, fetches those
// elements, and in the product with the transpose adds its contributions to them.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::axis, plait::box, plait::point, plait::view;

constexpr std::int64_t n = 1000;
constexpr std::int64_t per_row = 3;  // entries of a row, all 1
constexpr int times = 3;

std::int64_t column(std::int64_t row, std::int64_t k) {
  return (row * 7 + k * k * 331) % n;
}

void multiply(std::span<const double> fetched, view<double, 1> y) {
  const double* next = fetched.data();
  for_each_cell(y.cells(), [&](const point<1>& row) {
    y[row] = 0;
    for (std::int64_t k = 0; k < per_row; ++k) y[row] += *next++;
  });
}

void spread(view<const double, 1> y, std::span<double> contributions) {
  double* next = contributions.data();
  for_each_cell(y.cells(), [&](const point<1>& row) {
    for (std::int64_t k = 0; k < per_row; ++k) *next++ = y[row] / (per_row * per_row);
  });
}

void clear(view<double, 1> x) {
  for_each_cell(x.cells(), [&](const point<1>& cell) { x[cell] = 0; });
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const auto rows = plait::decompose<1>({.global = n}, env.size());
  plait::block_array<double, 1> x{rows, env.rank()}, y{rows, env.rank()};
  const int id = env.rank();  // one block a rank
  for_each_cell(rows.block(id), [&](const point<1>& cell) {
    x.block(id)[cell] = static_cast<double>(cell[axis::x] % 97);
  });

  std::vector<point<1>> columns;  // entry by entry
  for_each_cell(rows.block(id), [&](const point<1>& row) {
    for (std::int64_t k = 0; k < per_row; ++k) columns.push_back(point<1>(column(row[axis::x], k)));
  });
  const plait::index_lists needed{env, rows, columns};  // collective: who sends what to whom
  std::vector<double> values(columns.size());
  const plait::move_plan fetch = plait::gathering(x, needed, values);
  const plait::move_plan add = plait::scatter_adding(values, needed, x);

  // x becomes (A^T A / 9) x, again and again.
  auto step = rt.record([&] {
    rt.move(fetch);
    rt.task("multiply", multiply, plait::in(values), plait::out(y.block(id)));
    rt.task("spread", spread, plait::in(y.block(id)), plait::out(values));
    rt.task("clear", clear, plait::out(x.block(id)));
    rt.move(add);
  });
  rt.replay(step, times).wait();

  std::vector<double> all(env.rank() == 0 ? n : 0);
  rt.move(plait::gathering(x, 0, std::span(all)));
  rt.wait();
  if (env.rank() != 0) return 0;
  double sum = 0;
  for (const double one : all) sum += one;
  std::printf("the elements of x are %.6f on average, the first is %.6f\n",
              sum / static_cast<double>(n), all[0]);
}
