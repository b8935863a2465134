// SPDX-License-Identifier: BSD-3-Clause
/// Looks of the progress thread: calls of MPI that let messages move.
#pragma once

#include <cstdint>

#include "attach/books/requests.hpp"
#include "attach/calls/real_functions.hpp"
#include "attach/progress/wakes.hpp"

namespace plait::attach {

/// Looks with a request of the program's own where it may touch those, so that it learns when all
/// is complete; with one of its own otherwise.  A look of either kind drives the library once.  The
/// progress thread, but for the constructor and destructor, which call MPI too.
class looks {
 public:
  explicit looks(bool takes_token);
  ~looks();
  looks(const looks&) = delete;
  looks& operator=(const looks&) = delete;

  /// Looks once, but not while the program is inside MPI, which drives its messages itself, nor
  /// where the library might run an operation of the program's on this thread.  Returns false in
  /// the first case.
  [[nodiscard]] bool look() noexcept;
  /// Returns true if the program is in MPI, where that keeps this thread from looking.
  [[nodiscard]] bool program_is_inside() const noexcept;

  /// The end of the last look, or of the last try.
  [[nodiscard]] ticks last() const noexcept { return last_; }
  /// The last time at which a look has found something complete.
  [[nodiscard]] ticks completed_at() const noexcept { return completed_at_; }
  /// No request of the program's is open, as far as the last look could tell.
  [[nodiscard]] bool all_complete() const noexcept { return all_complete_; }
  void posted() noexcept { all_complete_ = false; }
  /// The oldest open request may be a collective, whose next round begins in another look.
  [[nodiscard]] bool may_have_rounds() const noexcept { return may_have_rounds_; }

 private:
  [[nodiscard]] bool look_at_programs() noexcept;
  void look_at_own() noexcept;
  void note_time_looked_after(ticks until) noexcept;

  const bool takes_token_;
  MPI_Request own_request_{};
  ticks last_ = 0;
  ticks looked_after_until_ = 0;
  ticks completed_at_ = 0;
  bool all_complete_ = false;
  bool may_have_rounds_ = true;
};

}  // namespace plait::attach
