// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Passes and messages say what they read and write; iterations are not
// separated, and overlap as far as the memory of those in flight lets them.
#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "common/tasks.hpp"
#include "measure/steps_of_run.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::in, plait::out, plait::inout;

constexpr index cells_per_piece = index{1} << 16;  // about a millisecond
constexpr std::size_t usual_limit = 4096;
constexpr std::size_t largest_usual_limit = std::size_t{1} << 17;

/// The checksum of an iteration in flight.
struct sums_in_flight {
  std::vector<complex> parts;  ///< of ranges of planes
  complex mine, total;
};

class with_tasks final : public variant {
 public:
  with_tasks(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(problem& p) override {
    tasks_.emplace(p.kernel(), cells_per_piece);
    sums_.assign(p.in_flight.size(), {});
    for (sums_in_flight& one : sums_) one.parts.resize(tasks_->plane_pieces().size());
    const std::size_t each = tasks_->tasks() + tasks_->plane_pieces().size() + 8;
    const std::size_t recorded = each * p.in_flight.size();
    const std::size_t in_flight = options_.in_flight != 0
                                      ? options_.in_flight
                                      : std::clamp(recorded, usual_limit, largest_usual_limit);
    rt_.emplace(
        env_, plait::runtime_options{
                  .workers = options_.workers, .in_flight = in_flight, .policy = options_.policy});
    if (recorded <= in_flight)
      iterations_ = rt_->record([&] {
        for (std::size_t i = 0; i < p.in_flight.size(); ++i) submit_iteration(p, i);
      });
    rt_->start_trace();
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    rt_->reset_ledger();
    started_ = plait::now_ticks();
    tasks_->submit_forward(*rt_, memory_of(p, 0));
    const int together = static_cast<int>(p.in_flight.size());
    int done = 0;
    if (iterations_) {
      rt_->replay(*iterations_, static_cast<std::uint64_t>(steps / together));
      done = steps / together * together;
    }
    for (; done < steps; ++done) submit_iteration(p, static_cast<std::size_t>(done % together));
    rt_->wait();
    p.result = p.in_flight[static_cast<std::size_t>((steps - 1) % together)].planes.data();
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
    iterations_.reset();
    rt_.reset();
    tasks_.reset();
    return report_;
  }

 private:
  [[nodiscard]] static spectral::task_memory memory_of(problem& p, std::size_t i) {
    return {p.in_flight[i].buffers(), p.in_flight[i].planes.data(), p.lines.data()};
  }

  void submit_iteration(problem& p, std::size_t i) {
    sums_in_flight& sums = sums_[i];
    std::size_t piece = 0;
    tasks_->submit_backward(
        *rt_, memory_of(p, i), &p.factors(), [&](plait::runtime& rt, const range& z) {
          submit_part_of_sum(rt, p, p.in_flight[i].planes.data(), z, sums.parts[piece++]);
        });
    rt_->task(
        "checksum",
        [](std::span<const complex> parts, complex& mine) {
          mine = 0;
          for (const complex& part : parts) mine += part;
        },
        in(std::span(sums.parts)), out(sums.mine));
    rt_->reduce("checksum", in(sums.mine), out(sums.total), 0);
    if (p.shape().rank() == 0)
      rt_->task(
          "checksum",
          [](const complex& total, std::vector<complex>& all, const problem* of) {
            all.push_back(of->checksum(total));
          },
          in(sums.total), inout(p.sums), &p);
  }

  static void submit_part_of_sum(plait::runtime& rt, problem& p, complex* planes, const range& z,
                                 complex& part) {
    const spectral::slabs& s = p.shape();
    const std::span<const complex> some(planes + s.plane_index(0, 0, z.low),
                                        static_cast<std::size_t>(z.size() * s.plane_size()));
    rt.task(
        "checksum",
        [](std::span<const complex>, complex& to, const problem* of, const complex* all,
           range which) { to = of->sum_of(all, which); },
        in(some), out(part), &p, planes, z);
  }

  plait::environment& env_;
  const options options_;
  std::optional<spectral::transform_tasks> tasks_;
  std::vector<sums_in_flight> sums_;
  std::optional<plait::runtime> rt_;
  std::optional<plait::graph> iterations_;
  plait::ticks started_ = 0;
  int steps_ = 0;
  step_range kept_steps_;
  run_report report_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<with_tasks>(env, chosen);
}

}  // namespace ft
