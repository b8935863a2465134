// SPDX-License-Identifier: BSD-3-Clause
#include "crew.hpp"

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "binding.hpp"
#include "shares.hpp"
#include "team.hpp"

namespace redblack3d {
namespace {

std::vector<part> parts_of(const policy& how) {
  if (how.overlap) return {part::interior, part::rim};
  return {part::whole};
}

/// Section 4.2 of the paper: "each face is assigned to one thread".
plait::worker_shares<3> faces_by_thread(const std::vector<box>& faces, int threads) {
  plait::worker_shares<3> result(static_cast<std::size_t>(threads));
  for (std::size_t i = 0; i < faces.size(); ++i) result[i % result.size()].push_back(faces[i]);
  return result;
}

class assigned_crew final : public crew {
 public:
  assigned_crew(const plait::environment& env, problem& p, const policy& how, slow_worker slow)
      : crew(p, how, slow), bound_(bind_sets(env, how)), team_(how.threads, bound_.unit_of_thread) {
    const tiers all = tiers_of(p.whole(), how);
    const int own = p.whole().block_of(p.rank());
    for (const part which : parts_of(how))
      shares_[which] = which == part::rim && how.face_a_thread
                           ? faces_by_thread(all.cells(own, which), how.threads)
                           : all.shares(own, which);
    if (bound_.is_on()) keep_near(all.shares(own, part::whole));
  }

  void compute(part which, colour c) override {
    const plait::worker_shares<3>& shares = shares_.at(which);
    team_.run([&](int thread) {
      for (const box& own : shares[static_cast<std::size_t>(thread)]) sweep(thread, c, own);
    });
  }

 private:
  [[nodiscard]] std::string binding_said() const override { return bound_.said; }

  /// Moves the cells of each thread to its memory domain, by the pages from the first to the last.
  void keep_near(const plait::worker_shares<3>& shares) {
    const auto keep = [](int domain, const auto& cells, const box& own) {
      if (own.empty()) return;
      using plait::axis;
      const double* const first = &cells[own.low];
      const double* const last =
          &cells(own.high[axis::x] - 1, own.high[axis::y] - 1, own.high[axis::z] - 1);
      (void)plait::keep_in_domain(domain, std::as_bytes(std::span(first, last + 1)));
    };
    for (std::size_t thread = 0; thread < shares.size(); ++thread)
      for (const box& own : shares[thread])
        for (const colour c : both_colours) {
          keep(bound_.domain_of_thread[thread], data_.u[index_of(c)], own);
          keep(bound_.domain_of_thread[thread], data_.b[index_of(c)], own);
        }
  }

  const binding bound_;
  std::map<part, plait::worker_shares<3>> shares_;
  team team_;
};

class dynamic_crew final : public crew {
 public:
  dynamic_crew(const plait::environment& env, problem& p, const policy& how, slow_worker slow)
      : crew(p, how, slow),
        tasks_({.workers = how.threads,
                .in_flight = most_tasks,
                .oversubscribed =
                    plait::fair_share(env.node_units(), env.node_rank()) < how.threads}) {
    for (const part which : parts_of(how)) {
      const auto tiles =
          tiers_of(p.whole(), how).tiles(p.whole().block_of(p.rank()), which, tiling_of(data_));
      for (const colour c : both_colours)
        graphs_.emplace(std::pair{which, c}, tasks_.record([&] { submit(tiles, c); }));
    }
  }

  void compute(part which, colour c) override {
    plait::graph& pieces = graphs_.at({which, c});
    if (pieces.tasks() == 0) return;
    tasks_.replay(pieces, 1);
    tasks_.wait();
  }

 private:
  static constexpr std::size_t most_tasks = std::size_t{1} << 16;

  // Cells of one colour need none of the same colour, and the barrier is between the colours: the
  // tasks of a graph depend on nothing.
  void submit(const std::vector<box>& pieces, colour c) {
    for (const box& one : pieces)
      tasks_.task(
          "sweep",
          [](dynamic_crew* self, colour swept, const box& own) {
            self->sweep(self->slow_.number(), swept, own);
          },
          this, c, one);
  }

  plait::scheduler tasks_;
  std::map<std::pair<part, colour>, plait::graph> graphs_;
};

}  // namespace

std::unique_ptr<crew> make_crew(const plait::environment& env, problem& p, const policy& how,
                                slow_worker slow) {
  if (how.share == policy::sharing::dynamic)
    return std::make_unique<dynamic_crew>(env, p, how, slow);
  return std::make_unique<assigned_crew>(env, p, how, slow);
}

}  // namespace redblack3d
