// SPDX-License-Identifier: BSD-3-Clause
/// Memory of each rank that the others may read and write.  Not here: what they do with it
/// (one_sided_calls.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <plait/comm/exposed_memory.hpp>

namespace plait {

class submitter;

namespace detail {

/// Ends a window when its handle goes.
class window_lease {
 public:
  window_lease(submitter& owner, std::shared_ptr<exposed_memory> memory) noexcept
      : owner_(&owner), memory_(std::move(memory)) {}
  window_lease(window_lease&& other) noexcept = default;
  window_lease& operator=(window_lease&&) = delete;
  ~window_lease();

  [[nodiscard]] const std::shared_ptr<exposed_memory>& memory() const noexcept { return memory_; }

 private:
  submitter* owner_;
  std::shared_ptr<exposed_memory> memory_;  ///< null when moved from
};

}  // namespace detail

/// One span of each rank, of any length, that all ranks may `get` from and `put` to.  Made by
/// `runtime::window` or `allocate_window`, collective; so is its end, which waits until this rank's
/// tasks have finished, as `runtime::wait` does, and the other ranks' too.  After a failure on this
/// rank, and while an exception unwinds the stack (then its runtime communicates no more), it does
/// not wait. The spans must live until then, and the window must end before its runtime.  Indices
/// and offsets count elements.
template <class T>
class window {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "the elements of a window must be trivially copyable, and not const");

 public:
  window(detail::window_lease lease, std::span<T> own) noexcept
      : lease_(std::move(lease)), own_(own) {}

  /// Returns this rank's part.  Its tasks name the part in their accesses like any other memory.
  [[nodiscard]] std::span<T> local() const noexcept { return own_; }
  /// Returns the number of elements of a rank's part.
  [[nodiscard]] std::size_t size(int rank) const { return memory()->size_bytes(rank) / sizeof(T); }

  /// Returns what operations run on (never `automatic`), and the reason.
  [[nodiscard]] const window_choice& chosen() const noexcept { return memory()->chosen(); }

  /// Returns the memory behind the window, for the layers that carry operations out.
  [[nodiscard]] const std::shared_ptr<exposed_memory>& memory() const noexcept {
    return lease_.memory();
  }

 private:
  detail::window_lease lease_;
  std::span<T> own_;
};

}  // namespace plait
