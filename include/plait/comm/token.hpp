// SPDX-License-Identifier: BSD-3-Clause
/// The right to call MPI, held by one thread at a time, so that MPI_THREAD_SERIALIZED is enough.
#pragma once

#include <atomic>
#include <thread>

namespace plait {

/// A lock that is tried, not waited for: who does not get it leaves its work in a queue for the
/// holder. Acquire and release order the MPI library's memory from one holder to the next.
class mpi_token {
 public:
  [[nodiscard]] bool try_acquire() noexcept {
    return !held_.load(std::memory_order_seq_cst) &&
           !held_.exchange(true, std::memory_order_seq_cst);
  }
  void release() noexcept { held_.store(false, std::memory_order_seq_cst); }

  /// For rare blocking uses (collective set-up, errors): gives up the processor until it is free.
  void acquire() noexcept {
    while (!try_acquire()) std::this_thread::yield();
  }

 private:
  std::atomic<bool> held_{false};
};

/// Holds the token for a scope.
class mpi_token_guard {
 public:
  explicit mpi_token_guard(mpi_token& token) noexcept : token_(token) { token_.acquire(); }
  ~mpi_token_guard() { token_.release(); }
  mpi_token_guard(const mpi_token_guard&) = delete;
  mpi_token_guard& operator=(const mpi_token_guard&) = delete;

 private:
  mpi_token& token_;
};

}  // namespace plait
