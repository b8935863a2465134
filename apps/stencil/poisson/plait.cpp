// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Messages, sums and pieces of the vectors say what they read and write;
// nothing else says what overlaps.
#include <memory>
#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "task_variant.hpp"

namespace poisson {
namespace {

using plait::in;
using plait::inout;
using plait::out;

class tasks final : public task_variant {
 public:
  using task_variant::task_variant;

 private:
  void allocate(problem& p) override {
    ghosts_.emplace(env_, p.p, options_.ghosts);
    pw_.assign(3 * p.strips().size(), 0);
    rr_.assign(p.strips().size(), 0);
  }

  void submit_iteration(plait::runtime& rt, problem& on) override {
    const values x = on.block(on.x), r = on.block(on.r), p = on.block(on.p), w = on.block(on.w);
    const std::vector<strip>& strips = on.strips();

    const auto turn_where = [&](bool is_sent) {
      for (const strip& s : strips)
        if (s.is_sent() == is_sent)
          rt.task("turn", turn, in(r[s.rows]), inout(x[s.rows], p[s.rows]), in(c_));
    };
    turn_where(true);  // what is submitted first is sent first
    ghosts_->submit(rt);
    turn_where(false);
    for (std::size_t i = 0; i < strips.size(); ++i)
      for (std::size_t part = 0; part < 3; ++part)
        if (const box& cells = strips[i].parts[part]; !cells.empty())
          rt.task("product", product, in(p[grow(cells)]), out(w[cells], pw_[3 * i + part]), in(c_));
    sum_pw_.submit(rt, pw_, c_, [](coefficients& c, auto pw) { c.step_length(pw[0]); });
    for (std::size_t i = 0; i < strips.size(); ++i)
      rt.task("shorten", shorten, in(w[strips[i].rows]), inout(r[strips[i].rows]), out(rr_[i]),
              in(c_));
    sum_rr_.submit(rt, rr_, c_, [](coefficients& c, auto rr) { c.next_direction(rr[0]); });
  }

  void submit_end(plait::runtime& rt, problem& p) override {
    for (const strip& s : p.strips())
      rt.task("catch up", catch_up, in(p.block(p.p)[s.rows]), inout(p.block(p.x)[s.rows]), in(c_));
  }

  std::optional<plait::stencil::ghost_tasks> ghosts_;
  std::vector<double> pw_;  ///< by strip and part
  std::vector<double> rr_;  ///< by strip
  plait::measure::sum_tasks sum_pw_{env_, "sum p·w"};
  plait::measure::sum_tasks sum_rr_{env_, "sum r·r"};
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<tasks>(env, chosen);
}

}  // namespace poisson
