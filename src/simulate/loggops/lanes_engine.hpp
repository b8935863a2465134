// SPDX-License-Identifier: BSD-3-Clause
/// Gives equal results without inserting anything twice, where every rank has one processor and
/// card and times never go back.
///
/// Then an operation is released at a time from which its rank's clocks only grow, so calculations,
/// sends and receives of a rank run in the order of their stamps: three lanes, first in, first out.
/// Sends run in the order of time, and all messages take o + L, so messages arrive in the order of
/// their stamps too: one queue for all, and a fourth lane for those that their rank had no time
/// for. The queue of ranks keeps the earliest (time, stamp) of each; clocks that have grown since
/// are noticed when the entry comes up.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <plait/simulate/loggops.hpp>

#include "node_pool.hpp"
#include "time_queue.hpp"
#include "unmet_counters.hpp"
#include "unrolled_program.hpp"

namespace plait::simulate {

class lanes_engine {
 public:
  /// Precondition: `why_no_lanes` is empty.  `what` outlives the engine.
  lanes_engine(const unrolled_program& what, const loggops_parameters& network);

  /// Runs the program.  Once only.
  [[nodiscard]] loggops_outcome run();

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// An operation that waits for its rank, or a message that does.
  struct waiting {
    std::uint64_t stamp;
    std::uint64_t extra;  ///< of a receive its time, of a message its sender
    std::uint32_t number;
    node_number next;
  };
  /// A receive without a message, or a message without a receive.
  struct unmatched {
    std::uint32_t peer;
    std::uint32_t tag;
    std::uint32_t number;
    node_number next;
  };
  struct message {
    std::uint64_t at;
    std::uint64_t stamp;
    std::uint32_t to;
    std::uint32_t from;
    std::uint32_t number;  ///< of the send
  };
  struct host_state {
    std::uint64_t cpu = 0;
    std::uint64_t send_card = 0;
    std::uint64_t receive_card = 0;
    std::uint64_t queued_time = none;  ///< of its entry in the queue; none: there is none
    std::uint64_t queued_stamp = none;
    node_number calculations = 0;
    node_number sends = 0;
    node_number receives = 0;
    node_number late = 0;    ///< messages that came while the processor or the card was busy
    node_number posted = 0;  ///< receives without a message
    node_number early = 0;   ///< messages without a receive
  };
  static_assert(sizeof(host_state) == 64, "one cache line a rank");

  struct next_event {
    std::uint64_t time = none;
    std::uint64_t stamp = none;
    node_number host_state::*lane = nullptr;
  };

  void start();
  void step_of_message();
  void step_of_host();
  [[nodiscard]] next_event next_of(const host_state& host) const;
  void run_lane(std::uint32_t host, const next_event& next);
  void calculate(std::uint32_t host, std::uint64_t now, std::uint32_t number);
  void send(std::uint32_t host, std::uint64_t now, std::uint32_t number);
  void receive(std::uint32_t host, std::uint64_t now, std::uint32_t number);
  void arrive(std::uint32_t host, std::uint64_t now, std::uint32_t from, std::uint32_t number);
  void end_send(std::uint32_t sender, std::uint32_t number, std::uint64_t now, std::uint32_t host);
  [[nodiscard]] bool take(node_number& list, std::uint32_t peer, std::uint32_t tag,
                          unmatched& taken);
  void release(std::uint32_t host, std::span<const dependent> those);
  void add_released(std::uint32_t host, std::vector<std::uint32_t>& ready);
  void settle(std::uint32_t host);
  void queue_again(std::uint32_t host);
  [[nodiscard]] loggops_outcome outcome() const;

  const unrolled_program& what_;
  loggops_parameters network_;
  std::vector<host_state> hosts_;
  unmet_counters unmet_;
  node_pool<waiting> waiting_;
  node_pool<unmatched> unmatched_;
  std::deque<message> messages_;
  time_queue queue_;
  std::vector<std::uint32_t> released_;         ///< of the rank whose event it is
  std::vector<std::uint32_t> released_sender_;  ///< of a sender that waited for it
  std::uint32_t sender_ = any;                  ///< that sender, if it is another rank
  std::uint64_t stamp_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace plait::simulate
