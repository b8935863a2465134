// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Passes and messages say what they read and write; one transform there
// and back is recorded and replayed.
#include <algorithm>
#include <memory>
#include <optional>

#include <plait/plait.hpp>

#include "common/tasks.hpp"
#include "measure/steps_of_run.hpp"
#include "variant.hpp"

namespace fft3d {
namespace {

constexpr index cells_per_piece = index{1} << 16;  // about a millisecond
constexpr std::size_t usual_limit = 4096;
constexpr std::size_t largest_usual_limit = std::size_t{1} << 17;

class with_tasks final : public variant {
 public:
  with_tasks(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(problem& p) override {
    tasks_.emplace(p.kernel(), cells_per_piece);
    const std::size_t recorded = 2 * tasks_->tasks();
    const std::size_t in_flight = std::clamp(recorded, usual_limit, largest_usual_limit);
    rt_.emplace(
        env_, plait::runtime_options{
                  .workers = options_.workers, .in_flight = in_flight, .policy = options_.policy});
    if (recorded <= in_flight) there_and_back_ = rt_->record([&] { submit(p); });
    rt_->start_trace();
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    rt_->reset_ledger();
    started_ = plait::now_ticks();
    if (there_and_back_) {
      rt_->replay(*there_and_back_, static_cast<std::uint64_t>(steps));
    } else {
      for (int step = 0; step < steps; ++step) submit(p);
    }
    rt_->wait();
    steps_ = steps;
    kept_steps_ = recorded;
    report_.ledger = rt_->ledger();
  }

  [[nodiscard]] run_report finish(problem&) override {
    plait::measure::keep_steps(report_, rt_->stop_trace(), plait::ticks_to_seconds(started_),
                               steps_, kept_steps_);
    const auto statistics = rt_->progress_statistics();
    if (rt_->progress_choice().proxy) report_.proxy_cpu_s = statistics.proxy_cpu_s;
    report_.figures = {{"longest_unwatched_s", statistics.longest_unwatched_s}};
    report_.workers = rt_->workers();
    report_.words = {{"policy_chosen", rt_->progress_choice().name},
                     {"policy_reason", rt_->progress_choice().reason}};
    there_and_back_.reset();
    rt_.reset();
    tasks_.reset();
    return report_;
  }

 private:
  void submit(problem& p) {
    const spectral::task_memory memory{p.where.buffers(), p.where.planes.data(),
                                       p.where.lines.data()};
    tasks_->submit_forward(*rt_, memory);
    tasks_->submit_backward(*rt_, memory, &p.normalising());
  }

  plait::environment& env_;
  const options options_;
  std::optional<spectral::transform_tasks> tasks_;
  std::optional<plait::runtime> rt_;
  std::optional<plait::graph> there_and_back_;
  plait::ticks started_ = 0;
  int steps_ = 0;
  step_range kept_steps_;
  run_report report_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<with_tasks>(env, chosen);
}

}  // namespace fft3d
