// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: base with communication switched off, the figure not to exceed.  Ghosts stay 0,
// and each rank has sums of its own: the same work on data of the same kind, and a product that can
// be checked.
#include <memory>

#include "plain_mpi.hpp"

namespace spmv {
namespace {

class ideal final : public plain_mpi {
 public:
  using plain_mpi::plain_mpi;
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }

 private:
  void multiply(problem& p) override { multiply_all(p); }
  [[nodiscard]] double sum_of_all(double own) override { return own; }
};

}  // namespace

std::unique_ptr<variant> make_ideal(plait::environment& env) {
  return std::make_unique<ideal>(env);
}

}  // namespace spmv
