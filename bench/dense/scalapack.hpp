// SPDX-License-Identifier: BSD-3-Clause
/// ScaLAPACK's solution of a system and its product of matrices, as variants of our applications:
/// on their memory, dealt as theirs is.
#pragma once

#include <cstdint>
#include <memory>

#include <plait/plait.hpp>

#include "common/mesh.hpp"
#include "hpl/variant.hpp"
#include "summa/variant.hpp"

namespace plait::bench::dense {

/// The process grid of BLACS that lies where a mesh does.
class blacs_grid {
 public:
  /// Collective.  Errors: plait::error where ScaLAPACK would not call the BLAS that our variants
  /// do.
  explicit blacs_grid(const plait::dense::mesh& like);
  ~blacs_grid();
  blacs_grid(const blacs_grid&) = delete;
  blacs_grid& operator=(const blacs_grid&) = delete;

  [[nodiscard]] int context() const noexcept { return context_; }

 private:
  int context_ = 0;
};

/// pdgesv: factors and solves.  `logical_block` is what PBLAS cuts its work into (pilaenv_); 0 =
/// ScaLAPACK's own.  `on` outlives the variant.
[[nodiscard]] std::unique_ptr<hpl::variant> make_pdgesv(const blacs_grid& on, int logical_block);

/// pdgemm.  Precondition: C is stationary and no operand transposed, so that matrices are dealt in
/// equal blocks.
[[nodiscard]] std::unique_ptr<summa::variant> make_pdgemm(const blacs_grid& on, int logical_block);

}  // namespace plait::bench::dense
