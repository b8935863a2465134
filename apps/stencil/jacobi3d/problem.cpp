// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <utility>

namespace jacobi3d {

// Arrays that are made one after another begin at different places in a page: so the three that a
// sweep reads and writes together.
problem::problem(domain of, int rank)
    : known_problem(std::move(of), rank, 1),
      u(whole().blocks(), rank),
      v(whole().blocks(), rank),
      b(whole().blocks(), rank),
      stores_(stores_for(cells())) {}

void problem::relax(const box& some) {
  jacobi3d::relax(block(u), block(b), v[some], stores_);
}

void problem::reset(setting how) {
  u.set_zero();
  v.set_zero();
  set_right_hand_side(how);
}

void problem::for_each_row(const visitor& visit) const {
  plait::stencil::for_each_cell_row(block(u), cells(), visit);
}

double* problem::right_hand_side(const plait::stencil::cell_row& row) {
  return block(b).at(row.first);
}

}  // namespace jacobi3d
