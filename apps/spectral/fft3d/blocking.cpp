// SPDX-License-Identifier: BSD-3-Clause
// Variants `blocking` and `ideal`: one blocking all-to-all for each transpose, and none.
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace fft3d {
namespace {

using plait::activity;
using spectral::sign;

/// The passes, with `exchange(way)` between them.
class phases : public variant {
 public:
  void run(problem& p, int steps, const step_range& recorded) override {
    const spectral::slabs& s = p.shape();
    const spectral::passes& kernel = p.kernel();
    complex* planes = p.where.planes.data();
    complex* lines = p.where.lines.data();
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      kernel.rows(planes, s.own_z(), sign::forward);
      for (int tile = 0; tile < s.tiles(); ++tile)
        kernel.spread_y(planes, leaving_planes(p), tile, s.own_z());
      watch_.lap(activity::compute, "x and y lines");
      exchange(spectral::transpose::to_lines);
      for (int tile = 0; tile < s.tiles(); ++tile)
        kernel.gather_z(p.where.buffers(), lines, tile, s.own_y());
      for (int tile = 0; tile < s.tiles(); ++tile)
        kernel.spread_z(lines, p.where.buffers(), tile, s.own_y(), &p.normalising());
      watch_.lap(activity::compute, "z lines");
      exchange(spectral::transpose::to_planes);
      for (int tile = 0; tile < s.tiles(); ++tile)
        kernel.gather_y(p.where.buffers(), planes, tile, s.own_z());
      kernel.rows(planes, s.own_z(), sign::backward);
      watch_.lap(activity::compute, "y and x lines");
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 protected:
  [[nodiscard]] virtual spectral::transpose_buffers leaving_planes(problem& p) const {
    return p.where.buffers();
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
  [[nodiscard]] spectral::transpose_buffers leaving_planes(problem& p) const override {
    return {p.where.line_side.data(), p.where.lines.data()};
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
