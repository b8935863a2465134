// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <optional>

#include "crew.hpp"
#include "shares.hpp"
#include "team.hpp"

namespace redblack3d {
namespace {

class dynamic_crew final : public crew {
 public:
  dynamic_crew(const plait::environment& env, problem& p, const policy& how, slow_worker slow)
      : data_(p.data()),
        slow_(slow),
        busy_(static_cast<std::size_t>(how.threads)),
        tasks_({.workers = how.threads,
                .in_flight = most_tasks,
                .oversubscribed =
                    plait::fair_share(env.node_units(), env.node_rank()) < how.threads}) {
    const tiers node = tiers_of(p.whole(), how);
    for (const part which : {part::whole, part::interior, part::rim})
      record(which, node.tiles(p.whole().block_of(p.rank()), which, tiling_of(data_)));
  }

  void compute(part which, colour c) override {
    plait::graph& pieces = *graphs_[index_of(c)][static_cast<std::size_t>(which)];
    if (pieces.tasks() == 0) return;
    tasks_.replay(pieces, 1);
    tasks_.wait();
  }

  [[nodiscard]] std::vector<double> computed_s() override {
    std::vector<double> result;
    for (busy_time& one : busy_) {
      result.push_back(plait::ticks_to_seconds(one.spent));
      one.spent = 0;
    }
    return result;
  }

 private:
  static constexpr std::size_t most_tasks = std::size_t{1} << 16;

  // Cells of one colour need none of the same colour, and the barrier is between the colours: the
  // tasks of a graph depend on nothing.
  void record(part which, const std::vector<box>& pieces) {
    for (const colour c : both_colours)
      graphs_[index_of(c)][static_cast<std::size_t>(which)] = tasks_.record([&] {
        for (const box& one : pieces)
          tasks_.task(
              "sweep",
              [](dynamic_crew* self, colour swept, const box& own) { self->sweep(swept, own); },
              this, c, one);
      });
  }

  void sweep(colour c, const box& cells) {
    const int worker = slow_.number();
    busy_[static_cast<std::size_t>(worker)].measure(
        [&] { slow_.run(worker, [&] { relax(data_, c, cells); }); });
  }

  block_data data_;
  slowness slow_;
  std::vector<busy_time> busy_;  ///< by the numbers that slow_ gives
  plait::scheduler tasks_;
  std::array<std::array<std::optional<plait::graph>, 3>, 2> graphs_;
};

}  // namespace

std::unique_ptr<crew> make_dynamic_crew(const plait::environment& env, problem& p,
                                        const policy& how, slow_worker slow) {
  return std::make_unique<dynamic_crew>(env, p, how, slow);
}

}  // namespace redblack3d
