// SPDX-License-Identifier: BSD-3-Clause
// Row `device_base`: kernels, a wait, a copy, blocking MPI, a copy, as programs for accelerators
// are usually written, and for each sum a copy and MPI_Allreduce.
#include <optional>

#include "common/device/halo_blocking.hpp"
#include "device/row.hpp"
#include "measure/base/rank_sum.hpp"

namespace poisson {
namespace {

using plait::activity;
using plait::device_queue;

class base_row final : public row_by_hand {
 public:
  using row_by_hand::row_by_hand;

 private:
  void make() override { halo_.emplace(there().gpu, there().lies, faces(), communicator()); }
  void unmake() noexcept override { halo_.reset(); }

  void solve() override {
    constexpr auto compute = device_queue::compute;
    while (!c().done) {
      begin_iteration();
      for (const strip& s : strips()) turn(compute, s.rows);
      await("turn");
      halo_->fill(there().p.all(), watch());
      for (std::size_t i = 0; i < strips().size(); ++i) product(compute, i);
      await("product");
      c().step_length(sum(there().pw_lanes, "sum p·w"));
      for (std::size_t i = 0; i < strips().size(); ++i) shorten(compute, i);
      await("shorten");
      c().next_direction(sum(there().rr_lanes, "sum r·r"));
    }
  }

  void await(const char* kernels) {
    plait::by_hand::await(there().gpu,
                          plait::by_hand::record(queue(device_queue::compute, kernels)));
    watch().lap(activity::compute, kernels);
  }

  double sum(plait::device_array<double>& lanes, const char* name) {
    plait::by_hand::await(there().gpu, copy_lanes(lanes));
    watch().lap(activity::exposed, "lanes to the host");
    double all = 0;
    reduction().measure([&] { all = plait::measure::sum_over_ranks(communicator(), own_sum()); });
    watch().lap(activity::exposed, name);
    return all;
  }

  std::optional<plait::stencil::halo_blocking> halo_;
};

}  // namespace

std::unique_ptr<variant> make_device_base(plait::environment& env, const options& chosen) {
  return std::make_unique<base_row>(env, chosen);
}

}  // namespace poisson
