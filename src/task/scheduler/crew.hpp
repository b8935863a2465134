// SPDX-License-Identifier: BSD-3-Clause
/// The threads that run tasks: who they are, and what they have counted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

#include "task/scheduler/resource_threads.hpp"
#include "task/scheduler/worker.hpp"

namespace plait::detail {

/// Workers, of which number 0 is the submitting thread, and the threads of resources.
///
/// A place of a resource is filled before a task names it, and stays.  Any thread reads the place
/// that its task names.  How many there are, only the submitting thread asks.
class crew {
 public:
  /// `capacity`: at least the number of tasks that can be ready at once.
  crew(int workers, std::size_t capacity);

  /// Says which crew's worker a thread is.
  struct role {
    const crew* of = nullptr;
    scheduler* facade = nullptr;
    worker* self = nullptr;
  };
  /// Of the running thread.  In the static block, and read without a call, in a library too.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit role here;
  /// Returns `here`, not inlined: see `scheduler::of_suspendable_task`.
  [[nodiscard]] static role this_role() noexcept;

  /// Returns null for a thread that is not of this crew.
  [[nodiscard]] worker* this_worker() const noexcept {
    return here.of == this ? here.self : nullptr;
  }
  [[nodiscard]] worker& submitter() const noexcept { return *workers_.front(); }
  /// Returns whether the submitting thread calls, outside of tasks.
  [[nodiscard]] bool in_program() const noexcept {
    const worker& w = submitter();
    return here.self == &w && w.in_task.load(std::memory_order_relaxed) == nullptr;
  }
  [[nodiscard]] const auto& workers() const noexcept { return workers_; }
  [[nodiscard]] bool is_one() const noexcept { return workers_.size() == 1; }

  // --- Threads of resources ---------------------------------------------------------------------
  /// Errors: usage_error for a name that is empty or taken, or too few or too many threads.
  void check_resource(const std::string& name, int threads) const;
  /// Makes what a resource of `threads` threads needs, with `own` of them to be started; it counts
  /// once `keep_resource` is called.
  [[nodiscard]] resource_threads& add_resource(const std::string& name, int threads, int own);
  void keep_resource() noexcept { ++resource_count_; }
  [[nodiscard]] resource_threads& resource(std::uint8_t number) const noexcept {
    return *resources_[number - 1U];
  }
  /// The helper: a resource's, without a thread of its own.  Null if there is none.
  [[nodiscard]] worker* helper() const noexcept { return helper_; }
  void set_helper(worker& w) noexcept { helper_ = &w; }
  template <class Use>
  void for_each_resource(Use use) const {
    for (std::size_t i = 0; i < resource_count_; ++i) use(*resources_[i]);
  }
  template <class Use>
  void for_each_thread(Use use) const {
    for (const auto& w : workers_) use(*w);
    for_each_resource([&use](const resource_threads& one) {
      for (const auto& w : one.threads) use(*w);
    });
  }

  // --- Counts -----------------------------------------------------------------------------------
  using count = std::atomic<std::uint64_t> counters::*;
  /// Raises a count of `w`, or of the threads that are no workers (null).
  [[gnu::always_inline]] void raise(count which, worker* w) noexcept {
    if (w == nullptr) {
      (outside_.*which).fetch_add(1, std::memory_order_seq_cst);
    } else {
      std::atomic<std::uint64_t>& own = w->counts.*which;
      own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
  }
  [[nodiscard]] std::uint64_t total(count which) const noexcept;
  /// Gives a finished node back to the submitting thread.
  void give_back(task_node& node, worker* w) noexcept {
    (w != nullptr ? w->returned : outside_returned_).push(node);
  }
  /// Calls `use(list)` for what each has given back.  Submitting thread.
  template <class Use>
  void collect(Use use) {
    for_each_thread([&use](worker& w) { use(w.returned.take_all()); });
    use(outside_returned_.take_all());
  }

 private:
  std::vector<std::unique_ptr<worker>> workers_;
  std::array<std::unique_ptr<resource_threads>, scheduler::most_added_threads> resources_;
  std::size_t resource_count_ = 0;
  int resource_thread_count_ = 0;
  worker* helper_ = nullptr;
  alignas(128) counters outside_;
  node_stack outside_returned_;
};

}  // namespace plait::detail
