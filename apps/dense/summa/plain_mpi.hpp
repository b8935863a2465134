// SPDX-License-Identifier: BSD-3-Clause
/// The messages of SUMMA in plain MPI: the transposition of an operand, the panels and the sums of
/// a step.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "problem.hpp"

namespace summa {

/// The panels and sums of one step, with the requests of their messages.
class plain_step {
 public:
  /// Memory for the widest step of a problem, which outlives this.
  explicit plain_step(problem& p);

  /// Exchanges the panels of a step, blocking.
  void broadcast(const step& s);
  /// Broadcasts in parts: starts, looks (true: done), waits.
  void start_broadcast(const step& s);
  [[nodiscard]] bool test();
  void wait();
  /// Adds up this step's sums on the processes that own them, blocking; and the start of it.
  void reduce(const step& s);
  void start_reduce(const step& s);

  [[nodiscard]] step_panels panels(const step& s) const;
  [[nodiscard]] std::span<double> sums(const step& s);
  /// Returns what the sums add up to, on the processes that own them.
  [[nodiscard]] std::span<const double> totals(const step& s) const;
  /// Fills the panels with stand-ins, and returns them.
  void fill();
  [[nodiscard]] step_panels stand_ins() const { return {x_, y_}; }

 private:
  [[nodiscard]] bool sends_x(const step& s) const { return s.row_root == p_.grid.q(); }
  /// Returns the memory that a broadcast of x reads or writes.
  [[nodiscard]] double* x_of(const step& s);

  problem& p_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> sums_;
  std::vector<double> totals_;
  std::vector<MPI_Request> requests_;
};

/// Transposes the operands that a form wants transposed.
class plain_transposition {
 public:
  explicit plain_transposition(problem& p);
  void run();
  /// The messages alone.
  void exchange();

 private:
  struct one {
    const transposition* how;
    std::span<const double> from;
    std::span<double> to;
    std::vector<double> out = {};
    std::vector<double> in = {};
    std::vector<int> out_counts = {}, out_places = {}, in_counts = {}, in_places = {};
  };
  void add(const transposition& how, std::span<const double> from, std::span<double> to);

  problem& p_;
  std::vector<one> all_;
};

/// All messages of `base`, and nothing else; `sparsely`: sleeps for the interval whenever nothing
/// has come.
void exchange_all(problem& p, plain_step& buffers, plain_transposition& operands);
void exchange_all_sparsely(problem& p, plain_step& buffers, plain_transposition& operands,
                           std::chrono::microseconds interval);

}  // namespace summa
