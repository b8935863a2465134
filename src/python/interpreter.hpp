// SPDX-License-Identifier: BSD-3-Clause
/// The interpreter's lock: who has it, and who gives it away.
///
/// Why nothing can hang by it: a thread of the program gives the lock away before each call of
/// plait that submits or waits (`without_lock`), and takes it back when the call is over.  A task
/// takes it (`lock_of_task`) while it holds nothing of plait's that another thread waits for.  What
/// a task has held is put on a list without a lock (`discarded`), and let go by the program's next
/// call.
#pragma once

#include <atomic>
#include <utility>

#include <Python.h>

namespace plait_python {

/// The program's thread is without the lock in this scope.
class without_lock {
 public:
  without_lock() noexcept : state_(PyEval_SaveThread()) {}
  ~without_lock() { PyEval_RestoreThread(state_); }
  without_lock(const without_lock&) = delete;
  without_lock& operator=(const without_lock&) = delete;

 private:
  PyThreadState* state_;
};

/// A task has the lock in this scope.  A thread of plait's keeps its state of the interpreter from
/// task to task: to make one costs ten times as much.
class lock_of_task {
 public:
  lock_of_task() noexcept {
    keep_state();
    state_ = PyGILState_Ensure();
  }
  ~lock_of_task() { PyGILState_Release(state_); }
  lock_of_task(const lock_of_task&) = delete;
  lock_of_task& operator=(const lock_of_task&) = delete;

 private:
  /// The state of a thread that Python has not made; ends with the thread, which then holds no
  /// lock.  The thread that submits waits for that without the lock (`without_lock`).
  struct kept_state {
    PyThreadState* own = nullptr;
    PyGILState_STATE first{};

    void make() noexcept {
      first = PyGILState_Ensure();
      own = PyEval_SaveThread();
    }
    ~kept_state() {
      if (own == nullptr || Py_IsInitialized() == 0) return;
      PyEval_RestoreThread(own);
      PyGILState_Release(first);
    }
  };
  static void keep_state() noexcept {
    thread_local kept_state of_this_thread;
    if (of_this_thread.own == nullptr && PyGILState_GetThisThreadState() == nullptr)
      of_this_thread.make();
  }

  PyGILState_STATE state_;
};

/// Objects that no task uses any more.  Only the holder of the lock may clear them; then they are
/// used again.
template <class Object>
class discarded {
 public:
  /// Any thread.  `Object` has a member `next_discarded`.
  void add(Object* one) noexcept {
    one->next_discarded = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(one->next_discarded, one, std::memory_order_release,
                                         std::memory_order_relaxed))
      continue;
  }
  /// Holder of the interpreter's lock.  All are taken at once, so that none comes back meanwhile.
  void clear_all() noexcept {
    if (first_.load(std::memory_order_relaxed) == nullptr) return;
    Object* one = first_.exchange(nullptr, std::memory_order_acquire);
    while (one != nullptr) {
      Object* const next = one->next_discarded;
      one->clear();  // may run code of the program's, which comes here again
      if (kept_ < most_kept) {
        ++kept_;
        one->next_discarded = clear_;
        clear_ = one;
      } else {
        delete one;
      }
      one = next;
    }
  }
  /// Returns one that is clear.  Holder of the interpreter's lock.
  [[nodiscard]] Object* take() {
    if (clear_ == nullptr) return new Object;
    --kept_;
    return std::exchange(clear_, clear_->next_discarded);
  }

 private:
  static constexpr int most_kept = 4096;  // more than run side by side, but in a large recording

  std::atomic<Object*> first_{nullptr};
  Object* clear_ = nullptr;
  int kept_ = 0;
};

}  // namespace plait_python
