// SPDX-License-Identifier: BSD-3-Clause
/// A move carried out without tasks, as KeLP's Mover: `start`, compute, `wait`.  With tasks:
/// runtime::move.
#pragma once

#include <memory>

#include <plait/comm/engine.hpp>
#include <plait/mover/move_plan.hpp>

namespace plait {

/// A plan on an engine, which is used again and again.  [KeLP's Mover with `start()` and `wait()`,
/// multitier-kelp, section 3.3]  Where the engine has a proxy thread (`progress::dedicated`,
/// `progress::sleeping`) that carries the messages meanwhile, KeLP's OLAP+XTRA; with
/// `progress::none` they are non-blocking MPI, which moves in `test` and `wait` only, OLAP.
///
/// All ranks start the movers of one engine in the same order, each as often; several may be under
/// way at once, but one alone of those made from copies of one plan, which share its buffers.  From
/// `start` to the end of `wait` the program changes no cell the move reads, and neither reads nor
/// writes a cell that messages bring.  What needs none is there when `start` returns: copies within
/// the rank, and ghosts behind the physical boundary beside own cells.  One thread, the one that
/// made it, calls its members.
///
///     plait::engine messages{env, {.policy = plait::progress::dedicated}};
///     plait::mover ghosts{plait::ghosts_of(u), messages};
///     ghosts.start();
///     relax(inner cells);
///     ghosts.wait();
///     relax(rim);
class mover {
 public:
  /// Local.  The engine must outlive the mover.
  mover(move_plan plan, engine& messages);
  /// Waits; where an exception that came after it was made unwinds the stack it gives up what is in
  /// flight instead, and the engine communicates no more.  If MPI does not let go of the cells, the
  /// job ends.
  ~mover();
  mover(mover&&) noexcept;
  mover& operator=(mover&&) = delete;

  /// Packs, starts all messages, and does what needs none.  Preconditions: what was started before
  /// has been waited for; nothing else carries out this plan or a copy of it.
  void start();
  /// Drives communication and unpacks what has come; returns whether the move is over.  Errors: as
  /// `wait`.
  bool test();
  /// Returns when all cells are where they belong, and those that were sent may be changed. Without
  /// a `start` before it, at once.  Errors: what became of a message that failed; `error` if
  /// communication was given up on this engine.
  void wait();
  /// `start` and `wait`: no overlap, KeLP's !OLAP.
  void run() {
    start();
    wait();
  }

  [[nodiscard]] const move_plan& plan() const noexcept;

 private:
  struct implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace plait
