// SPDX-License-Identifier: BSD-3-Clause
#include "common/blas.hpp"

#include <algorithm>
#include <cstdlib>

#include <cblas.h>

extern "C" {
void dgetrf_(const blasint* m, const blasint* n, double* a, const blasint* lda, blasint* ipiv,
             blasint* info);
}

namespace plait::dense {
namespace {

blasint number(std::int64_t value) {
  return static_cast<blasint>(value);
}

// BLAS wants a stride of at least one, of empty matrices too.
blasint stride(std::int64_t value) {
  return static_cast<blasint>(std::max<std::int64_t>(value, 1));
}

CBLAS_TRANSPOSE word(op how) {
  return how == op::none ? CblasNoTrans : CblasTrans;
}

}  // namespace

void use_one_thread() {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);  // for what this process starts
  openblas_set_num_threads(1);
}

std::string blas_kernel() {
  return openblas_get_corename();
}

int blas_threads() {
  return openblas_get_num_threads();
}

void multiply(op of_a, op of_b, const product_size& size, double alpha, const const_in_memory& a,
              const const_in_memory& b, double beta, const in_memory& c) {
  if (size.m == 0 || size.n == 0) return;
  cblas_dgemm(CblasColMajor, word(of_a), word(of_b), number(size.m), number(size.n), number(size.k),
              alpha, a.first, stride(a.stride), b.first, stride(b.stride), beta, c.first,
              stride(c.stride));
}

void solve_unit_lower(std::int64_t m, std::int64_t n, const const_in_memory& l,
                      const in_memory& b) {
  if (m == 0 || n == 0) return;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, number(m), number(n),
              1.0, l.first, stride(l.stride), b.first, stride(b.stride));
}

void solve_upper(std::int64_t n, const const_in_memory& u, double* b) {
  if (n == 0) return;
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, number(n), u.first,
              stride(u.stride), b, 1);
}

void multiply_vector(std::int64_t m, std::int64_t n, double alpha, const const_in_memory& a,
                     const double* x, double* y) {
  if (m == 0 || n == 0) return;
  cblas_dgemv(CblasColMajor, CblasNoTrans, number(m), number(n), alpha, a.first, stride(a.stride),
              x, 1, 1.0, y, 1);
}

void add_outer_product(std::int64_t m, std::int64_t n, double alpha, const double* x,
                       const double* y, std::int64_t stride_y, const in_memory& a) {
  if (m == 0 || n == 0) return;
  cblas_dger(CblasColMajor, number(m), number(n), alpha, x, 1, y, stride(stride_y), a.first,
             stride(a.stride));
}

std::int64_t largest(std::int64_t n, const double* x) {
  return static_cast<std::int64_t>(cblas_idamax(number(n), x, 1));
}

void scale(std::int64_t n, double alpha, double* x) {
  cblas_dscal(number(n), alpha, x, 1);
}

std::vector<std::int64_t> factor(std::int64_t n, const in_memory& a) {
  std::vector<blasint> exchanged(static_cast<std::size_t>(n));
  const blasint size = number(n), distance = stride(a.stride);
  blasint info = 0;
  dgetrf_(&size, &size, a.first, &distance, exchanged.data(), &info);
  std::vector<std::int64_t> rows;
  for (const blasint row : exchanged) rows.push_back(row - 1);
  return rows;
}

}  // namespace plait::dense
