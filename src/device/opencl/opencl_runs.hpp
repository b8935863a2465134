// SPDX-License-Identifier: BSD-3-Clause
/// Says when the commands of one queue ran, of which not each is told to have ended.  Not here:
/// the calls of the driver that tell so (opencl_inbox.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include <plait/core/clock.hpp>
#include <plait/device/device.hpp>

namespace plait::detail {

/// Kernels or copies of a queue began, or have run.
struct opencl_news {
  enum class kinds : std::uint8_t { began, ran };
  kinds kind;
  device_queue queue;
  const char* task = nullptr;  ///< null: for the ledger only
  ticks begin = 0;
  ticks now = 0;
};

/// A command as it is enqueued.
struct opencl_command {
  device_queue queue = device_queue::compute;
  std::uint64_t number = 0;    ///< in its queue, from 1, without a gap
  const char* task = nullptr;  ///< null: a marker, of which the ledger knows nothing
  bool waits = false;          ///< for another queue: the driver says when it began
  bool is_alone = false;       ///< a run of its own, of which an observer is told
};

/// A queue runs its commands in order: one begins when the one before it has ended, or when it is
/// enqueued if that is later.  So commands that follow each other are one *run* for the ledger,
/// which needs to know when the last of them has ended, and of the others nothing.  A run ends
/// before a command that waits for another queue, and before and behind one that is alone.
///
/// The ends of the last commands of runs are to be told; others may be.  One thread at a time.
class opencl_runs {
 public:
  /// The last command that is known to have ended.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

  /// Commands come in their order.
  void enqueued(const opencl_command& one, ticks now, std::vector<opencl_news>& news) {
    if (!runs_.empty() && !runs_.back().is_alone && !one.is_alone && !one.waits) {
      runs_.back().last = one.number;
      return;
    }
    runs_.push_back({.first = one.number,
                     .last = one.number,
                     .queue = one.queue,
                     .task = one.task,
                     .waits = one.waits,
                     .is_alone = one.is_alone});
    if (runs_.size() == 1) begin_next(now, news);
  }
  /// A command has ended, and so have those before it.  Drivers may tell of a later one first.
  void ended(std::uint64_t number, ticks now, std::vector<opencl_news>& news) {
    done_ = std::max(done_, number);
    while (!runs_.empty() && runs_.front().last <= done_) {
      end(runs_.front(), now, news);
      runs_.pop_front();
      begin_next(now, news);
    }
    if (!runs_.empty() && runs_.front().first <= done_) begin(runs_.front(), now, news);
  }
  /// A command that waited has begun.
  void began(std::uint64_t number, ticks now, std::vector<opencl_news>& news) {
    ended(number - 1, now, news);
    if (!runs_.empty() && runs_.front().first <= number) begin(runs_.front(), now, news);
  }
  /// Nothing runs any more, after a failure.
  void stop(ticks now, std::vector<opencl_news>& news) {
    for (run& one : runs_) {
      if (one.begin != 0) end(one, now, news);
    }
    runs_.clear();
  }

 private:
  struct run {
    std::uint64_t first;
    std::uint64_t last;
    device_queue queue;
    const char* task;
    bool waits;
    bool is_alone;
    ticks begin = 0;  ///< 0: not yet
  };

  void begin_next(ticks now, std::vector<opencl_news>& news) {
    if (!runs_.empty() && !runs_.front().waits) begin(runs_.front(), now, news);
  }
  static void begin(run& one, ticks now, std::vector<opencl_news>& news) {
    if (one.begin != 0 || one.task == nullptr) return;
    one.begin = now;
    news.push_back({.kind = opencl_news::kinds::began, .queue = one.queue, .now = now});
  }
  /// Threads may have taken their times in another order than they come here.
  static void end(run& one, ticks now, std::vector<opencl_news>& news) {
    if (one.task == nullptr) return;
    begin(one, now, news);
    news.push_back({.kind = opencl_news::kinds::ran,
                    .queue = one.queue,
                    .task = one.is_alone ? one.task : nullptr,
                    .begin = one.begin,
                    .now = std::max(now, one.begin)});
  }

  std::deque<run> runs_;  ///< that have not ended
  std::uint64_t done_ = 0;
};

}  // namespace plait::detail
