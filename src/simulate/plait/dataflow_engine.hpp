// SPDX-License-Identifier: BSD-3-Clause
/// Runs a program in the dialect `plait`.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <plait/simulate/dataflow.hpp>

#include "simulate/plait/critical_steps.hpp"
#include "simulate/plait/event_queue.hpp"
#include "simulate/plait/rank_looks.hpp"
#include "simulate/plait/wires.hpp"

namespace plait::simulate {

/// One message: its two operations, how far it is.
struct flying_message {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t send = 0;     ///< operation
  std::uint32_t receive = 0;  ///< operation, once matched
  std::uint64_t size_bytes = 0;
  std::uint32_t arrived = 0;  ///< step of its last arrival
  std::int64_t came_ps = 0;   ///< that its bytes took to come
  bool is_matched = false;
  bool asks_first = false;
  /// Next thing that arrives, or waits for a look: the request, the answer (at the sender), the
  /// data, the end of the send (at the sender).
  enum class stage : std::uint8_t { request, answer, data } at = stage::data;
};

/// A thread of a rank: a worker, or the proxy.
struct simulated_thread {
  std::int64_t free_at_ps = 0;
  std::uint32_t last = 0;  ///< step that ended what it did
  bool runs = false;
  std::uint32_t operation = 0;  ///< that runs
  std::uint32_t began = 0;      ///< step
  std::int64_t ends_ps = 0;
  std::uint32_t version = 0;
};

struct simulated_rank {
  struct ready_task {
    std::uint32_t operation;
    std::uint32_t step;
  };
  const rank_template* program = nullptr;
  std::vector<std::uint32_t> unmet;
  std::vector<simulated_thread> workers;
  simulated_thread proxy;
  std::vector<std::deque<ready_task>> ready;  ///< one for all workers, or one each
  std::unique_ptr<rank_looks> looks;
  std::deque<std::uint32_t> unseen;  ///< messages that wait for a look, as they came
  /// Receives without a message, and messages without a receive, by source and tag.
  std::unordered_map<std::uint64_t, std::deque<ready_task>> receives;
  std::unordered_map<std::uint64_t, std::deque<std::uint32_t>> unexpected;
  std::uint32_t finished = 0;
  std::uint32_t last = 0;  ///< step that ended latest
  std::uint32_t proxy_version = 0;
};

class dataflow_engine {
 public:
  dataflow_engine(const program& of, const machine& on);
  [[nodiscard]] prediction run();

 private:
  using number = std::uint32_t;
  static constexpr std::int32_t proxy = -1;

  void start();
  [[nodiscard]] bool has_next(event& next);
  void handle(const event& one);

  // Operations.  `by`: the thread that released them
  void release(number rank, const edge_list& edges, number of, number step, std::int32_t by);
  void make_ready(number rank, number operation, number step, std::int32_t by);
  void finish(number rank, number operation, number step, std::int32_t by);

  // Workers
  void assign(number rank, std::int64_t now_ps);
  void end_task(const event& one);
  void lengthen_task(number rank, std::int64_t by_ps);
  [[nodiscard]] simulated_thread& thread(number rank, std::int32_t which);

  // Messages
  void post_send(number rank, number operation, number step, std::int32_t by);
  void post_receive(number rank, number operation, number step, std::int32_t by);
  void posted(const event& one);
  void depart(const wires::departure& left);
  void arrive(number message, number step);
  /// Has a thread see what has come to `message`.
  void see(number rank, number message, std::int32_t by, std::int64_t now_ps);
  void see_request(number message, number seen);
  /// Returns the processor time of a message's bytes, on each side.
  [[nodiscard]] std::int64_t copy_ps(const flying_message& one) const;
  void copy(const flying_message& sent, simulated_thread& by);
  /// Returns what is left to copy of a message by a thread that has been free for a while.
  [[nodiscard]] std::int64_t left_to_copy_ps(const flying_message& one, std::int64_t idle_ps) const;
  [[nodiscard]] bool match(number message);
  [[nodiscard]] std::optional<number> take_unexpected(number rank, number source, number tag);
  void expect_same_size(const flying_message& one) const;

  // Looks
  [[nodiscard]] std::int32_t who_looks(number rank) const;
  void look(number rank, std::int32_t by, std::int64_t now_ps, std::int64_t price_ps);
  void ask_proxy(number rank, std::int64_t now_ps);

  void report_stuck() const;

  const program& program_;
  const machine& on_;
  critical_steps steps_;
  event_queue events_;
  wires wires_;
  std::vector<rank_template> unrolled_;
  std::deque<simulated_rank> ranks_;
  std::vector<flying_message> messages_;
  double stretch_ = 1;  ///< of tasks beside a proxy that spins without a core of its own
};

}  // namespace plait::simulate
