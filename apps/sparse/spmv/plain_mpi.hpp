// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the variants of plain MPI have in common: all but the product.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "common/ghost_exchange.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace spmv {

class plain_mpi : public variant {
 public:
  plain_mpi(plait::environment& env, setting solves)
      : communicator_(plait::native(env)), solves_(solves) {}

  [[nodiscard]] setting solves() const noexcept final { return solves_; }

  void prepare(problem& p) final;
  void run(problem& p, int steps, const step_range& recorded) final;
  [[nodiscard]] run_report finish(problem& p) final;

 protected:
  /// y = A x, with whatever that needs, and `add_squares` of each piece.
  virtual void multiply(problem& p) = 0;
  /// Adds a finished piece of y to the step's sum.
  void add_squares(problem& p, std::size_t piece);

  /// The whole product and its squares, piece by piece, ghosts being there.
  void multiply_all(problem& p);

  MPI_Comm communicator_;
  std::optional<plait::sparse::ghost_exchange> ghosts_;
  plait::measure::stopwatch watch_;

 private:
  void after_product(problem& p);
  [[nodiscard]] double sum_of_all_pieces();

  setting solves_;
  std::vector<double> sums_;  ///< by piece
};

}  // namespace spmv
