// SPDX-License-Identifier: BSD-3-Clause
/// The processor's counters of cycles and instructions, where the kernel lets a program read them.
#pragma once

#include <cstdint>
#include <optional>

namespace plait::attach {

struct counted_work {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
};

/// Counts for the thread that opens it, in user mode.  Its file has a high number: a program that
/// closes all files it knows nothing of may give the number to a file of its own, and a reading
/// would take from that.
class instruction_counters {
 public:
  /// Errors: none; where the kernel refuses, nothing is counted.  `stand_in`: counts nanoseconds
  /// instead of both, where a machine has no counters.
  void open(bool stand_in) noexcept;
  [[nodiscard]] bool are_open() const noexcept { return file_ >= 0; }
  /// A system call.  Returns nothing where the counters could not be read.
  [[nodiscard]] std::optional<counted_work> read() const noexcept;

 private:
  int file_ = -1;
};

/// Those of the thread that started MPI.
extern instruction_counters counters;

}  // namespace plait::attach
