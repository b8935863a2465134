// SPDX-License-Identifier: BSD-3-Clause
/// A rank's block as other languages get it, and the events of the kernel that they call.
#pragma once

#include <vector>

#include "block.h"
#include "tasks/tasks.hpp"

namespace jacobi3d {

/// Pieces and messages of a step.  The block that it describes lives as long as it.
class step_pieces {
 public:
  step_pieces(const plait::environment& env, problem& p, const plait::runtime_options& how);
  step_pieces(const step_pieces&) = delete;
  step_pieces& operator=(const step_pieces&) = delete;

  [[nodiscard]] const jacobi3d_block& block() const noexcept { return block_; }

 private:
  void add_messages(const plait::environment& env, const problem& p, std::int64_t message);

  std::vector<jacobi3d_cells> interior_, rim_;
  std::vector<jacobi3d_message> sends_, receives_;
  plait::view<double, 3> shape_;  ///< of u
  jacobi3d_block block_{};
};

/// Forgets which pieces the kernel has computed.  Nothing runs meanwhile.
void forget_kernel_events();
/// Returns them, a lane for each thread; the first 65536 since they were forgotten.
[[nodiscard]] std::vector<plait::trace_event> kernel_events(int rank);

}  // namespace jacobi3d
