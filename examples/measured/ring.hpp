// SPDX-License-Identifier: BSD-3-Clause
/// Heat flows along a ring of rows of cells, a part of it on each rank.  A row starts at
/// sin(2π row / rows); each step multiplies every cell by (1 + cos(2π / rows)) / 2.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "measure/compare/stepwise.hpp"
#include "measure/compare/task_variant.hpp"

using plait::measure::setting;

struct ring {
  int rank, ranks, rows;
  std::size_t columns;
  int above = (rank + ranks - 1) % ranks, below = (rank + 1) % ranks;
  std::vector<double> u = std::vector<double>(columns * (rows + 2ul)), v = u;

  /// Rows [first, last) of an array; 0 and rows + 1 are the neighbours'.
  std::span<double> part(std::vector<double>& of, int first, int last) const {
    return std::span(of).subspan(columns * first, columns * (last - first));
  }
  static void diffuse(std::span<const double> from, std::span<double> to, std::size_t columns) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = 0.25 * (from[i] + 2 * from[i + columns] + from[i + 2 * columns]);
  }
  void diffuse(int first, int last) {
    diffuse(part(u, first - 1, last + 1), part(v, first, last), columns);
  }

  /// Isolated: each rank's rows are a ring of their own, the same work without messages.
  int all_rows(setting how) const { return how == setting::isolated ? rows : ranks * rows; }
  double at_start(setting how, int row) const {
    const int first = how == setting::isolated ? 0 : rank * rows;
    return std::sin(2 * std::numbers::pi * (first + row) / all_rows(how));
  }
  void reset(setting how) {
    for (int row = 0; row <= rows + 1; ++row)
      std::ranges::fill(part(u, row, row + 1), at_start(how, row - 1));
  }
  static double error_bound(setting, int steps) { return (2.0 * steps + 64) * 1.2e-16; }
  plait::measure::verdict check_closed_form(setting how, int steps) {
    const double left = std::pow((1 + std::cos(2 * std::numbers::pi / all_rows(how))) / 2, steps);
    plait::measure::verdict found;
    for (int row = 1; row <= rows; ++row)
      for (const double cell : part(u, row, row + 1))
        found.max_error = std::max(found.max_error, std::abs(cell - left * at_start(how, row - 1)));
    found.verified = found.max_error <= error_bound(how, steps);
    if (!found.verified) found.complaint = std::to_string(found.max_error) + " off";
    return found;
  }
};

using variant = plait::measure::variant<ring>;
std::unique_ptr<variant> make_base(plait::environment& env);
std::unique_ptr<variant> make_ideal();
std::unique_ptr<variant> make_olap(plait::environment& env);
std::unique_ptr<variant> make_plait(plait::environment& env, plait::runtime_options how,
                                    setting solves);
