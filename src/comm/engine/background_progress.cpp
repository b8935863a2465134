// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <thread>

#include <mpi.h>
#include <plait/comm/background_progress.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>
#include <pthread.h>

#include "comm/mpi_call.hpp"
#include "core/short_slices.hpp"
#include "look/attention.hpp"
#include "look/numbers.hpp"

namespace plait {
namespace {

extern "C" {
static int say_nothing_came(void*, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  return MPI_SUCCESS;
}
static int nothing_to_free(void*) {
  return MPI_SUCCESS;
}
static int nothing_to_cancel(void*, int) {
  return MPI_SUCCESS;
}
static int mpi_ends(MPI_Comm, int, void*, void*);
}

/// The thread and what it looks at.  It has nothing but a sleep where no scope is open, so nobody
/// ends it: a process that has been forked off has no such thread, and could not wait for one.
///
/// `mutex_` is held during a look, so that no look is under way when a scope has ended.
class looking_thread {
 public:
  void begin(double interval_s) {
    {
      std::lock_guard lock(mutex_);
      if (scopes_.load(std::memory_order_relaxed) == 0) first_begins(interval_s);
      if (scopes_.fetch_add(1, std::memory_order_seq_cst) > 0) return;
    }
    // It may still sleep as the scope before this one has asked it to.
    attention_.sleep().wake(sleeper::depth::naps);
  }

  void end(bool all) noexcept {
    std::lock_guard lock(mutex_);
    const int open = scopes_.load(std::memory_order_relaxed);
    if (open == 0) return;
    scopes_.store(all ? 0 : open - 1, std::memory_order_seq_cst);
    if (!all && open > 1) return;
    MPI_Grequest_complete(request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }

  [[nodiscard]] std::uint64_t looks() const noexcept {
    return looks_.load(std::memory_order_relaxed);
  }

 private:
  void first_begins(double interval_s) {
    if (!watches_the_end_) {
      int key = MPI_KEYVAL_INVALID;
      mpi_call(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &mpi_ends, &key, nullptr),
               "MPI_Comm_create_keyval");
      mpi_call(MPI_Comm_set_attr(MPI_COMM_SELF, key, this), "MPI_Comm_set_attr");
      watches_the_end_ = true;
    }
    if (!is_running_) std::thread([this] { run(); }).detach();
    is_running_ = true;
    mpi_call(MPI_Grequest_start(&say_nothing_came, &nothing_to_free, &nothing_to_cancel, nullptr,
                                &request_),
             "MPI_Grequest_start");
    began_.store(now_ticks(), std::memory_order_relaxed);
    interval_s_.store(interval_s, std::memory_order_relaxed);
  }

  [[noreturn]] void run() {
    sigset_t all;  // signals are the program's
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    pthread_setname_np(pthread_self(), "plait-progress");
    ask_for_short_slices();
    const auto none_is_open = [this] { return scopes_.load(std::memory_order_seq_cst) == 0; };
    double interval_s = 0;
    while (true) {
      // Between two looks one scope may have ended and another begun.
      if (const double wanted_s = interval_s_.load(std::memory_order_relaxed);
          wanted_s != interval_s) {
        attention_.limits() = limits(wanted_s);
        interval_s = wanted_s;
      }
      if (none_is_open()) {
        attention_.sleep().rest(none_is_open);
      } else if (attention_.look_pays_else_sleep(
                     facts(), [this](const socket_news& news) { return expected(news); })) {
        attention_.look_until_read([this] { return look(); }, [] { return true; });
      }
    }
  }

  [[nodiscard]] static pace_limits limits(double interval_s) noexcept {
    if (interval_s > 0) return pace_limits::fixed(interval_s);
    pace_limits by = pace_limits::up_to(look_numbers::worst_of_attach_s);
    by.longest_wait = by.worst;
    return by;
  }

  /// Nothing tells what the program has started and what of it is complete.
  [[nodiscard]] pace_facts facts() const noexcept {
    const ticks began = began_.load(std::memory_order_relaxed);
    return {.now = now_ticks(),
            .last_look = std::max(last_look_, began),
            .moved = began,
            .is_told = true};
  }
  /// Returns how many steps of messages there may have been so far.
  [[nodiscard]] std::uint64_t expected(const socket_news& news) noexcept {
    if (news.arrived) ++arrivals_;
    return arrivals_;
  }

  [[nodiscard]] bool look() noexcept {
    std::lock_guard lock(mutex_);
    if (scopes_.load(std::memory_order_relaxed) == 0) return false;
    int flag = 0;
    MPI_Request_get_status(request_, &flag, MPI_STATUS_IGNORE);
    looks_.fetch_add(1, std::memory_order_relaxed);
    last_look_ = now_ticks();
    return true;
  }

  std::mutex mutex_;
  std::atomic<int> scopes_{0};    ///< that are open; written under `mutex_`
  MPI_Request request_{};         ///< while one is open
  bool watches_the_end_ = false;  ///< of MPI
  bool is_running_ = false;       ///< the thread
  std::atomic<ticks> began_{0};   ///< the outermost scope
  std::atomic<double> interval_s_{0};
  std::atomic<std::uint64_t> looks_{0};
  // The thread's own
  attention attention_{limits(0)};
  ticks last_look_ = 0;
  std::uint64_t arrivals_ = 0;
};

[[nodiscard]] looking_thread& the_thread() {
  static auto& one = *new looking_thread;
  return one;
}

static int mpi_ends(MPI_Comm, int, void* thread, void*) {
  static_cast<looking_thread*>(thread)->end(true);
  return MPI_SUCCESS;
}

}  // namespace

void background_progress::start(double interval_s) {
  if (!(interval_s >= 0) || interval_s > 1e6)
    throw usage_error("the interval of looks is a number of seconds, or 0 to let plait choose");
  int initialized = 0;
  int finalized = 0;
  int level = MPI_THREAD_SINGLE;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0)
    throw usage_error("progress in the background begins between MPI_Init and MPI_Finalize");
  mpi_call(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level < MPI_THREAD_MULTIPLE) {
    throw usage_error(
        "progress in the background needs MPI_THREAD_MULTIPLE: call MPI_Init_thread(..., "
        "MPI_THREAD_MULTIPLE, ...), or run the program under plait attach --progress");
  }
  the_thread().begin(interval_s);
}

void background_progress::stop() noexcept {
  the_thread().end(false);
}

std::uint64_t background_progress::looks() noexcept {
  return the_thread().looks();
}

}  // namespace plait
