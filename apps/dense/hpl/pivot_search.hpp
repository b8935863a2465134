// SPDX-License-Identifier: BSD-3-Clause
/// The search for a pivot among the processes of a column: messages in pairs, each with the largest
/// entry so far, its row, and the row that makes room for it.  [HPL 2.x, HPL_pdmxswp]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>

namespace hpl {

/// Holds what a process knows of one column, and after `run` what all know.
class pivot_search {
 public:
  /// For panels of `width` columns among the processes of `column`; MPI_COMM_NULL: this one alone.
  pivot_search(std::int64_t width, MPI_Comm column);

  /// Begins with no candidate.
  void clear();
  void set_candidate(double magnitude, std::int64_t row);
  void set_has_current() { message_[3] = 1; }
  /// The candidate's row, and the current one.
  [[nodiscard]] std::span<double> pivot_row() { return std::span(message_).subspan(4, width_); }
  [[nodiscard]] std::span<double> current_row() {
    return std::span(message_).subspan(4 + width_, width_);
  }
  [[nodiscard]] double magnitude() const { return message_[0]; }
  [[nodiscard]] std::int64_t row() const { return static_cast<std::int64_t>(message_[1]); }
  [[nodiscard]] bool has_current() const { return message_[3] != 0; }

  /// Blocks; in a task it suspends the task.
  void run();

 private:
  void take_better();
  void send(int peer);
  void receive(std::vector<double>& into, int peer);

  std::size_t width_;
  MPI_Comm column_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<double> message_;  ///< magnitude, row, unused, has current, pivot row, current row
  std::vector<double> theirs_;
};

}  // namespace hpl
