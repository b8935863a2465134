// SPDX-License-Identifier: BSD-3-Clause
/// The BLAS and LAPACK routines that dense applications call, on OpenBLAS with one thread.
/// Matrices are column-major.  All functions are thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::dense {

/// Says whether a routine takes a matrix as it is stored, or its transpose.
enum class op : std::uint8_t { none, transposed };

/// A matrix in memory: its first entry, and the distance between the first entries of two columns.
struct in_memory {
  double* first = nullptr;
  std::int64_t stride = 1;
};
/// Names a matrix in memory that is not to be written.
struct const_in_memory {
  const double* first = nullptr;
  std::int64_t stride = 1;

  const_in_memory(const double* at, std::int64_t distance) : first(at), stride(distance) {}
  const_in_memory(const in_memory& from) : first(from.first), stride(from.stride) {}
};

/// m, n and k of a product: C is m x n.
struct product_size {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

/// Keeps OpenBLAS from starting threads of its own.  To be called before the others.
void use_one_thread();
/// Returns the processor that OpenBLAS has chosen its kernels for, such as "SkylakeX".
[[nodiscard]] std::string blas_kernel();
/// Returns the number of threads that OpenBLAS uses.
[[nodiscard]] int blas_threads();

/// Computes C = alpha op(A) op(B) + beta C.  Does not read C where beta is 0.  (dgemm)
void multiply(op of_a, op of_b, const product_size& size, double alpha, const const_in_memory& a,
              const const_in_memory& b, double beta, const in_memory& c);
/// Solves L X = B for X in place of the m x n matrix B; L is unit lower triangular.  (dtrsm)
void solve_unit_lower(std::int64_t m, std::int64_t n, const const_in_memory& l, const in_memory& b);
/// Solves U x = b for x in place of b; U is upper triangular.  (dtrsv)
void solve_upper(std::int64_t n, const const_in_memory& u, double* b);
/// Computes y = alpha A x + y for an m x n matrix A.  (dgemv)
void multiply_vector(std::int64_t m, std::int64_t n, double alpha, const const_in_memory& a,
                     const double* x, double* y);
/// Computes A = A + alpha x y' for an m x n matrix A; y has the given stride.  (dger)
void add_outer_product(std::int64_t m, std::int64_t n, double alpha, const double* x,
                       const double* y, std::int64_t stride_y, const in_memory& a);
/// Returns the place of the entry of largest magnitude, the first of equals.  Precondition: n >= 1.
/// (idamax)
[[nodiscard]] std::int64_t largest(std::int64_t n, const double* x);
/// Multiplies x by alpha.  (dscal)
void scale(std::int64_t n, double alpha, double* x);
/// Factors the n x n matrix A in place and returns the row that each row was exchanged with, from
/// 0.  (dgetrf)
[[nodiscard]] std::vector<std::int64_t> factor(std::int64_t n, const in_memory& a);

}  // namespace plait::dense
