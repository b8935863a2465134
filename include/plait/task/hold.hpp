// SPDX-License-Identifier: BSD-3-Clause
/// Keeps a task unfinished after its function has returned, until somebody lets it go: a callback
/// of a library, a thread of the program's own.  Not here: who polls meanwhile
/// (progress_source.hpp).
#pragma once

#include <plait/core/cxx20.hpp>

#include <exception>
#include <utility>

namespace plait {

class scheduler;

namespace detail {
class family;
}

/// Names a task that others finish: its function gets a `hold` in the place of this word.
struct held_word {};
inline constexpr held_word held;

/// The right to finish a task, and the duty.  A task submitted with `held` is finished when its
/// function has returned, the tasks that it has submitted are finished, and all its holds are
/// released.  A worker finishes the task then, never the thread that releases; so a release is
/// legal in a callback of any library that may wake a thread.  A hold that is destroyed unreleased
/// fails its task, and `wait` names the task.
///
/// Any thread may own a hold, and one at a time.  The scheduler outlives it.
///
///     void read_page(std::span<std::byte> to, int file, plait::hold until) {
///       ring.read(file, to, std::move(until));  // returns at once; the ring releases
///     }
///     rt.task("read", read_page, out(page), file, plait::held);
class [[nodiscard]] hold {
 public:
  /// Makes a hold of nothing, to be assigned later.
  hold() noexcept = default;
  hold(hold&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  hold& operator=(hold&& other) noexcept {
    hold taken(std::move(other));
    std::swap(of_, taken.of_);
    return *this;
  }
  /// Fails the task if the hold is open: "its hold was dropped".  Not where the function of the
  /// task throws: then that is the failure.
  ~hold();

  [[nodiscard]] bool is_open() const noexcept { return of_ != nullptr; }
  /// Lets the task go.  Precondition: `is_open()`.  Never waits for a lock: an atomic subtraction
  /// and, of the last hold, a push to a lock-free stack and a wake-up where a worker sleeps.
  void release() noexcept;
  /// Lets the task go as one that has failed: `wait` rethrows `why`, unless another failure came
  /// first.  Precondition: `is_open()`, and `why` is an exception.  Takes a lock for a moment.
  void fail(std::exception_ptr why) noexcept;
  /// Makes one more hold of the task.  Precondition: `is_open()`.
  [[nodiscard]] hold another() const;

  /// Returns which scheduler the task belongs to, for layers that keep their own part of it; null
  /// if the hold is not open.
  [[nodiscard]] const void* owner() const noexcept;

  /// Makes a hold of the task whose function calls; for what `held` stands for.  A held task does
  /// not count against the in-flight limit, unless one of its holds was made with `counts`.
  [[nodiscard]] static hold of_calling_task(bool counts = false);

 private:
  friend class scheduler;
  explicit hold(detail::family& of) noexcept : of_(&of) {}

  detail::family* of_ = nullptr;
};

}  // namespace plait
