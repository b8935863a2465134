// SPDX-License-Identifier: BSD-3-Clause
/// Runs a program in the dialect `plait`.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include <plait/simulate/dataflow.hpp>

#include "look/paired_receives.hpp"
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

/// A long receive of a rank that may wait for a send (`paired_receives`).
struct long_receive {
  std::uint32_t operation = 0;
  std::uint32_t step = 0;  ///< that posted it
  std::uint32_t peer = 0;
  std::uint64_t sequence = 0;
  std::int64_t until_ps = 0;
  std::int64_t rest_ps = 0;
  bool is_kept = false;
};
using simulated_pairs = basic_paired_receives<long_receive>;

struct simulated_rank {
  struct posted_receive {
    std::uint32_t operation;
    std::uint32_t step;
  };
  struct ready_task {
    std::uint64_t order;  ///< the lowest goes first
    std::uint32_t operation;
    std::uint32_t step;
    friend bool operator>(const ready_task& a, const ready_task& b) { return a.order > b.order; }
  };
  using ready_queue =
      std::priority_queue<ready_task, std::vector<ready_task>, std::greater<ready_task>>;
  const rank_template* program = nullptr;
  std::vector<std::uint32_t> unmet;
  std::vector<simulated_thread> workers;
  simulated_thread proxy;
  std::vector<ready_queue> ready;  ///< one for all workers, or one each
  std::unique_ptr<rank_looks> looks;
  std::deque<std::uint32_t> unseen;  ///< messages that wait for a look, as they came
  /// Receives without a message, and messages without a receive, by source and tag.
  std::unordered_map<std::uint64_t, std::deque<posted_receive>> receives;
  std::unordered_map<std::uint64_t, std::deque<std::uint32_t>> unexpected;
  std::uint64_t made_ready = 0;
  std::optional<simulated_pairs> pairs;
  std::deque<long_receive> long_receives;
  std::vector<long_receive*> under_way;  ///< of those
  std::size_t kept = 0;                  ///< of those, that wait for a send
  std::uint32_t first_kept = 0;          ///< none of those before does
  std::int64_t rests_since_ps = -1;      ///< -1: it does not
  std::uint32_t finished = 0;
  std::uint32_t last = 0;  ///< step that ended latest
  std::uint32_t proxy_version = 0;
  bool shares_core = false;  ///< with its proxy, which spins
};

class dataflow_engine {
 public:
  /// `pairs`: what a run before has learnt of each rank's long messages; empty: nothing.
  dataflow_engine(const program& of, const machine& on, std::vector<simulated_pairs> pairs = {});
  [[nodiscard]] prediction run();
  /// Returns what this run has learnt; empty if no long messages met.
  [[nodiscard]] std::vector<simulated_pairs> learnt() const;

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
  void share_core(number rank, std::int64_t now_ps);
  [[nodiscard]] simulated_thread& thread(number rank, std::int32_t which);

  // Messages
  void post_send(number rank, number operation, number step, std::int32_t by);
  void post_receive(number rank, number operation, number step, std::int32_t by);
  void add_receive(number rank, number operation, number step);
  void take_early(number rank, number operation, number step, std::int32_t by);
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

  // Long receives that wait for sends
  [[nodiscard]] bool is_paired(const operation& one, number rank) const;
  [[nodiscard]] bool keep_receive(number rank, number operation, number step);
  void start_kept(number rank, long_receive& one, number step, std::int32_t by);
  void note_long_send(number rank, const operation& one, number step, std::int32_t by);
  void start_due(const event& one);
  void note_rest(number rank, std::int64_t now_ps);

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
  /// Of tasks beside a proxy that spins without a core of its own: it does while something is in
  /// flight, and every thread has an equal share of the cores.
  double stretch_ = 1;
};

}  // namespace plait::simulate
