// SPDX-License-Identifier: BSD-3-Clause
/// Lets the messages of a program go on that keeps its own requests and calls MPI itself.  Not
/// here: messages of plait's own (engine.hpp).
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>

namespace plait {

/// A scope in which a thread of plait looks after messages that the program has started, by the
/// schedule of `plait attach`, while the program computes.
///
///     MPI_Irecv(…); MPI_Isend(…);
///     {
///       const plait::background_progress looked_after;
///       compute();
///     }
///     MPI_Waitall(…);
///
/// Scopes may be nested and may overlap in several threads: a process has one such thread, which
/// looks at a request of its own and sleeps between two looks.  Operations of the program's own, as
/// MPI_Op_create makes them, may run on that thread.  Any thread.
class background_progress {
 public:
  /// Errors: usage_error unless MPI has been initialised with MPI_THREAD_MULTIPLE and has not
  /// ended; `error` when MPI or the system refuses.
  background_progress() { start(0); }
  ~background_progress() { stop(); }
  background_progress(const background_progress&) = delete;
  background_progress& operator=(const background_progress&) = delete;

  /// Begins a scope, for callers without scopes.  `interval_s`: between two looks; 0: as looks pay.
  /// That of the outermost scope counts.  Errors: those of the constructor, and usage_error for an
  /// interval that is negative or no number.
  static void start(double interval_s);
  /// Ends a scope.  Once the last has ended, the thread calls MPI no more.  Waits for a look that
  /// is under way.  No effect without a scope.  MPI_Finalize ends all scopes.
  static void stop() noexcept;

  /// Returns how often the thread has looked so far.
  [[nodiscard]] static std::uint64_t looks() noexcept;
};

}  // namespace plait
