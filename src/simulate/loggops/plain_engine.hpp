// SPDX-License-Identifier: BSD-3-Clause
/// One heap of all events by time and stamp; who must wait is inserted again.  The semantics as
/// they are written down; `lanes_engine` is what is fast.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <plait/simulate/loggops.hpp>

#include "frozen_order.hpp"
#include "unrolled_program.hpp"

namespace plait::simulate {

class plain_engine {
 public:
  /// Keeps the order in `order`, unless it is null.  `what` outlives the engine.
  plain_engine(const unrolled_program& what, const loggops_parameters& network,
               frozen_order* order);

  /// Runs the program.  Once only.
  [[nodiscard]] loggops_outcome run();

 private:
  /// A clock, or the time of an event, and its number in the order that is kept.
  struct moment {
    std::uint64_t at = 0;
    std::uint32_t time = 0;
  };
  enum class event_kind : std::uint8_t { send = 1, receive = 2, calculation = 3, message = 4 };
  struct event {
    std::uint64_t at;
    std::uint64_t stamp;
    std::uint32_t time;    ///< number of `at` in the order that is kept
    std::uint32_t host;    ///< where it happens
    std::uint32_t peer;    ///< of a message its sender
    std::uint32_t number;  ///< of the operation; of a message that of its send
    std::uint32_t tag;
    std::uint64_t size;
    event_kind kind;
    std::uint8_t cpu;
    std::uint8_t nic;
  };
  struct later {
    bool operator()(const event& a, const event& b) const {
      return a.at != b.at ? a.at > b.at : a.stamp > b.stamp;
    }
  };
  struct waiting {
    std::uint32_t peer;
    std::uint32_t tag;
    std::uint32_t number;
  };
  using waiting_list = std::deque<waiting>;

  void calculate(event& now);
  void send(event& now);
  void receive(const event& now);
  void arrive(event& now);
  /// Inserts `now` again if one of its clocks is later; returns whether it may go on.
  [[nodiscard]] bool free(event& now, const moment& cpu, const moment* card);
  void insert(const event& added);
  void release(std::uint32_t host, std::span<const dependent> those);
  void end_send(std::uint32_t host, std::uint32_t number, const event& now);
  void insert_released(std::uint32_t host, bool at_start);
  [[nodiscard]] static bool take(waiting_list& from, const event& matched, waiting& taken);
  void raise(moment& clock, const event& now);
  [[nodiscard]] moment after(const event& now, std::uint64_t at, time_term term,
                             std::uint64_t amount);
  [[nodiscard]] loggops_outcome outcome();

  [[nodiscard]] moment& cpu(std::uint32_t host, std::uint8_t which) {
    return cpu_[std::size_t{host} * what_.cpus() + which];
  }
  [[nodiscard]] moment& sends(std::uint32_t host, std::uint8_t which) {
    return sends_[std::size_t{host} * what_.nics() + which];
  }
  [[nodiscard]] moment& receives(std::uint32_t host, std::uint8_t which) {
    return receives_[std::size_t{host} * what_.nics() + which];
  }

  const unrolled_program& what_;
  loggops_parameters network_;
  frozen_order* order_;
  std::vector<moment> cpu_;
  std::vector<moment> sends_;
  std::vector<moment> receives_;
  std::vector<std::vector<std::uint32_t>> unmet_;
  std::vector<std::vector<std::uint32_t>> released_;
  std::vector<waiting_list> posted_;    ///< receives without a message
  std::vector<waiting_list> early_;     ///< messages without a receive
  std::vector<event> queue_;            ///< a heap
  std::vector<std::uint32_t> touched_;  ///< ranks in which something may have been released
  std::uint64_t stamp_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace plait::simulate
