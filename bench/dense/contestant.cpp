// SPDX-License-Identifier: BSD-3-Clause
#include "contestant.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace plait::bench::dense {
namespace {

class fastest final : public contestant {
 public:
  explicit fastest(std::vector<candidate> all) : all_(std::move(all)) {
    PLAIT_EXPECTS(!all_.empty(), "nothing to choose among");
  }

  std::vector<std::string> choose(double operations) override {
    std::vector<std::string> tried;
    double shortest_s = std::numeric_limits<double>::infinity();
    for (const candidate& one : all_) {
      const double total_s = seconds_of(one);  // the same on every rank
      tried.push_back(rate_line(one.settings, operations, total_s));
      if (total_s < shortest_s) {
        shortest_s = total_s;
        kept_ = &one;
      }
    }
    run_ = kept_->make();
    return tried;
  }

  [[nodiscard]] std::string settings() const override { return kept_->settings; }

  checked_run run() override { return run_(); }

 private:
  /// The shorter of two runs, after one that does not count.
  static double seconds_of(const candidate& one) {
    const auto run = one.make();
    (void)run();
    const double first_s = run().total_s;
    return std::min(first_s, run().total_s);
  }

  std::vector<candidate> all_;
  const candidate* kept_ = nullptr;
  std::function<checked_run()> run_;
};

}  // namespace

std::unique_ptr<contestant> fastest_of(std::vector<candidate> all) {
  return std::make_unique<fastest>(std::move(all));
}

std::string rate_line(const std::string& settings, double operations, double total_s) {
  return fmt::format("{}: {:.4g} Gflop/s", settings, 1e-9 * operations / total_s);
}

}  // namespace plait::bench::dense
