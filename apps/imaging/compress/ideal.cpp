// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: base with communication switched off, the figure not to exceed.  Rank 0 writes
// zeros where it has nothing of others.
#include <memory>
#include <vector>

#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace compress {
namespace {

using plait::activity;

class ideal final : public variant {
 public:
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }

  void prepare(archive&) override {}

  void run(archive& a, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(recorded.first, recorded);
    buffer zeros;
    buffer some;
    for (std::int64_t i = 0; i < a.pieces(); ++i) {
      if (a.owner(i) == a.rank()) {
        a.compress(i, some, [] {});
        watch_.lap(activity::compute, "compress");
        if (a.rank() == 0) a.write(i, some);
      } else if (a.rank() == 0) {
        zeros.assign(static_cast<std::size_t>(a.sizes()[static_cast<std::size_t>(i)]),
                     std::byte{0});
        a.write(i, zeros);
      }
      watch_.lap(activity::compute, "write");
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(archive&) override { return watch_.report(); }

 private:
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_ideal() {
  return std::make_unique<ideal>();
}

}  // namespace compress
