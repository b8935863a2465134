// SPDX-License-Identifier: BSD-3-Clause
#include "plain_mpi.hpp"

#include <numeric>

#include "common/kernel.hpp"
#include "measure/base/rank_sum.hpp"
#include "pieces.hpp"

namespace spmv {

using plait::activity;
void plain_mpi::prepare(problem& p) {
  ghosts_.emplace(communicator_, p.matrix(), p.needed(), p.own(), p.ghosts);
  sums_.resize(p.pieces().size());
}

void plain_mpi::run(problem& p, int steps, const step_range& recorded) {
  watch_.start();
  for (int step = 0; step < steps; ++step) {
    watch_.begin_step(step, recorded);
    multiply(p);
    after_product(p);
  }
  watch_.stop();
}

run_report plain_mpi::finish(problem&) {
  ghosts_.reset();
  return watch_.report();
}

void plain_mpi::multiply_all(problem& p) {
  for (std::size_t i = 0; i < p.pieces().size(); ++i) {
    plait::sparse::multiply(p.matrix(), p.pieces()[i].rows, p.own().data(), p.ghosts.data(),
                            p.y.data());
    add_squares(p, i);
  }
  watch_.lap(activity::compute, "product");
}

void plain_mpi::add_squares(problem& p, std::size_t i) {
  const piece& one = p.pieces()[i];
  const bool needs_own = p.how() == method::cg;
  sums_[i] = first_sum(p.how(), needs_own ? part_of(p.own(), one.rows) : std::span<double>(),
                       part_of(p.y, one.rows));
}

/// Pieces in their order, as tasks add them up too.
double plain_mpi::sum_of_all_pieces() {
  double sum = std::accumulate(sums_.begin(), sums_.end(), 0.0);
  if (solves_ == setting::distributed) sum = plait::measure::sum_over_ranks(communicator_, sum);
  watch_.lap(activity::exposed, "sum");
  return sum;
}

void plain_mpi::after_product(problem& p) {
  const std::span<double> own = p.own();
  use_first_sum(p.how(), sum_of_all_pieces(), p.now);
  if (p.how() == method::cg) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const plait::sparse::row_range& rows = p.pieces()[i].rows;
      sums_[i] = plait::sparse::step(p.now.factor, part_of(own, rows), part_of(p.y, rows),
                                     part_of(p.x, rows), part_of(p.r, rows));
    }
    watch_.lap(activity::compute, "step");
    use_second_sum(sum_of_all_pieces(), p.now);
    plait::sparse::add_to_scaled(p.r, p.now.turn, own);
  } else if (p.is_square()) {
    next_multiplied(p.how(), p.now, p.y, own);
  } else {
    plait::sparse::scale(-1, own, own);
  }
  watch_.lap(activity::compute, "next");
}

}  // namespace spmv
