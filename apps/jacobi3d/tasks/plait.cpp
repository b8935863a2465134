// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Moves of ghosts and pieces of the sweep say which cells they read and
// write; nothing else says what overlaps, and steps are not separated.  A few steps, there and
// back, are recorded once and replayed.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <plait/plait.hpp>

#include "kernel.hpp"
#include "support/gather.hpp"
#include "support/steps_of_run.hpp"
#include "tasks/sweep.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

// Deeper tiles gain little more (512x512x32 cells, one core, time of a step: 1, 0.81, 0.60 and 0.58
// at 1, 2, 4 and 8 steps), and their last steps wait longer for a neighbour's first.
constexpr int usual_depth = 4;
constexpr std::size_t usual_window = 4096;
// A graph of more tasks is submitted each time instead: to keep it would take memory by the hundred
// megabytes.
constexpr std::size_t largest_usual_window = std::size_t{1} << 17;

class tasks final : public variant {
 public:
  tasks(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(problem& p) override {
    const int depth = options_.time_tile == 0 ? usual_depth : options_.time_tile;
    if (depth > 1) {
      const auto cache = static_cast<double>(plait::app::tile_bytes());
      const double smallest = -plait::app::maximum(env_, -cache);
      sweep_ = make_time_tiles(p, depth, static_cast<std::int64_t>(smallest));
    }
    time_tile_ = sweep_ != nullptr ? depth : 1;
    if (sweep_ == nullptr) sweep_ = make_step_by_step(p);
    const std::size_t window =
        options_.window != 0 ? options_.window
                             : std::clamp(sweep_->tasks(), usual_window, largest_usual_window);
    rt_.emplace(env_,
                plait::runtime_options{
                    .workers = options_.workers, .window = window, .policy = options_.policy});
    if (sweep_->tasks() <= window) {
      recorded_ = rt_->record([&] { sweep_->submit(*rt_, sweep_->steps()); });
    }
    rt_->start_trace();
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    rt_->reset_ledger();
    started_ = plait::now_ticks();
    // The arrays stay where they are while tasks refer to them: which is which alternates.
    const int rounds = steps / sweep_->steps();
    if (recorded_) {
      rt_->replay(*recorded_, static_cast<std::uint64_t>(rounds));
    } else {
      for (int i = 0; i < rounds; ++i) sweep_->submit(*rt_, sweep_->steps());
    }
    const int rest = steps % sweep_->steps();
    if (rest != 0) sweep_->submit(*rt_, rest);
    rt_->wait();
    if (rest % 2 != 0) std::swap(p.u, p.v);
    steps_ = steps;
    kept_steps_ = recorded;
    report_.ledger = rt_->ledger();
  }

  [[nodiscard]] run_report finish(problem&) override {
    plait::app::keep_steps(report_, rt_->stop_trace(), plait::ticks_to_seconds(started_), steps_,
                           kept_steps_);
    const auto statistics = rt_->progress_statistics();
    if (rt_->progress_choice().proxy) report_.proxy_cpu_s = statistics.proxy_cpu_s;
    report_.figures = {{"longest_unwatched_s", statistics.longest_unwatched_s},
                       {"time_tile", time_tile_}};
    report_.workers = rt_->workers();
    report_.words = {{"policy_chosen", rt_->progress_choice().name},
                     {"policy_reason", rt_->progress_choice().reason}};
    recorded_.reset();
    rt_.reset();
    sweep_.reset();
    return report_;
  }

 private:
  plait::environment& env_;
  const options options_;
  std::unique_ptr<sweep> sweep_;
  std::optional<plait::runtime> rt_;
  std::optional<plait::graph> recorded_;
  plait::ticks started_ = 0;
  int steps_ = 0;
  step_range kept_steps_;
  int time_tile_ = 1;
  run_report report_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<tasks>(env, chosen);
}

}  // namespace jacobi3d
