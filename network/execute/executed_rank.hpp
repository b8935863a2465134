// SPDX-License-Identifier: BSD-3-Clause
/// Runs one rank of a program for real: messages by MPI, computation by waiting on the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/simulate/program.hpp>

namespace plait::network::execute {

/// Says when a rank calls MPI after messages that it has started.
struct look_rule {
  enum class kind : std::uint8_t {
    always,  ///< also while it computes, as a thread on a core of its own would
    idle,    ///< only while none of its processors computes, as in MPI_Wait
    every,   ///< each `every_ns`, and while none computes
  };
  kind when = kind::always;
  std::int64_t every_ns = 0;
};

struct execution_options {
  look_rule looks = {};
  /// Says whether messages start as soon as they are ready, as plait's do; else when their
  /// processor is free.
  bool posts_at_once = false;
};

/// One rank's operations.  Uses MPI_COMM_WORLD, from the thread that calls.
class executed_rank {
 public:
  /// `of`: all iterations one after the other; outlives this.  `unit_ns` multiplies durations.
  /// Errors: usage_error for a message that MPI cannot carry: a length or a tag out of range.
  executed_rank(const simulate::program& in, const simulate::rank_template& of, std::uint32_t rank,
                const execution_options& how);

  /// Runs everything once; returns how long that took, in ns.  All ranks call at about the same
  /// time.  Errors: `error` where operations are left that can never run, or MPI fails.
  [[nodiscard]] std::int64_t run();

 private:
  using number = std::uint32_t;
  using time_ns = std::int64_t;
  struct processor {
    std::deque<number> ready;  ///< calculations, and messages unless they are posted at once
    bool computes = false;
  };
  using ending = std::pair<time_ns, number>;

  void start_ready();
  void begin(number op);
  void finish(number op);
  void release(const simulate::edge_list& edges, number of);
  void post(number op);
  [[nodiscard]] bool end_calculations();
  [[nodiscard]] bool look();
  void rest(bool may_look);
  [[nodiscard]] std::vector<std::byte> buffer_of(std::size_t size);

  const simulate::program& program_;
  const simulate::rank_template& of_;
  const std::uint32_t rank_;
  const execution_options how_;
  const std::vector<number> waits_for_;
  std::vector<std::byte> sent_;  ///< what every send sends
  std::vector<number> unmet_;
  std::vector<processor> processors_;
  std::deque<number> started_;  ///< ready, in order
  std::priority_queue<ending, std::vector<ending>, std::greater<>> endings_;
  std::vector<MPI_Request> requests_;
  std::vector<number> operations_;               ///< of `requests_`
  std::vector<std::vector<std::byte>> buffers_;  ///< of `requests_`; empty of sends
  std::vector<std::vector<std::byte>> free_;
  std::size_t finished_ = 0;
  time_ns next_look_ = 0;
};

}  // namespace plait::network::execute
