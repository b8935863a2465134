// SPDX-License-Identifier: BSD-3-Clause
/// One call of an MPI function by the program: from the wrapper's entry to its return.
#pragma once

#include <cstdint>
#include <ctime>

#include "attach/books/instruction_counters.hpp"
#include "attach/books/session.hpp"
#include "attach/calls/fortran_sites.hpp"

namespace plait::attach {

/// State of one thread of the program: its depth inside MPI, and the place and time of its last
/// call.
struct thread_data {
  int depth = 0;             ///< inside MPI: calls of the library to itself pass through
  std::uintptr_t stack = 0;  ///< of the caller of the call that the program is inside; 0: of none
  bool is_main = false;
  bool knows_processor_time = false;
  int last_site = -1;
  std::int32_t region = no_region;  ///< the innermost that is open
  std::uint16_t number = 0;         ///< of the threads that have called MPI; the main thread is 0
  ticks in_mpi = 0;
  ticks last_exit = 0;
  std::uint64_t failing_loop = 0;  ///< see notebook::add_call
  std::int64_t processor_ns_at_exit = 0;
  counted_work work_at_exit = {};  ///< no cycles: not known
};
extern thread_local constinit thread_data own_thread __attribute__((tls_model("initial-exec")));

[[nodiscard]] inline std::int64_t processor_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1'000'000'000 * static_cast<std::int64_t>(t.tv_sec) + t.tv_nsec;
}

/// Ends a call that the program has left by `longjmp` from an error handler of its own, and returns
/// true.  `stack`: of the caller of the next call.  Calls that come from inside MPI have deeper
/// ones than the program had.
[[nodiscard]] bool end_abandoned_call(std::uintptr_t stack) noexcept;

/// Returns true if the library calls itself.
[[nodiscard]] inline bool is_inside_mpi(const call_place& from) noexcept {
  return own_thread.depth != 0 && !end_abandoned_call(from.stack);
}

/// Returns true if the wrapper has nothing to do but to call the library.  In a Fortran program,
/// `from` becomes the place that calls the binding.  Precondition: not inside MPI.
[[nodiscard]] inline bool passes_through(call_id id, call_place& from) noexcept {
  if (!is_attached.load(std::memory_order_relaxed)) return true;
  if (plait_attach_fortran.address == 0) [[likely]]
    return false;
  return is_of_fortran_binding(id, from);
}

/// Computation shorter than this is not worth two readings of the processor clock.
extern ticks long_computation;
/// Sets it, and measures what one reading takes.  Before calls are noted.
void set_price_of_readings() noexcept;

class call {
 public:
  call(call_id id, const call_place& from) noexcept : begin_(from.at) {
    own_thread.depth = 1;
    own_thread.stack = from.stack;
    if (attached.locks_token) attached.token.acquire();
    if (attached.locks_books) attached.books.lock();
    site_ = attached.notes.find_site(static_cast<int>(id), from, own_thread.region);
    if (own_thread.last_exit != 0) {
      computed_ = begin_ - own_thread.last_exit;
    } else {
      own_thread.number = static_cast<std::uint16_t>(++attached.notes.header().other_threads);
    }
    if (computed_ > long_computation) [[unlikely]]
      end_of_long_computation();
  }
  ~call() {
    book();
    if (attached.locks_books) attached.books.unlock();
    if (attached.locks_token) attached.token.release();
    own_thread.depth = 0;
    own_thread.stack = 0;
  }
  call(const call&) = delete;
  call& operator=(const call&) = delete;

  /// Before and after the library's function.
  void entered() noexcept {
    if (attached.locks_books) attached.books.unlock();
  }
  void returned() noexcept {
    end_ = now_ticks();
    if (attached.locks_books) attached.books.lock();
  }

  void waits() noexcept { waits_ = true; }
  void in_vain() noexcept { in_vain_ = true; }
  void moved(std::uint64_t bytes) noexcept {
    bytes_ += bytes;
    site_data& at = attached.notes.site(site_);
    const int size_class = bytes <= 1 ? 0 : 64 - __builtin_clzll(bytes - 1);
    ++at.sizes[size_class < size_classes ? size_class : size_classes - 1];
  }

  [[nodiscard]] ticks begin() const noexcept { return begin_; }
  [[nodiscard]] ticks end() const noexcept { return end_; }
  [[nodiscard]] int site() const noexcept { return site_; }
  [[nodiscard]] bool is_waiting() const noexcept { return waits_; }
  /// Computation of this thread until this call, as if it had begun with the rank.
  [[nodiscard]] ticks useful_before() const noexcept {
    return begin_ - attached.notes.header().begin - own_thread.in_mpi;
  }

 private:
  void book() noexcept {
    site_data& at = attached.notes.site(site_);
    profile_header& h = attached.notes.header();
    const ticks time = end_ - begin_;
    ++at.count;
    at.bytes += bytes_;
    at.time += time;
    if (waits_) at.waited += time;
    if (in_vain_) ++at.fails;
    own_thread.in_mpi += time;
    if (own_thread.is_main) [[likely]] {
      h.in_mpi = own_thread.in_mpi;
    } else {
      h.in_mpi_others += time;
      h.others += computed_ + time;
    }
    h.end = end_;
    if (attached.progresses) attached.wakes.was_inside(end_);
    own_thread.last_exit = end_;
    own_thread.last_site = site_;
    if (attached.notes_calls)
      attached.notes.add_call(own_thread.number, begin_, end_, site_, bytes_, in_vain_,
                              own_thread.failing_loop);
    own_thread.knows_processor_time = false;
    if (at.readings_left > 0) [[unlikely]]
      read_processor_clock(at);
  }
  void end_of_long_computation() noexcept;
  static void read_processor_clock(site_data& at) noexcept;

  ticks begin_;
  ticks end_ = 0;
  ticks computed_ = 0;
  int site_ = 0;
  std::uint64_t bytes_ = 0;
  bool waits_ = false;
  bool in_vain_ = false;
};

}  // namespace plait::attach
