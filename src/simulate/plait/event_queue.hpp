// SPDX-License-Identifier: BSD-3-Clause
/// The events of a simulation in the order of their times.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace plait::simulate {

struct event {
  enum class kind : std::uint8_t {
    task_ended,     ///< rank, worker
    posted,         ///< message: its sender has posted it
    completed,      ///< rank, operation: by the thread `by`
    stream_free,    ///< stream: its next message may go
    flow_starts,    ///< stream: on links of a `flow_network`
    flow_ended,     ///< stream
    arrived,        ///< message
    receive_due,    ///< rank, long receive: it may have waited for long enough
    proxy_decides,  ///< rank
  };
  std::int64_t at_ps = 0;
  std::uint64_t stamp = 0;  ///< of events at one time the older goes first
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t step = 0;     ///< that led here
  std::uint32_t version = 0;  ///< an event of an older version does not count
  std::int32_t by = 0;        ///< thread of the rank
  kind what = kind::task_ended;
};

class event_queue {
 public:
  void add(event one) {
    one.stamp = next_stamp_++;
    if (one.what != event::kind::proxy_decides) ++moving_;
    waiting_.push(one);
  }
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  /// Returns the time of the first event, or the largest if there is none.
  [[nodiscard]] std::int64_t first_ps() const {
    return empty() ? std::numeric_limits<std::int64_t>::max() : waiting_.top().at_ps;
  }
  /// Returns true if all that waits are proxies that would look.
  [[nodiscard]] bool nothing_moves() const noexcept { return moving_ + elsewhere_ == 0; }
  /// Counts what moves and will make an event, but has none yet.
  void starts_elsewhere() noexcept { ++elsewhere_; }
  void ended_elsewhere() noexcept { --elsewhere_; }
  [[nodiscard]] bool moves_elsewhere() const noexcept { return elsewhere_ > 0; }
  [[nodiscard]] event take() {
    const event first = waiting_.top();
    waiting_.pop();
    if (first.what != event::kind::proxy_decides) --moving_;
    return first;
  }

 private:
  struct is_later {
    bool operator()(const event& a, const event& b) const noexcept {
      return std::pair(a.at_ps, a.stamp) > std::pair(b.at_ps, b.stamp);
    }
  };
  std::priority_queue<event, std::vector<event>, is_later> waiting_;
  std::uint64_t next_stamp_ = 0;
  std::uint64_t moving_ = 0;
  std::uint64_t elsewhere_ = 0;
};

}  // namespace plait::simulate
