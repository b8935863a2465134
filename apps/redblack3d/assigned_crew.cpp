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
    const plait::interior_and_rim<3> parts = p.parts();
    of(part::whole) = share_out(p.cells(), how);
    of(part::interior) = share_out(parts.interior, how);
    of(part::annulus) = plait::shared_out<3>(parts.rim, how.threads);
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
  shares& of(part which) { return shares_[static_cast<std::size_t>(which)]; }

  block_data data_;
  std::array<shares, 3> shares_;
  slowness slow_;
  team team_;
};

}  // namespace

std::unique_ptr<crew> make_assigned_crew(problem& p, const policy& how, slow_worker slow) {
  return std::make_unique<assigned_crew>(p, how, slow);
}

}  // namespace redblack3d
