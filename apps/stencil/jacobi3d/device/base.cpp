// SPDX-License-Identifier: BSD-3-Clause
// Row `device_base`: a kernel, a wait, a copy, blocking MPI, a copy, as programs for accelerators
// are usually written.  Row `device_ideal`: its kernels alone, each block on a problem of its own.
#include <optional>

#include <plait/comm/mpi.hpp>

#include "common/device/halo_blocking.hpp"
#include "device/row.hpp"
#include "device/rows.hpp"

namespace jacobi3d {
namespace {

using plait::activity;
using plait::device_queue;

class base_row final : public row_by_hand {
 public:
  base_row(MPI_Comm communicator, const device_options& how)
      : row_by_hand(setting::distributed, how), communicator_(communicator) {}

 private:
  void make() override {
    halo_.emplace(block().gpu(), block().lies(), block().faces(), communicator_);
  }
  void unmake() noexcept override { halo_.reset(); }

  void advance(int steps) override {
    for (int step = 0; step < steps; ++step) {
      begin(step);
      halo_->fill(block().iterate(step), watch());
      const plait::queue q = queue(device_queue::compute, "sweep");
      relax(q, step, block().whole());
      plait::by_hand::await(block().gpu(), plait::by_hand::record(q));
      watch().lap(activity::compute, "sweep");
    }
  }

  MPI_Comm communicator_;
  std::optional<plait::stencil::halo_blocking> halo_;
};

class ideal_row final : public row_by_hand {
 public:
  explicit ideal_row(const device_options& how) : row_by_hand(setting::isolated, how) {}

 private:
  void advance(int steps) override {
    for (int step = 0; step < steps; ++step) {
      begin(step);
      relax(queue(device_queue::compute, "sweep"), step, block().whole());
      watch().lap(activity::posting, "enqueue");
    }
  }
};

}  // namespace

std::unique_ptr<variant> make_device_base(plait::environment& env, const device_options& how) {
  return std::make_unique<base_row>(plait::native(env), how);
}

std::unique_ptr<variant> make_ideal_by_hand(const device_options& how) {
  return std::make_unique<ideal_row>(how);
}

}  // namespace jacobi3d
