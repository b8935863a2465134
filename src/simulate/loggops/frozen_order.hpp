// SPDX-License-Identifier: BSD-3-Clause
/// Keeps, of a run, the operands of every maximum and which one won: the run's order as a graph.
/// Not here: what follows from it.
#pragma once

#include <cstdint>
#include <vector>

namespace plait::simulate {

/// Terms that are added to a time.
enum class time_term : std::uint8_t {
  none,
  calculation,    ///< d of operation `number` of `rank`
  send_cpu,       ///< o + (m - 1) O
  card,           ///< g + (m - 1) G
  wire,           ///< o + L
  receive_bytes,  ///< o + (m - 1) G
  receive_cpu,    ///< o + (m - 1) O
};

/// One operand: another time and a term.
struct time_operand {
  std::uint32_t time = 0;  ///< number of the other time; 0 is the start
  time_term term = time_term::none;
  std::uint32_t rank = 0;
  std::uint32_t number = 0;
  std::uint64_t amount = 0;  ///< duration, or m - 1
};

/// The times of one run in the order in which they came to be; each is the maximum of its operands.
class frozen_order {
 public:
  frozen_order() {
    begin_.push_back(0);
    close(0);
  }

  /// Adds an operand of the time that `close` ends; `wins`: its value is the maximum.
  void operand(const time_operand& added, bool wins) {
    if (wins) winner_now_ = static_cast<std::uint32_t>(operands_.size());
    operands_.push_back(added);
  }
  /// Ends a time and returns its number.
  std::uint32_t close(std::uint64_t value) {
    winner_.push_back(winner_now_);
    value_.push_back(value);
    begin_.push_back(static_cast<std::uint32_t>(operands_.size()));
    return static_cast<std::uint32_t>(value_.size() - 1);
  }
  std::uint32_t one(const time_operand& only, std::uint64_t value) {
    operand(only, true);
    return close(value);
  }

  [[nodiscard]] std::uint32_t times() const { return static_cast<std::uint32_t>(value_.size()); }
  [[nodiscard]] std::uint64_t value(std::uint32_t time) const { return value_[time]; }
  /// Precondition: time > 0.
  [[nodiscard]] const time_operand& winner(std::uint32_t time) const {
    return operands_[winner_[time]];
  }
  [[nodiscard]] const time_operand* begin(std::uint32_t time) const {
    return operands_.data() + begin_[time];
  }
  [[nodiscard]] const time_operand* end(std::uint32_t time) const {
    return operands_.data() + begin_[time + 1];
  }

  std::vector<std::uint32_t> finish;  ///< the last time of each rank; 0: it did nothing

 private:
  std::vector<time_operand> operands_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> winner_;  ///< operand that gave the time its value
  std::vector<std::uint64_t> value_;
  std::uint32_t winner_now_ = 0;
};

}  // namespace plait::simulate
