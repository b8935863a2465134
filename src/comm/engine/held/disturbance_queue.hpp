// SPDX-License-Identifier: BSD-3-Clause
/// Holds starts and completions back at random, as `engine_options::disturb` asks.  Runs in the
/// holder of the token.
#pragma once

#include <exception>
#include <random>
#include <utility>
#include <vector>

#include <plait/comm/operation.hpp>
#include <plait/comm/progress_policy.hpp>
#include <plait/core/clock.hpp>

namespace plait {

/// Holder of the token only.
class disturbance_queue {
 public:
  using completion = std::pair<operation*, std::exception_ptr>;
  struct due_operations {
    std::vector<operation*> starts;
    std::vector<completion> completions;
  };

  explicit disturbance_queue(const disturbance& how) : how_(how), random_(how.seed) {}

  [[nodiscard]] bool is_on() const noexcept { return how_.probability > 0; }
  [[nodiscard]] bool empty() const noexcept { return starts_.empty() && completions_.empty(); }

  /// Decides, with the disturbance's probability, to set the operation aside, and then sets its
  /// `held_until`.  After true, the caller calls `hold_start` or `hold_completion`.
  [[nodiscard]] bool wants(operation& op);
  void hold_start(operation& op) { starts_.push_back(&op); }
  void hold_completion(operation& op, const std::exception_ptr& failure) {
    completions_.emplace_back(&op, failure);
  }

  /// Takes out those whose time is up, or `all`, in random order.
  [[nodiscard]] due_operations take_due(ticks now, bool all);

  [[nodiscard]] const std::vector<operation*>& starts() const noexcept { return starts_; }
  /// Calls `visit(held_until)` for all that is held.
  void for_each_time(const auto& visit) const {
    for (const operation* op : starts_) visit(op->held_until);
    for (const auto& [op, failure] : completions_) visit(op->held_until);
  }

 private:
  const disturbance how_;
  std::vector<operation*> starts_;
  std::vector<completion> completions_;
  std::mt19937_64 random_;
};

}  // namespace plait
