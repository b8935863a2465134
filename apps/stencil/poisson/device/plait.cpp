// SPDX-License-Identifier: BSD-3-Clause
// Row `device_plait`: the dataflow.  Kernels, messages of the device's memory and sums say what
// they read and write.  In every iteration two sums pass through the host, where alpha and beta are
// made; the kernels that need them are enqueued then.  Row `device_ideal`: its kernels and its sums
// of one rank alone, each block on a problem of its own.
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "common/device/account.hpp"
#include "common/face.hpp"
#include "device/vectors.hpp"
#include "task_variant.hpp"

namespace poisson {
namespace {

using plait::in;
using plait::inout;
using plait::on;
using plait::out;
using plait::stencil::reads;

[[nodiscard]] options with_device(options chosen, const device_options& how) {
  chosen.runtime.devices = {how.gpu};
  return chosen;
}

class plait_row final : public task_variant {
 public:
  plait_row(plait::environment& env, const options& chosen, const device_options& how,
            setting solves)
      : task_variant(env, with_device(chosen, how)), on_(how), solves_(solves) {}
  [[nodiscard]] setting solves() const noexcept override { return solves_; }

 private:
  void allocate(problem& p) override {
    problem_ = &p;
    there_.emplace(p, on_);
    with_runtime([&](plait::runtime& rt) { there_->load(p, rt); });
    lanes_.assign(there_->pw_lanes.size(), 0);
    pw_.assign(3 * p.strips().size(), 0);
    rr_.assign(p.strips().size(), 0);
    faces_ = plait::stencil::faces_of(p.whole().blocks(), p.rank());
    parts_ = plait::stencil::parts_of(on_, there_->lies, faces_);
    edges_ = plait::stencil::parts_of_edges(faces_, parts_);
    if (is_alone()) faces_.clear();
  }

  /// Calls `use` with a runtime that has the device, which belongs to one at a time.
  void with_runtime(const auto& use) {
    plait::runtime rt{env_, {.devices = {on_.gpu}}};
    use(rt);
  }

  void submit_iteration(plait::runtime& rt, problem& p) override {
    const std::vector<strip>& strips = p.strips();
    for (const box& rows : edges_) turn(rt, rows);  // what is sent comes first
    exchange(rt);
    for (const strip& s : strips)
      if (!s.is_sent()) turn(rt, s.rows);
    for (std::size_t i = 0; i < strips.size(); ++i) product(rt, strips[i], i);
    add_up(rt, there_->pw_lanes, pw_, 3);
    sum(rt, sum_pw_, pw_, [alone = is_alone()](coefficients& c, double pw) {
      c.step_length(pw);
      if (alone) c.alpha = slow_alpha;
    });
    for (std::size_t i = 0; i < strips.size(); ++i) shorten(rt, strips[i], i);
    add_up(rt, there_->rr_lanes, rr_, 1);
    sum(rt, sum_rr_, rr_, [alone = is_alone()](coefficients& c, double rr) {
      c.next_direction(rr);
      if (alone) c.beta = slow_beta;
    });
  }

  void exchange(plait::runtime& rt) {
    for (const plait::stencil::face& f : faces_) {
      rt.send("edge", in(there_->lies.message(there_->p.all(), f.edge)), f.peer, f.send_tag())
          .parts(parts_);
      rt.recv("ghost", out(there_->lies.message(there_->p.all(), f.ghost)), f.peer, f.receive_tag())
          .parts(parts_);
    }
  }

  void turn(plait::runtime& rt, const box& rows) {
    const auto& lies = there_->lies;
    rt.task(
        "turn",
        [k = &there_->kernels](plait::queue q, const_span_there r, span_there x, span_there p,
                               const coefficients& c,
                               const box& cells) { k->turn(q, r, x, p, c, cells); },
        on(there_->gpu), in(lies.rows(there_->r.all(), rows)),
        inout(lies.rows(there_->x.all(), rows), lies.rows(there_->p.all(), rows)), in(c_), rows);
  }

  void product(plait::runtime& rt, const strip& s, std::size_t place) {
    const auto& lies = there_->lies;
    const reads needs(s.rows);
    const span_there p = there_->p.all();
    rt.task(
        "product",
        [k = &there_->kernels](plait::queue q, const_span_there, const_span_there own,
                               const_span_there, span_there w, span_there lanes,
                               const coefficients& c,
                               const box& cells) { k->product(q, own, w, lanes, c, cells); },
        on(there_->gpu), in(lies.rows(p, needs.below)), in(lies.rows(p, needs.own)),
        in(lies.rows(p, needs.above)), out(lies.rows(there_->w.all(), s.rows)),
        inout(there_->pw_lanes.part(place * lanes_of_a_sum, lanes_of_a_sum)), in(c_), s.rows);
  }

  void shorten(plait::runtime& rt, const strip& s, std::size_t place) {
    const auto& lies = there_->lies;
    rt.task(
        "shorten",
        [k = &there_->kernels](plait::queue q, const_span_there w, span_there r, span_there lanes,
                               const coefficients& c,
                               const box& cells) { k->shorten(q, w, r, lanes, c, cells); },
        on(there_->gpu), in(lies.rows(there_->w.all(), s.rows)),
        inout(lies.rows(there_->r.all(), s.rows)),
        inout(there_->rr_lanes.part(place * lanes_of_a_sum, lanes_of_a_sum)), in(c_), s.rows);
  }

  /// Makes the strips' sums of their lanes, each `apart` from the next.
  void add_up(plait::runtime& rt, const plait::device_array<double>& there,
              std::vector<double>& sums, int apart) {
    rt.copy("lanes", in(there), out(lanes_));
    rt.task(
        "add lanes",
        [](const std::vector<double>& lanes, std::vector<double>& to, std::size_t every) {
          for (std::size_t i = 0; i * lanes_of_a_sum < lanes.size(); ++i)
            to[i * every] = total_of_lanes(
                std::span(lanes).subspan(i * lanes_of_a_sum).first<lanes_of_a_sum>());
        },
        in(lanes_), inout(sums), static_cast<std::size_t>(apart));
  }

  /// Submits the sum of parts over all ranks, or of this one alone, and `use` of it.
  template <class Use>
  void sum(plait::runtime& rt, plait::measure::sum_tasks& over_ranks,
           const std::vector<double>& parts, Use use) {
    if (is_alone()) {
      rt.task(
          "use sum",
          [](const std::vector<double>& all, coefficients& c, Use then) {
            then(c, std::accumulate(all.begin(), all.end(), 0.0));
          },
          in(parts), inout(c_), use);
    } else {
      over_ranks.submit(rt, parts, c_, [use](coefficients& c, auto sums) { use(c, sums[0]); });
    }
  }

  void submit_end(plait::runtime& rt, problem& p) override {
    const auto& lies = there_->lies;
    for (const strip& s : p.strips())
      rt.task(
          "catch up",
          [k = &there_->kernels](plait::queue q, const_span_there from, span_there x,
                                 const coefficients& c,
                                 const box& cells) { k->catch_up(q, from, x, c, cells); },
          on(there_->gpu), in(lies.rows(there_->p.all(), s.rows)),
          inout(lies.rows(there_->x.all(), s.rows)), in(c_), s.rows);
  }

  void begins() override { spent_.begin(there_->gpu); }
  void ends() override { spent_.end(there_->gpu, true); }
  void reports(run_report& report) override {
    spent_.add_to(report);
    with_runtime([&](plait::runtime& rt) { there_->fetch(*problem_, rt); });
    there_.reset();
  }

  [[nodiscard]] bool is_alone() const noexcept { return solves_ == setting::isolated; }

  const device_options& on_;
  const setting solves_;
  problem* problem_ = nullptr;
  std::optional<device_vectors> there_;
  std::vector<plait::stencil::face> faces_;  ///< none where alone
  int parts_ = 1;                            ///< of a face
  std::vector<box> edges_;
  std::vector<double> lanes_;  ///< of all strips, on the host
  std::vector<double> pw_;     ///< by strip, as the other rows have them
  std::vector<double> rr_;
  plait::stencil::device_account spent_;
  plait::measure::sum_tasks sum_pw_{env_, "sum p·w"};
  plait::measure::sum_tasks sum_rr_{env_, "sum r·r"};
};

}  // namespace

std::unique_ptr<variant> make_device_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<plait_row>(env, chosen, chosen.device, setting::distributed);
}

std::unique_ptr<variant> make_device_ideal(plait::environment& env, const options& chosen) {
  return std::make_unique<plait_row>(env, chosen, chosen.device, setting::isolated);
}

}  // namespace poisson
