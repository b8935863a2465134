// SPDX-License-Identifier: BSD-3-Clause
/// Delays starts and completions at random, as `engine_options::disturb` asks.  Runs in the holder
/// of the token.
#pragma once

#include <algorithm>
#include <optional>
#include <random>

#include <plait/comm/progress_policy.hpp>
#include <plait/core/clock.hpp>

namespace plait {

class disturber {
 public:
  explicit disturber(const disturbance& how) : how_(how), random_(how.seed) {}

  [[nodiscard]] bool is_on() const noexcept { return how_.probability > 0; }
  /// Returns, with the disturbance's probability, until when something is to be held back.
  [[nodiscard]] std::optional<ticks> delay() {
    std::uniform_real_distribution<double> uniform(0, 1);
    if (!is_on() || uniform(random_) >= how_.probability) return std::nullopt;
    return now_ticks() + seconds_to_ticks(uniform(random_) * how_.longest_delay_s);
  }
  /// Changes the order of what could happen in any.
  void reorder(auto& list) {
    if (is_on()) std::shuffle(list.begin(), list.end(), random_);
  }

 private:
  const disturbance how_;
  std::mt19937_64 random_;
};

}  // namespace plait
