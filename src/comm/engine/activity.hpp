// SPDX-License-Identifier: BSD-3-Clause
/// State of an engine that any thread may read: the stack of posted operations, whether something
/// is in flight, and whether the engine has given up.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <plait/comm/operation.hpp>

namespace plait {

/// See `engine` for why no operation is left behind.
class activity {
 public:
  // --- Any thread -------------------------------------------------------------------------------
  /// In this order: what is taken from the stack is counted before.
  [[nodiscard]] bool is_idle() const noexcept {
    return !any_posted() && active_.load(std::memory_order_seq_cst) == 0 &&
           served_.load(std::memory_order_seq_cst) == 0;
  }
  /// For whoever has the token, or gets it next.
  void push(operation& op) noexcept {
    operation* head = posted_.load(std::memory_order_relaxed);
    do {
      op.next = head;
    } while (!posted_.compare_exchange_weak(head, &op, std::memory_order_seq_cst,
                                            std::memory_order_relaxed));
  }
  [[nodiscard]] bool any_posted() const noexcept {
    return posted_.load(std::memory_order_seq_cst) != nullptr;
  }
  /// Returns whether operations are posted, without ordering: the answer may be a moment late.
  [[nodiscard]] bool any_posted_lately() const noexcept {
    return posted_.load(std::memory_order_relaxed) != nullptr;
  }
  /// Returns true once unfinished operations are given up; further posts then complete at once.
  [[nodiscard]] bool is_given_up() const noexcept {
    return given_up_.load(std::memory_order_seq_cst);
  }
  [[nodiscard]] std::int64_t in_flight() const noexcept { return active_.load(); }
  [[nodiscard]] int windows() const noexcept { return served_.load(); }

  // --- Holder of the token ----------------------------------------------------------------------
  void one_more() noexcept {
    const auto before = active_.load(std::memory_order_relaxed);
    if (before == 0) return active_.store(1, std::memory_order_seq_cst);
    active_.store(before + 1, std::memory_order_relaxed);
  }
  void one_less() noexcept {
    active_.store(active_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  /// All that was posted, counted: the oldest, and by `next` the others in their order; null where
  /// there is nothing.
  [[nodiscard]] operation* take_posted() noexcept {
    if (!any_posted()) return nullptr;
    one_more();  // the first; nobody finds nothing while the others are counted
    operation* newest = posted_.exchange(nullptr, std::memory_order_seq_cst);
    operation* oldest = nullptr;
    while (newest != nullptr) {
      if (oldest != nullptr) one_more();
      operation* next = newest->next;
      newest->next = std::exchange(oldest, newest);
      newest = next;
    }
    return oldest;
  }
  void one_more_window() noexcept { served_.fetch_add(1, std::memory_order_seq_cst); }
  void one_window_less() noexcept { served_.fetch_sub(1, std::memory_order_seq_cst); }
  void give_up() noexcept { given_up_.store(true, std::memory_order_seq_cst); }

 private:
  alignas(64) std::atomic<operation*> posted_{
      nullptr};  ///< Treiber stack; popped all at once: no ABA
  /// Taken up and not completed.  The holder of the token writes it: no locked instruction, but
  /// from zero on, where others may have seen that nothing is in flight and look for a last time
  /// before they sleep (event_count, the proxy's rest).
  alignas(64) std::atomic<std::int64_t> active_{0};
  std::atomic<int> served_{0};  ///< windows
  std::atomic<bool> given_up_{false};
};

}  // namespace plait
