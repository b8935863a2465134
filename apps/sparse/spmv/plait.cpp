// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  The move of what is needed of x and pieces of the product say what they
// read and write; nothing else says what overlaps.  A step is recorded once and replayed.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "common/kernel.hpp"
#include "measure/base/rank_sum.hpp"
#include "measure/compare/task_variant.hpp"
#include "pieces.hpp"
#include "variant.hpp"

namespace spmv {
namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::sparse::row_range;
using values = std::span<double>;
using const_values = std::span<const double>;

// Nobody writes the matrix while there are tasks: they get it as a plain pointer.  Kernels take
// rows of whole vectors, tasks have a piece: its first row is at `y`.

void own_product(const dealt_matrix* a, row_range rows, const_values x, values y) {
  plait::sparse::multiply_own(*a, rows, x.data(), y.data() - rows.first);
}

void own_product_and_sum(const dealt_matrix* a, row_range rows, method how, const_values x,
                         const_values x_of_rows, values y, double& sum) {
  own_product(a, rows, x, y);
  sum = first_sum(how, x_of_rows, y);
}

/// `ghosts` begin at number `first`.
void far_product_and_sum(const dealt_matrix* a, row_range rows, method how, const_values ghosts,
                         std::int64_t first, const_values x_of_rows, values y, double& sum) {
  plait::sparse::add_far(*a, rows, ghosts.data() - first, y.data() - rows.first);
  sum = first_sum(how, x_of_rows, y);
}

void next(method how, const scalars& now, const_values y, values x) {
  next_multiplied(how, now, y, x);
}

void negate(values x) {
  plait::sparse::scale(-1, x, x);
}

/// `sums`: one of each piece.  Vectors are those of the pieces' rows.
void cg_step(const scalars& now, const piece* pieces, const_values p, const_values w, values x,
             values r, values sums) {
  std::size_t done = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto size = static_cast<std::size_t>(pieces[i].rows.size());
    sums[i] = plait::sparse::step(now.factor, p.subspan(done, size), w.subspan(done, size),
                                  x.subspan(done, size), r.subspan(done, size));
    done += size;
  }
}

void cg_turn(const scalars& now, const_values r, values p) {
  plait::sparse::add_to_scaled(r, now.turn, p);
}

/// Pieces that follow each other: those from `first` to `last`, and their rows.
struct run_of_pieces {
  std::size_t first;
  std::size_t last;
  row_range rows;
};

/// Cuts a rank's pieces into at most `count` runs.
///
/// Products of pieces read all of x, so each depends on every task that writes a part of x, and the
/// next such task on each of them.  With a task for each of n pieces that was 2 n² dependences in a
/// step: of 202 pieces 80,000.  One rank then took 87 µs a step more than by hand, with equal times
/// of the products themselves.  Vectors are updated in a few long tasks instead.
std::vector<run_of_pieces> runs_of(const std::vector<piece>& pieces, std::size_t count) {
  std::vector<run_of_pieces> runs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * pieces.size() / count, last = (i + 1) * pieces.size() / count;
    if (first < last)
      runs.push_back({first, last, {pieces[first].rows.first, pieces[last - 1].rows.last}});
  }
  return runs;
}

class tasks final : public plait::measure::task_variant<problem> {
  using task_variant::task_variant;

  plait::measure::task_steps steps_of(problem& p) override {
    fetch_.emplace(
        plait::gathering(p.multiplied, p.needed(), std::span(p.ghosts), {.name = "ghosts"}));
    const std::size_t pieces = p.pieces().size();
    first_parts_.assign(pieces, 0);
    second_parts_.assign(pieces, 0);
    return {.tasks = 8 * pieces + 1024,
            .submit = [this, &p](plait::runtime& rt, int) { submit_step(rt, p); }};
  }

  void submit_step(plait::runtime& rt, problem& p) {
    rt.move(*fetch_);
    submit_product(rt, p);
    sum_.submit(rt, first_parts_, p.now,
                [how = p.how()](scalars& now, auto sums) { use_first_sum(how, sums[0], now); });
    if (p.how() == method::cg) {
      submit_cg(rt, p);
    } else if (p.is_square()) {
      for (const run_of_pieces& one : runs_in(rt, p))
        rt.task("next", next, p.how(), in(p.now), in(part_of(p.y, one.rows)),
                out(part_of(p.own(), one.rows)));
    } else {
      rt.task("negate", negate, inout(p.own()));
    }
  }

  void submit_product(plait::runtime& rt, problem& p) {
    const dealt_matrix* const a = &p.matrix();
    const values x = p.own();
    const auto x_of = [&](const piece& one) {
      return p.how() == method::cg ? part_of(x, one.rows) : values();
    };
    for (std::size_t i = 0; i < p.pieces().size(); ++i) {
      const piece& one = p.pieces()[i];
      if (one.needs.empty()) {
        rt.task("own", own_product_and_sum, a, one.rows, p.how(), in(x), in(x_of(one)),
                out(part_of(p.y, one.rows)), out(first_parts_[i]));
      } else {
        rt.task("own", own_product, a, one.rows, in(x), out(part_of(p.y, one.rows)));
      }
    }
    for (std::size_t i = 0; i < p.pieces().size(); ++i) {
      const piece& one = p.pieces()[i];
      if (one.needs.empty()) continue;
      // Ghosts from the first owner's to the last one's: rows are sorted by their owners.
      const row_range needed{a->ghost_ranges[one.needs.front()].first,
                             a->ghost_ranges[one.needs.back()].last};
      rt.task("far", far_product_and_sum, a, one.rows, p.how(), in(part_of(p.ghosts, needed)),
              needed.first, in(x_of(one)), inout(part_of(p.y, one.rows)), out(first_parts_[i]));
    }
  }

  void submit_cg(plait::runtime& rt, problem& p) {
    for (const run_of_pieces& one : runs_in(rt, p))
      rt.task("step", cg_step, in(p.now), p.pieces().data() + one.first,
              in(part_of(p.own(), one.rows)), in(part_of(p.y, one.rows)),
              inout(part_of(p.x, one.rows)), inout(part_of(p.r, one.rows)),
              out(values(second_parts_).subspan(one.first, one.last - one.first)));
    second_sum_.submit(rt, second_parts_, p.now,
                       [](scalars& now, auto sums) { use_second_sum(sums[0], now); });
    for (const run_of_pieces& one : runs_in(rt, p))
      rt.task("turn", cg_turn, in(p.now), in(part_of(p.r, one.rows)),
              inout(part_of(p.own(), one.rows)));
  }

  /// Returns one for a worker that is alone, else two for each, so that one who comes late costs no
  /// half of the update.
  [[nodiscard]] static std::vector<run_of_pieces> runs_in(const plait::runtime& rt,
                                                          const problem& p) {
    return runs_of(p.pieces(), rt.workers() == 1 ? 1 : 2 * static_cast<std::size_t>(rt.workers()));
  }

  std::optional<plait::move_plan> fetch_;
  std::vector<double> first_parts_, second_parts_;  ///< what each piece adds
  plait::measure::sum_tasks sum_{env_, "sum", {.is_urgent = true}};
  plait::measure::sum_tasks second_sum_{env_, "sum", {.is_urgent = true}};
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<tasks>(env, chosen);
}

}  // namespace spmv
