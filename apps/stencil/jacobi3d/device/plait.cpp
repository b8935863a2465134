// SPDX-License-Identifier: BSD-3-Clause
// Row `device_plait`: the dataflow.  Messages of the device's memory and kernels say what they read
// and write; nothing else says what overlaps.  No queue, no event, no copy is named.
#include <memory>
#include <optional>

#include "common/device/account.hpp"
#include "device/block.hpp"
#include "device/rows.hpp"
#include "measure/compare/task_variant.hpp"

namespace jacobi3d {
namespace {

using plait::in, plait::on, plait::out;

/// Isolated, kernels alone, as many as a program without messages has.
class plait_row final : public plait::measure::task_variant<problem> {
 public:
  plait_row(plait::environment& env, const plait::runtime_options& tasks, const device_options& on,
            setting solves)
      : task_variant(env, tasks), on_(on), solves_(solves) {}
  [[nodiscard]] setting solves() const noexcept override { return solves_; }

 private:
  plait::measure::task_steps steps_of(problem& p) override {
    problem_ = &p;
    block_.emplace(p, on_);
    with_runtime([&](plait::runtime& rt) { block_->load(p, rt); });
    const bool alone = solves_ == setting::isolated;
    return {.steps = 2,
            .tasks = 2 * (alone ? 1 : tasks_of_a_step()),
            .submit = [this, alone](auto& rt, int count) {
              for (int step = 0; step < count; ++step)
                alone ? relax(rt, "sweep", plait::normal, step, block_->whole()) : submit(rt, step);
            }};
  }

  /// Calls `use` with a runtime that has the device, which belongs to one at a time.
  void with_runtime(const auto& use) {
    plait::runtime rt{env_, {.devices = how_.devices}};
    use(rt);
  }

  [[nodiscard]] std::size_t tasks_of_a_step() const {
    const std::size_t messages =
        2 * block_->faces().size() * static_cast<std::size_t>(block_->parts());
    std::size_t kernels = block_->near().size() + block_->far().size();
    for (const rim_plane& plane : block_->rim()) kernels += plane.parts.size();
    return 3 * messages + kernels;  // a message: itself, a copy, and the copy's end
  }

  void submit(plait::runtime& rt, int step) {
    const span_there from = block_->iterate(step);
    for (const plait::stencil::face& f : block_->faces()) {
      rt.send("edge", in(block_->lies().message(from, f.edge)), f.peer, f.send_tag())
          .parts(block_->parts());
      rt.recv("ghost", out(block_->lies().message(from, f.ghost)), f.peer, f.receive_tag())
          .parts(block_->parts());
    }
    for (const rim_plane& plane : block_->rim())
      for (const box& cells : plane.parts) relax(rt, "rim", plait::high, step, cells);
    for (const box& cells : block_->near()) relax(rt, "interior", plait::normal, step, cells);
    for (const box& cells : block_->far()) relax(rt, "interior", plait::normal, step, cells);
  }

  void relax(plait::runtime& rt, plait::task_name name, plait::priority urgency, int step,
             const box& cells) {
    const layout& lies = block_->lies();
    const span_there from = block_->iterate(step);
    const reads needs(cells);
    rt.task(name, block_->relax(), on(block_->gpu(), urgency), in(lies.rows(from, needs.below)),
            in(lies.rows(from, needs.own)), in(lies.rows(from, needs.above)),
            in(lies.rows(block_->b(), cells)), out(lies.rows(block_->iterate(step + 1), cells)),
            cells)
        .priority(urgency);
  }

  void advance(plait::measure::task_run& run, problem&, int steps) override {
    spent_.begin(block_->gpu());
    run.advance(steps);
    spent_.end(block_->gpu(), true);
    done_ = steps;
  }
  void add_to(plait::measure::run_report& report) override {
    spent_.add_to(report);
    with_runtime([&](plait::runtime& rt) { block_->fetch(*problem_, done_, rt); });
    block_.reset();
  }

  const device_options& on_;
  const setting solves_;
  problem* problem_ = nullptr;
  std::optional<device_block> block_;
  plait::stencil::device_account spent_;
  int done_ = 0;
};

std::unique_ptr<variant> make_row(plait::environment& env, const plait::runtime_options& tasks,
                                  const device_options& on, setting solves) {
  plait::runtime_options with_device = tasks;
  with_device.devices = {on.gpu};
  return std::make_unique<plait_row>(env, with_device, on, solves);
}

}  // namespace

std::unique_ptr<variant> make_device_plait(plait::environment& env,
                                           const plait::runtime_options& tasks,
                                           const device_options& how) {
  return make_row(env, tasks, how, setting::distributed);
}

std::unique_ptr<variant> make_device_ideal(plait::environment& env,
                                           const plait::runtime_options& tasks,
                                           const device_options& how) {
  if (!how.relax) return make_ideal_by_hand(how);
  return make_row(env, tasks, how, setting::isolated);
}

}  // namespace jacobi3d
