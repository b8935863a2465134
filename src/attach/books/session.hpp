// SPDX-License-Identifier: BSD-3-Clause
/// The session of this process: the switches, the notebook, and the known communicators and
/// requests of the program.  It lives from MPI's start to its end.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "attach/books/datatype_sizes.hpp"
#include "attach/books/notebook.hpp"
#include "attach/books/requests.hpp"
#include "attach/books/settings.hpp"
#include "attach/calls/communicators.hpp"
#include "attach/progress/token.hpp"
#include "attach/progress/wakes.hpp"

namespace plait::attach {

/// Handles of what the program has made and not given up.  Any thread may ask how many.
template <class Handle>
class known_handles {
 public:
  void add(Handle one) {
    known_.push_back(one);
    count_.store(static_cast<int>(known_.size()));
  }
  void remove(Handle one) noexcept {
    std::erase(known_, one);
    count_.store(static_cast<int>(known_.size()));
  }
  [[nodiscard]] bool has(Handle one) const noexcept {
    return std::ranges::find(known_, one) != known_.end();
  }
  [[nodiscard]] int count() const noexcept { return count_.load(); }

 private:
  std::vector<Handle> known_;
  std::atomic<int> count_{0};
};

struct session {
  settings asked;
  notebook notes;
  communicators spaces;
  datatype_sizes sizes;
  requests pending;
  look_token token;
  attach::wakes wakes;
  spin_lock books;  ///< where several threads call MPI at once
  bool locks_books = false;
  bool locks_token = false;
  bool progresses = false;
  bool notes_calls = false;
  bool verifies = false;
  MPI_Comm own = {};  ///< of all ranks, for this library
  known_handles<MPI_Op> user_operations;
  known_handles<MPI_Win> windows;  ///< to which other ranks may have access by messages

  /// Written by the thread that looks.
  [[nodiscard]] ticks looked() noexcept {
    return std::atomic_ref(notes.header().looked).load(std::memory_order_relaxed);
  }
};

/// Never destroyed: threads of the program may call MPI while it ends.
extern session& attached;
/// True while calls are noted: not before MPI has started, after it has ended, or in a child
/// process.
extern std::atomic<bool> is_attached;

}  // namespace plait::attach
