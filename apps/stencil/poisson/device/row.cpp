// SPDX-License-Identifier: BSD-3-Clause
#include "device/row.hpp"

#include <span>

#include "kernel.hpp"
#include "measure/base/rank_sum.hpp"

namespace poisson {

using plait::device_queue;
using plait::stencil::reads;

void row_by_hand::prepare(problem& p) {
  strips_ = &p.strips();
  faces_ = plait::stencil::faces_of(p.whole().blocks(), p.rank());
  bb_ = plait::measure::sum_over_ranks(communicator_, square(p.block(p.r), p.strips()));
  there_.emplace(p, options_.device);
  there_->load_by_hand(p);
  lanes_.emplace(there_->gpu, there_->pw_lanes.size());
  reduction_ = {};
  make();
}

void row_by_hand::run(problem&, int steps, const step_range& recorded) {
  c_ = coefficients(bb_, {options_.tolerance, steps});
  run_.begin(there().gpu, recorded);
  solve();
  const plait::queue q = queue(device_queue::compute, "catch up");
  const auto& lies = there().lies;
  for (const strip& s : strips())
    there().kernels.catch_up(q, lies.rows(there().p.all(), s.rows).as_const(),
                             lies.rows(there().x.all(), s.rows), c_, s.rows);
  run_.end(static_cast<int>(c_.iterations), false);
}

run_report row_by_hand::finish(problem& p) {
  run_report report = run_.report();
  report.figures["iterations"] = static_cast<double>(c_.iterations);
  report.figures["residual"] = c_.residual_norm();
  report.figures["reduction_s"] = reduction_.seconds();
  unmake();
  there_->fetch_by_hand(p);
  lanes_.reset();
  there_.reset();
  return report;
}

void row_by_hand::turn(device_queue to, const box& rows) {
  const auto& lies = there().lies;
  there().kernels.turn(queue(to, "turn"), lies.rows(there().r.all(), rows).as_const(),
                       lies.rows(there().x.all(), rows), lies.rows(there().p.all(), rows), c_,
                       rows);
}

void row_by_hand::product(device_queue to, std::size_t number) {
  const box& rows = strips()[number].rows;
  const auto& lies = there().lies;
  there().kernels.product(queue(to, "product"),
                          lies.rows(there().p.all(), reads(rows).own).as_const(),
                          lies.rows(there().w.all(), rows),
                          there().pw_lanes.part(number * lanes_of_a_sum, lanes_of_a_sum), c_, rows);
}

void row_by_hand::shorten(device_queue to, std::size_t number) {
  const box& rows = strips()[number].rows;
  const auto& lies = there().lies;
  there().kernels.shorten(queue(to, "shorten"), lies.rows(there().w.all(), rows).as_const(),
                          lies.rows(there().r.all(), rows),
                          there().rr_lanes.part(number * lanes_of_a_sum, lanes_of_a_sum), c_, rows);
}

plait::by_hand::mark row_by_hand::copy_lanes(plait::device_array<double>& of) {
  const plait::queue q = queue(device_queue::to_host, "lanes");
  plait::by_hand::copy<double>(q, of.all().as_const(),
                               std::span<double>(lanes_->data(), lanes_->size()));
  return plait::by_hand::record(q);
}

double row_by_hand::own_sum() const {
  double sum = 0;
  const std::span<const double> all(lanes_->data(), lanes_->size());
  for (std::size_t i = 0; i < all.size(); i += lanes_of_a_sum)
    sum += total_of_lanes(all.subspan(i).first<lanes_of_a_sum>());
  return sum;
}

}  // namespace poisson
