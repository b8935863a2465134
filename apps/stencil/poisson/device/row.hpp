// SPDX-License-Identifier: BSD-3-Clause
/// Common parts of the rows by hand: the vectors on the device, the kernels of an iteration, and
/// the account of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/device/run_by_hand.hpp"
#include "common/face.hpp"
#include "device/vectors.hpp"
#include "measure/load/time_spent.hpp"
#include "variant.hpp"

namespace poisson {

/// A row that gives an emulated device its commands by hand.  All of them enqueue the same kernels
/// of the same strips.
class row_by_hand : public variant {
 public:
  /// `chosen` outlives it.
  row_by_hand(plait::environment& env, const options& chosen)
      : communicator_(plait::native(env)), options_(chosen) {}

  void prepare(problem& p) final;
  void run(problem& p, int steps, const step_range& recorded) final;
  [[nodiscard]] run_report finish(problem& p) final;

 protected:
  /// Makes and ends what a run needs beside the vectors.
  virtual void make() = 0;
  virtual void unmake() noexcept = 0;
  /// Does iterations until the coefficients are `done`.  The device may have something left to do
  /// then, messages not.
  virtual void solve() = 0;

  void begin_iteration() { run_.begin_step(static_cast<int>(c_.iterations)); }
  [[nodiscard]] coefficients& c() noexcept { return c_; }
  [[nodiscard]] device_vectors& there() noexcept { return *there_; }
  [[nodiscard]] const std::vector<strip>& strips() const noexcept { return *strips_; }
  [[nodiscard]] const std::vector<plait::stencil::face>& faces() const noexcept { return faces_; }
  [[nodiscard]] MPI_Comm communicator() const noexcept { return communicator_; }
  [[nodiscard]] const device_options& how() const noexcept { return options_.device; }
  [[nodiscard]] plait::measure::stopwatch& watch() noexcept { return run_.watch(); }
  /// Counts what a row waits for sums.
  [[nodiscard]] plait::measure::time_spent& reduction() noexcept { return reduction_; }

  [[nodiscard]] plait::queue queue(plait::device_queue which, const char* name) {
    return plait::by_hand::queue_of(there().gpu, which, name);
  }
  // Enqueue a kernel on some rows, or on a strip, by number.
  void turn(plait::device_queue to, const box& rows);
  void product(plait::device_queue to, std::size_t strip);
  void shorten(plait::device_queue to, std::size_t strip);
  /// Enqueues the copy of all strips' lanes to the host, and returns the mark behind it.
  [[nodiscard]] plait::by_hand::mark copy_lanes(plait::device_array<double>& of);
  /// Returns the sum of the lanes that were copied, strip by strip, as every variant adds it up.
  [[nodiscard]] double own_sum() const;

 private:
  MPI_Comm communicator_;
  const options& options_;
  const std::vector<strip>* strips_ = nullptr;
  std::vector<plait::stencil::face> faces_;
  std::optional<device_vectors> there_;
  std::optional<plait::pinned<double>> lanes_;
  double bb_ = 0;
  coefficients c_;
  plait::stencil::run_by_hand run_;
  plait::measure::time_spent reduction_;
};

}  // namespace poisson
