// SPDX-License-Identifier: BSD-3-Clause
/// A panel of nb columns: where it lies, what of it travels, its factorisation, and its use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>

namespace hpl {

class linear_system;
class pivot_search;

/// Place of panel k in the matrix and among the processes.
struct panel_place {
  int k = 0;
  std::int64_t first = 0;         ///< its first row and column
  std::int64_t width = 0;         ///< columns
  int p = 0;                      ///< process row of its diagonal block
  int q = 0;                      ///< process column of all of it
  std::int64_t local_row = 0;     ///< this process's first row that is not above it
  std::int64_t local_column = 0;  ///< its first column on the process column that has it
  std::int64_t below = 0;         ///< this process's rows below the diagonal block
};

/// Lays out what travels of a panel, in one piece: pivots, the first column without one, the
/// factors of the diagonal block, and the rows of L below it that are the process row's.
template <class Value>
struct panel_view {
  std::span<Value> all;
  std::int64_t width = 0;
  std::int64_t below = 0;

  [[nodiscard]] Value* pivots() const { return all.data(); }
  [[nodiscard]] Value& zero_pivot() const { return all[static_cast<std::size_t>(width)]; }
  [[nodiscard]] Value* diagonal() const { return all.data() + width + 1; }
  [[nodiscard]] Value* lower() const { return diagonal() + width * width; }
};
using panel = panel_view<double>;
using const_panel = panel_view<const double>;

[[nodiscard]] std::int64_t panel_size(const panel_place& at);
[[nodiscard]] panel panel_in(std::vector<double>& memory, const panel_place& at);
[[nodiscard]] const_panel panel_in(std::span<const double> memory, const panel_place& at);

/// Says whether a factorisation asks the other processes of its column.
enum class pivoting : std::uint8_t { of_column, of_process };

// What is done with panels.  Functions touch no cells but those of their arguments: of the system
// they read its layout and settings.  `columns`: neighbouring ones of this process's part; `done`:
// the memory of a panel that has been factored.

/// Factors a panel's columns in place, with row exchanges within them, and copies into `to` what
/// travels.  Recursive.  On the processes of the column that has it; calls MPI, which in a task
/// suspends.
void factor_panel(const linear_system& system, const panel_place& at, pivoting among,
                  std::span<double> columns, std::span<double> to, pivot_search& search);
/// Keeps what a panel says of its pivots, and the first column without one.
void note_pivots(const panel_place& at, std::span<const double> done,
                 std::span<std::int64_t> pivots, std::int64_t& zero_pivot);

/// Rows that a process column exchanges for some columns before it applies a panel: those that come
/// into the diagonal block, `width` to a column, and those that leave it.
struct exchanged_rows {
  std::vector<double> in;
  std::vector<double> out;
};

/// Copies this process's share of the rows; 0 where a row is another's.
void collect_rows(const linear_system& system, const panel_place& at, std::span<const double> done,
                  std::span<const double> columns, std::span<double> in, std::span<double> out);
/// Applies a panel to some columns, with rows exchanged between processes: `in` and `out` are
/// complete.
void apply_panel(const linear_system& system, const panel_place& at, std::span<const double> done,
                 std::span<double> columns, std::span<double> in, std::span<const double> out);
/// Applies a panel where the process column has one process.
void apply_panel_alone(const linear_system& system, const panel_place& at,
                       std::span<const double> done, std::span<double> columns);

}  // namespace hpl
