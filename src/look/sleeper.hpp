// SPDX-License-Identifier: BSD-3-Clause
/// The one protocol by which a thread that looks after messages sleeps, and others wake it.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>

#include "look/transport_sockets.hpp"

namespace plait {

/// A thread sleeps in one of three ways, from shallow to deep.  Whoever wakes it says from which
/// on: a system call is spared where the thread comes back soon enough by itself.
///
/// Why no wake-up is lost from a rest: the waker makes the condition true and then reads `depth_`;
/// the sleeper writes `depth_` and then reads the condition; all four are sequentially consistent.
/// In their single order either the waker's read comes after the sleeper's write, so it wakes; or
/// it comes before, so the sleeper's read of the condition, which follows its write, sees the
/// change.  (Where a waker stores plainly, the condition of a rest begins with a fence for both.)
/// What wakes is a count in the kernel, which stays until the sleeper takes it: a wake before the
/// sleep ends the sleep. So a sleep may also end early, by a wake that came too late for the one
/// before; whoever sleeps asks again.
class sleeper {
 public:
  enum class depth : std::uint8_t {
    awake,
    naps,     ///< until a time
    listens,  ///< until a time or until a socket has news
    rests,    ///< until it is woken
  };

  // Any thread
  // ---------------------------------------------------------------------------------------------
  /// Ends a sleep that is at least so deep.  Precondition of a rest: what it waits for is true.
  void wake(depth from) noexcept {
    if (depth_.load(std::memory_order_seq_cst) >= from) sockets_.wake();
  }
  /// Ends this sleep and lets none begin any more.
  void stop() noexcept {
    is_stopped_.store(true, std::memory_order_seq_cst);
    wake(depth::naps);
  }
  [[nodiscard]] bool is_stopped() const noexcept {
    return is_stopped_.load(std::memory_order_seq_cst);
  }

  // The thread that sleeps
  // ---------------------------------------------------------------------------------------------
  void nap(ticks at_most) noexcept { (void)sleep(depth::naps, at_most, always); }
  [[nodiscard]] socket_news listen(ticks at_most) noexcept {
    return sleep(depth::listens, at_most, always);
  }
  /// Sleeps until it is woken, if there is nothing to do; at most so long, negative: for ever.
  void rest(const auto& has_nothing_to_do, ticks at_most = forever) noexcept {
    (void)sleep(depth::rests, at_most, has_nothing_to_do);
  }
  [[nodiscard]] transport_sockets& sockets() noexcept { return sockets_; }

 private:
  static constexpr ticks forever = -1;
  static bool always() noexcept { return true; }

  socket_news sleep(depth how, ticks at_most, const auto& may) noexcept {
    depth_.store(how, std::memory_order_seq_cst);
    socket_news news;
    if (may() && !is_stopped()) news = sockets_.wait(at_most, how == depth::listens);
    depth_.store(depth::awake, std::memory_order_seq_cst);
    return news;
  }

  std::atomic<depth> depth_{depth::awake};
  std::atomic<bool> is_stopped_{false};
  transport_sockets sockets_;
};

}  // namespace plait
