// SPDX-License-Identifier: BSD-3-Clause
// PETSc's MatMult of a matrix of type mpiaij, with its usual settings: begin the scatter of x,
// multiply with the diagonal block, end the scatter, add the product of the other block.
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <petscmat.h>
#include <plait/comm/mpi.hpp>

#include "peer.hpp"
#include "plain_mpi.hpp"

namespace plait::bench::sparse {
namespace {

using plait::sparse::dealt_matrix;

void check(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw error(fmt::format("PETSc: {}", text != nullptr ? text : "unknown error"));
}

/// Starts PETSc beside MPI, which runs already, and ends it before MPI does.
class library {
 public:
  explicit library(environment& env) {
    PETSC_COMM_WORLD = native(env);
    check(PetscInitializeNoArguments());
    check(PetscPopSignalHandler());
  }
  ~library() { (void)PetscFinalize(); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
};

PetscInt number(std::int64_t value) {
  if (value > std::numeric_limits<PetscInt>::max())
    throw error(fmt::format("{} is a number that this PETSc has no room for", value));
  return static_cast<PetscInt>(value);
}

std::vector<PetscInt> numbers(const std::vector<std::int64_t>& of) {
  std::vector<PetscInt> result;
  for (const std::int64_t one : of) result.push_back(number(one));
  return result;
}

/// PETSc takes values where they are, and may change them: nobody asks it to.
double* values_of(const plait::sparse::sparse_matrix& a) {
  return const_cast<double*>(a.value.data());
}

/// A vector on memory that is given, over all ranks or of this one alone.
class vector {
 public:
  vector(MPI_Comm communicator, std::int64_t size, const double* data) {
    check(VecCreateMPIWithArray(communicator, 1, number(size), PETSC_DETERMINE, data, &self_));
  }
  vector(std::int64_t size, const double* data) {
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, number(size), data, &self_));
  }
  ~vector() { (void)VecDestroy(&self_); }
  vector(const vector&) = delete;
  vector& operator=(const vector&) = delete;

  [[nodiscard]] Vec get() const noexcept { return self_; }

 private:
  Vec self_ = nullptr;
};

class mat_mult final : public spmv::plain_mpi {
 public:
  mat_mult(environment& env, Mat a, spmv::problem& p)
      : plain_mpi(env, spmv::setting::distributed),
        a_(a),
        x_(native(env), p.matrix().own_columns(), p.own().data()),
        y_(native(env), p.matrix().own_rows(), p.y.data()) {}

 private:
  void multiply(spmv::problem& p) override {
    check(MatMult(a_, x_.get(), y_.get()));
    for (std::size_t i = 0; i < p.pieces().size(); ++i) add_squares(p, i);
  }

  Mat a_;
  vector x_, y_;
};

class own_mat_mult final : public own_product {
 public:
  own_mat_mult(Mat block, const dealt_matrix& a)
      : block_(block), x_(a.own_columns(), nullptr), y_(a.own_rows(), nullptr) {}

  void multiply(const double* x, double* y) override {
    check(VecPlaceArray(x_.get(), x));
    check(VecPlaceArray(y_.get(), y));
    check(MatMult(block_, x_.get(), y_.get()));
    check(VecResetArray(y_.get()));
    check(VecResetArray(x_.get()));
  }

 private:
  Mat block_;
  vector x_, y_;
};

/// The matrix over all ranks, on the values of ours.
class aij final : public peer_matrix {
 public:
  aij(environment& env, const dealt_matrix& a)
      : env_(env),
        ours_(a),
        library_(env),
        own_begin_(numbers(a.own.row_begin)),
        own_column_(a.own.column),
        far_begin_(numbers(a.far.row_begin)) {
    for (const std::int32_t ghost : a.far.column)
      far_column_.push_back(number(a.ghosts[static_cast<std::size_t>(ghost)]));
    check(MatCreateMPIAIJWithSplitArrays(native(env), number(a.own_rows()), number(a.own_columns()),
                                         number(a.rows), number(a.columns), own_begin_.data(),
                                         own_column_.data(), values_of(a.own), far_begin_.data(),
                                         far_column_.data(), values_of(a.far), &all_));
  }
  ~aij() override { (void)MatDestroy(&all_); }
  aij(const aij&) = delete;
  aij& operator=(const aij&) = delete;

  [[nodiscard]] std::unique_ptr<spmv::variant> make_variant(spmv::problem& p) override {
    return std::make_unique<mat_mult>(env_, all_, p);
  }
  [[nodiscard]] std::unique_ptr<own_product> make_own() override {
    Mat block = nullptr;
    check(MatGetDiagonalBlock(all_, &block));
    return std::make_unique<own_mat_mult>(block, ours_);
  }

 private:
  environment& env_;
  const dealt_matrix& ours_;
  library library_;
  std::vector<PetscInt> own_begin_, own_column_, far_begin_, far_column_;
  Mat all_ = nullptr;
};

}  // namespace

peer petsc() {
  return {"petsc", "MatMult of PETSc, matrices of type mpiaij with its usual settings",
          [](environment& env, const spmv::problem& p) {
            return std::make_unique<aij>(env, p.matrix());
          }};
}

}  // namespace plait::bench::sparse
