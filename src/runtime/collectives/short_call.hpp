// SPDX-License-Identifier: BSD-3-Clause
/// A short collective call as one task.  Its messages and combinations follow each other in the
/// threads that complete them, as LibNBC's rounds do, so that no step costs a task.  Calls that are
/// longer, recorded, traced or checked are a task a step: collective_calls.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <plait/collective/schedule.hpp>
#include <plait/comm/collective/library_call.hpp>
#include <plait/comm/communicator.hpp>
#include <plait/comm/engine.hpp>
#include <plait/comm/operation.hpp>
#include <plait/core/strided_bytes.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/scheduler.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

class collective_agreement;
struct runtime_state;

/// Addresses at which the buffers of a schedule begin.
struct schedule_memory {
  std::uintptr_t send = 0;
  std::uintptr_t receive = 0;
  std::uintptr_t scratch = 0;

  [[nodiscard]] byte_range of(const collective::slice& one) const noexcept {
    const std::uintptr_t base = one.where == collective::buffer::send      ? send
                                : one.where == collective::buffer::receive ? receive
                                                                           : scratch;
    return {base + one.begin, base + one.end};
  }
};

/// One call at a time on the same memory among the same ranks: calls that repeat prepare nothing.
///
/// One thread at a time begins the steps, in their order.  `open_` has a bit for each message that
/// is not finished, and one for the node.  At a step that shares bytes with an open message the
/// thread sets `stopped` and leaves.  Who finishes a message clears its bit and `stopped` together,
/// and if that was set, goes on in that thread's place.  Behind the last step the thread sets
/// `all_begun`, and who clears the last bit then ends the call.  So the thread that clears a bit
/// touches the call afterwards only where nobody else does, and the call is taken for another one,
/// by the submitting thread, only after all have let go of it.  The changes of `open_` (acq_rel)
/// order what a step writes before what later steps read.
class short_call : begun_operation {
 public:
  /// Bytes of the largest message or combination.  Whoever completes a message combines so much
  /// before it goes on, perhaps with the token.  [instructions: to combine 128 doubles takes 492,
  /// 16 of them 100; an empty task with one access 693]
  static constexpr std::size_t most_bytes = 1024;
  static constexpr std::size_t most_steps = 61;

  [[nodiscard]] static bool suits(const collective::schedule& steps) noexcept;
  /// Bytes that a call reads, and those that it writes and may read.
  using accesses = std::pair<byte_range, byte_range>;
  /// `messages`: what these have in common.  `agreement`: gives a verdict at the end, or null.
  /// Precondition: `suits`.
  short_call(runtime_state& home, const collective::schedule& steps, const operation& messages,
             schedule_memory memory, const accesses& touched,
             std::shared_ptr<collective_agreement> agreement = nullptr);

  /// Submits the call.  `may_begin`: nothing in flight touches what it writes.  One that ends at
  /// once, with what other ranks have sent before, or while the program waits for nothing else,
  /// needs no node.  `together`: holds the token over the starts, or does not.  Precondition: it is
  /// free.  Submitting thread.
  void submit(task_name name, const std::shared_ptr<const combine_bytes>& combine,
              const communicator& among, bool may_begin, std::unique_lock<engine>&& together = {});
  /// Returns whether no call is in flight here.  Submitting thread.
  [[nodiscard]] bool is_free() const noexcept { return is_free_.load(std::memory_order_acquire); }

  /// Returns the operation that stands for the call of a node in reports; null for another node.
  [[nodiscard]] static const operation* shown(const detail::task_node& node) noexcept;

 private:
  struct step : operation {
    short_call* home = nullptr;
    const std::byte* from = nullptr;  ///< of what is combined or copied to `buffer`
    collective::action::kind does = collective::action::kind::copy;
    bool to_is_left = false;
    std::uint64_t bit = 0;        ///< of a message; what is no message is over once it has begun
    std::uint64_t waits_for = 0;  ///< earlier messages
  };
  static constexpr std::uint64_t with_node = std::uint64_t{1} << 61U;
  static constexpr std::uint64_t stopped = std::uint64_t{1} << 62U;
  static constexpr std::uint64_t all_begun = std::uint64_t{1} << 63U;

  [[nodiscard]] bool go_on() noexcept;
  void all_have_begun() noexcept;
  [[nodiscard]] bool start(step& one) noexcept;
  void compute(const step& one) noexcept;
  void end() noexcept;
  void become_free() noexcept;
  void submit_node();
  void let_go_of_node() noexcept;
  void forget_node() noexcept;
  static void completed(operation& self, const std::exception_ptr& failure) noexcept;
  static void act(detail::task_node& node, detail::node_action action);
  [[nodiscard]] static short_call& in(const detail::task_node& node) noexcept;

  runtime_state& home_;
  operation shown_;
  const std::size_t count_;
  const std::unique_ptr<step[]> steps_;
  std::shared_ptr<std::byte> scratch_;
  const accesses touched_;
  const std::shared_ptr<collective_agreement> agreement_;
  std::shared_ptr<const combine_bytes> combine_;
  /// Null: none that waits for the end.  Until there is one, `with_node` is the submitting
  /// thread's.
  detail::task_node* node_ = nullptr;
  bool has_begun_ = false;
  std::uint64_t messages_ = 0;
  std::size_t next_ = 0;    ///< step to begin
  std::uint64_t over_ = 0;  ///< messages that were over at once; open until all have begun
  std::atomic<std::uint64_t> open_{0};
  std::atomic<bool> is_free_{true};
};

/// Calls on the same memory that are in flight at once.  Submitting thread.
class short_calls {
 public:
  /// Returns one that is free, by `make()` if there is none, or null where too many are in flight.
  [[nodiscard]] short_call* take(const auto& make) {
    if (!all_.empty()) {
      next_ = next_ + 1 < all_.size() ? next_ + 1 : 0;  // the one that was taken longest ago
      if (all_[next_]->is_free()) return all_[next_].get();
    }
    if (all_.size() == most) return nullptr;
    next_ = all_.size();
    all_.push_back(make());
    return all_.back().get();
  }
  [[nodiscard]] bool are_free() const noexcept {
    for (const auto& one : all_) {
      if (!one->is_free()) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t most = 64;
  std::vector<std::unique_ptr<short_call>> all_;
  std::size_t next_ = 0;
};

}  // namespace plait
