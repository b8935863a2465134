// SPDX-License-Identifier: BSD-3-Clause
/// The right to call MPI, held by one thread at a time, so that MPI_THREAD_SERIALIZED is enough.
#pragma once

#include <plait/core/cxx20.hpp>

#include <atomic>

namespace plait {

/// A lock that is tried, not waited for: who does not get it leaves its work in a queue for the
/// holder. Acquire and release order the MPI library's memory from one holder to the next.
class mpi_token {
 public:
  [[nodiscard, gnu::always_inline]] bool try_acquire() noexcept {
    if (held_.load(std::memory_order_seq_cst) || held_.exchange(true, std::memory_order_seq_cst)) {
      return false;
    }
    mine_ = this;
    tell(true);
    return true;
  }
  [[gnu::always_inline]] void release() noexcept {
    tell(false);
    mine_ = nullptr;
    held_.store(false, std::memory_order_seq_cst);
  }
  /// Returns whether the calling thread holds a token.
  [[nodiscard]] static bool any_held_here() noexcept { return mine_ != nullptr; }

  /// `told` is called with true by each thread that has got a token and with false by each that is
  /// about to release it; null: no function is called.
  static void watch(void (*told)(bool held) noexcept) noexcept {
    told_.store(told, std::memory_order_relaxed);
  }

  /// Waits for the token, and gives up the processor until the token is free.  For blocking uses.
  void acquire() noexcept {
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    while (!try_acquire()) yield();
    waiting_.fetch_sub(1, std::memory_order_seq_cst);
  }
  /// Waits for the token, giving up the processor meanwhile.  Gives up the wait, and returns false,
  /// once `late()`.
  [[nodiscard]] bool acquire_unless(const auto& late) noexcept {
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    bool mine = false;
    while (!(mine = try_acquire()) && !late()) yield();
    waiting_.fetch_sub(1, std::memory_order_seq_cst);
    return mine;
  }
  /// Somebody waits in `acquire`.  Who polls in a loop lets him go first: a proxy that takes the
  /// token again as soon as it has released it would keep him out for whole time slices.
  [[nodiscard]] bool wanted() const noexcept {
    return waiting_.load(std::memory_order_relaxed) > 0;
  }

  /// Describes what a holder has put off, to be done before another holds the token for calls that
  /// may block.
  struct put_off {
    void (*catch_up)(put_off& self) noexcept = nullptr;
    put_off* next = nullptr;
    bool is_listed = false;
  };
  /// Has `what` caught up with by the next `catch_up`; no effect if it is listed.  It stays in
  /// place until then.  Holder only.
  void list(put_off& what) noexcept {
    if (what.is_listed) return;
    what.is_listed = true;
    what.next = first_put_off_;
    first_put_off_ = &what;
  }
  /// Does what is listed, and clears the list.  Holder only.
  void catch_up() noexcept {
    while (first_put_off_ != nullptr) {
      put_off& one = *first_put_off_;
      first_put_off_ = one.next;
      one.is_listed = false;
      one.catch_up(one);
    }
  }

 private:
  /// Gives the core away to another thread.
  static void yield() noexcept;
  [[gnu::always_inline]] static void tell(bool is_held) noexcept {
    if (auto* told = told_.load(std::memory_order_relaxed)) told(is_held);
  }

  static inline constinit std::atomic<void (*)(bool) noexcept> told_ = nullptr;
  static inline thread_local constinit const mpi_token* mine_ = nullptr;
  std::atomic<bool> held_{false};
  std::atomic<int> waiting_{0};
  put_off* first_put_off_ = nullptr;  ///< the holder's
};

/// Holds the token for a scope, in which MPI calls may block: what was put off is done first.
class mpi_token_guard {
 public:
  explicit mpi_token_guard(mpi_token& token) noexcept : token_(token) {
    token_.acquire();
    token_.catch_up();
  }
  ~mpi_token_guard() { token_.release(); }
  mpi_token_guard(const mpi_token_guard&) = delete;
  mpi_token_guard& operator=(const mpi_token_guard&) = delete;

 private:
  mpi_token& token_;
};

}  // namespace plait
