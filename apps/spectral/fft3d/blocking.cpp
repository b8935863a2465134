// SPDX-License-Identifier: BSD-3-Clause
// Variants `blocking` and `ideal`: one blocking all-to-all for each transpose, and none.
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace fft3d {
namespace {

using plait::activity;

/// The passes, with `exchange(way)` between them.
class phases : public variant {
 public:
  void run(problem& p, int steps, const step_range& recorded) override {
    const spectral::slabs& s = p.shape();
    const spectral::passes& kernel = p.kernel();
    const spectral::transform_memory memory = p.where.all();
    const spectral::transform_memory leaving = leaving_planes(p);
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      kernel.spread_x(memory, s.own_z());
      for (int tile = 0; tile < s.tiles(); ++tile) kernel.spread_y(leaving, tile, s.own_z());
      watch_.lap(activity::compute, "x and y lines");
      exchange(spectral::transpose::to_lines);
      for (int tile = 0; tile < s.tiles(); ++tile) kernel.gather_z(memory, tile, s.own_y());
      for (int tile = 0; tile < s.tiles(); ++tile)
        kernel.spread_z(memory, tile, s.own_y(), &p.normalising());
      watch_.lap(activity::compute, "z lines");
      exchange(spectral::transpose::to_planes);
      for (int tile = 0; tile < s.tiles(); ++tile) kernel.gather_y(memory, tile, s.own_z());
      kernel.gather_x(memory, s.own_z());
      watch_.lap(activity::compute, "y and x lines");
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 protected:
  [[nodiscard]] virtual spectral::transform_memory leaving_planes(problem& p) const {
    return p.where.all();
  }
  virtual void exchange(spectral::transpose way) = 0;

  plait::measure::stopwatch watch_;
};

class blocking final : public phases {
 public:
  explicit blocking(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(problem& p) override {
    const auto made = [&](spectral::transpose way) {
      return spectral::whole_transpose(communicator_, {p.shape(), p.where.buffers(), way});
    };
    to_lines_.emplace(made(spectral::transpose::to_lines));
    to_planes_.emplace(made(spectral::transpose::to_planes));
  }

 private:
  void exchange(spectral::transpose way) override {
    (way == spectral::transpose::to_lines ? *to_lines_ : *to_planes_).exchange();
    watch_.lap(activity::exposed, "all-to-all");
  }

  MPI_Comm communicator_;
  std::optional<spectral::whole_transpose> to_lines_, to_planes_;
};

class ideal final : public phases {
 public:
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }
  void prepare(problem&) override {}

 private:
  /// Keeps apart what is not sent, which must not be taken for what others have sent.
  [[nodiscard]] spectral::transform_memory leaving_planes(problem& p) const override {
    spectral::transform_memory memory = p.where.all();
    memory.column.plane_side = memory.lines;
    return memory;
  }
  void exchange(spectral::transpose) override {}
};

}  // namespace

std::unique_ptr<variant> make_blocking(plait::environment& env) {
  return std::make_unique<blocking>(env);
}

std::unique_ptr<variant> make_ideal() {
  return std::make_unique<ideal>();
}

}  // namespace fft3d
