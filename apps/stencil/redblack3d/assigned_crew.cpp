// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "crew.hpp"
#include "shares.hpp"
#include "team.hpp"

namespace redblack3d {
namespace {

class assigned_crew final : public crew {
 public:
  assigned_crew(problem& p, const policy& how, slow_worker slow)
      : data_(p.data()), slow_(slow), team_(how.threads) {
    const tiers node = tiers_of(p.whole(), how);
    const int own = p.whole().block_of(p.rank());
    if (how.overlap) {
      of(part::interior) = node.shares(own, part::interior);
      of(part::rim) = node.shares(own, part::rim);
    } else {
      of(part::whole) = node.shares(own, part::whole);
    }
  }

  void compute(part which, colour c) override {
    team_.run([&](int thread) {
      slow_.run(thread, [&] {
        for (const box& own : of(which)[static_cast<std::size_t>(thread)]) relax(data_, c, own);
      });
    });
  }

  [[nodiscard]] std::vector<double> computed_s() override {
    std::vector<double> result;
    for (int thread = 0; thread < team_.threads(); ++thread)
      result.push_back(plait::ticks_to_seconds(team_.busy(thread)));
    team_.reset();
    return result;
  }

 private:
  plait::worker_shares<3>& of(part which) { return shares_[static_cast<std::size_t>(which)]; }

  block_data data_;
  std::array<plait::worker_shares<3>, 3> shares_;
  slowness slow_;
  team team_;
};

}  // namespace

std::unique_ptr<crew> make_assigned_crew(problem& p, const policy& how, slow_worker slow) {
  return std::make_unique<assigned_crew>(p, how, slow);
}

}  // namespace redblack3d
