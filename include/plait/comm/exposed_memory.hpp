// SPDX-License-Identifier: BSD-3-Clause
/// Memory that other ranks may read and write: what a window is to an engine.  Not here: tasks
/// (runtime/window.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <plait/comm/engine.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/served_window.hpp>
#include <plait/comm/windows_on.hpp>

namespace plait {

/// Options of a window besides its memory.
struct window_options {
  /// Number of flags that each rank has for the signals of each other rank.  The same on every
  /// rank.
  int flags = 16;
  /// The carrier of operations, equal on every rank.  The environment variable PLAIT_WINDOWS
  /// (messages, rma or auto) overrides this option.
  windows_on on = windows_on::messages;
};

/// One rank's memory in a window.
struct window_part {
  void* begin = nullptr;
  std::size_t size_bytes = 0;
  /// The window finds memory, which is zero and lives until the window's end.  Then `begin` means
  /// nothing.  The same on every rank.
  bool is_to_be_found = false;
};

/// All ranks have come to some place.  Begun by the thread that enqueues, on each rank as often and
/// in the same order; collective, but does not block.
class arrival final : private awaited {
 public:
  /// Errors: MPI errors.
  arrival(environment& env, engine& messages);
  /// Precondition: it is over.
  ~arrival();
  arrival(const arrival&) = delete;
  arrival& operator=(const arrival&) = delete;

  /// Any thread.
  [[nodiscard]] bool is_over() const noexcept;
  /// After that: whether not all ranks have come, because this one's communication has been given
  /// up.
  [[nodiscard]] bool was_given_up() const noexcept { return given_up; }

 private:
  struct implementation;
  std::unique_ptr<implementation> self_;
};

/// One rank's part of a window.
///
/// Order.  Two operations of one rank on the same bytes of the same target take effect in the order
/// in which they are *posted*, if the first has completed before; nothing else orders them here.
/// What a signal says is true: it is raised when the data of its put is in the target's memory.
/// The k-th wait for (source, flag) completes when the k-th signal that was *enqueued* there for
/// (this rank, flag) is raised, whichever comes first.
class exposed_memory {
 public:
  using address = std::uintptr_t;

  /// Collective; blocks, so all ranks should be known to be about to call it (`arrival`).  The
  /// caller's memory stays the caller's, and in place.  Errors, on all ranks: usage_error for
  /// options out of range and when these differ; `error` when a rank has too few addresses, and
  /// where MPI makes no window of its own that is asked for.  MPI errors.
  exposed_memory(environment& env, engine& messages, const window_part& part,
                 const window_options& options);
  /// Local.  Precondition: `end` was called.
  ~exposed_memory();
  exposed_memory(const exposed_memory&) = delete;
  exposed_memory& operator=(const exposed_memory&) = delete;

  /// The end of its use.  Collective where `together`, and then all ranks' operations must have
  /// completed; else, after a failure, this rank answers others no more.
  void end(bool together);
  [[nodiscard]] bool has_ended() const noexcept;

  /// Returns where this rank's memory begins.
  [[nodiscard]] void* begin() const noexcept;
  /// Returns what operations run on, and the reason.
  [[nodiscard]] const window_choice& chosen() const noexcept;
  [[nodiscard]] std::size_t size_bytes(int rank) const;
  /// Returns an address that stands for the memory of `rank`, for a process that orders accesses by
  /// addresses.  Nothing else has that address.  Not to be touched.
  [[nodiscard]] address stand_in(int rank) const;

  /// Returns a number below -1 for each flag, a tag for traces.  Windows that live at the same time
  /// have different numbers.
  [[nodiscard]] int trace_tag(int flag) const noexcept;

  /// Errors: usage_error for a peer, bytes or a flag out of range; `error` after the end.
  void expect_in_range(const operation& op) const;

  /// Returns the window as the engine sees it: the `home` of operations on this window.
  [[nodiscard]] served_window& served() noexcept;

 private:
  struct implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace plait
