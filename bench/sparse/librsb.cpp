// SPDX-License-Identifier: BSD-3-Clause
// librsb's product, one thread a rank: blocks of rows and columns, which librsb chooses by trying.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <rsb.h>

#include "peer.hpp"

namespace plait::bench::sparse {
namespace {

void check(rsb_err_t code) {
  if (code == RSB_ERR_NO_ERROR) return;
  std::array<char, 256> text{};
  (void)rsb_strerror_r(code, text.data(), text.size());
  throw error(fmt::format("librsb: {}", text.data()));
}

/// Starts the library with one thread, and ends it.
class one_thread {
 public:
  one_thread() {
    rsb_int_t threads = 1;
    rsb_opt_t key = RSB_IO_WANT_EXECUTING_THREADS;
    void* value = &threads;
    rsb_initopts options{&key, &value, 1, RSB_IO_SPECIFIER_SET};
    check(rsb_lib_init(&options));
  }
  ~one_thread() { (void)rsb_lib_exit(RSB_NULL_EXIT_OPTIONS); }
  one_thread(const one_thread&) = delete;
  one_thread& operator=(const one_thread&) = delete;
};

constexpr double one = 1, zero = 0;

class rsb_product final : public own_product {
 public:
  rsb_product(const rsb_mtx_t* a, std::int64_t rows) : a_(a), rows_(rows) {}
  void multiply(const double* x, double* y) override {
    if (a_ == nullptr) {
      std::fill_n(y, rows_, 0.0);
      return;
    }
    check(rsb_spmv(RSB_TRANSPOSITION_N, &one, a_, x, 1, &zero, y, 1));
  }

 private:
  const rsb_mtx_t* a_;
  std::int64_t rows_;
};

class tuned_matrix final : public peer_matrix {
 public:
  explicit tuned_matrix(const plait::sparse::sparse_matrix& a) : rows_(a.rows) {
    if (a.nonzeros() == 0) return;  // librsb knows no such matrices
    if (a.nonzeros() > std::numeric_limits<rsb_coo_idx_t>::max())
      throw error("librsb has no room for so many nonzeros");
    const std::vector<rsb_coo_idx_t> begin(a.row_begin.begin(), a.row_begin.end());
    rsb_err_t code = RSB_ERR_NO_ERROR;
    matrix_ = rsb_mtx_alloc_from_csr_const(
        a.value.data(), begin.data(), a.column.data(), static_cast<rsb_nnz_idx_t>(a.nonzeros()),
        RSB_NUMERICAL_TYPE_DOUBLE, static_cast<rsb_coo_idx_t>(a.rows),
        static_cast<rsb_coo_idx_t>(a.columns), 1, 1, RSB_FLAG_NOFLAGS, &code);
    check(code);
    check(rsb_tune_spmm(&matrix_, nullptr, nullptr, 0, 0, RSB_TRANSPOSITION_N, &one, nullptr, 1,
                        RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, nullptr, 0, &zero, nullptr, 0));
  }
  ~tuned_matrix() override {
    if (matrix_ != nullptr) (void)rsb_mtx_free(matrix_);
  }
  tuned_matrix(const tuned_matrix&) = delete;
  tuned_matrix& operator=(const tuned_matrix&) = delete;

  [[nodiscard]] std::unique_ptr<own_product> make_own() override {
    return std::make_unique<rsb_product>(matrix_, rows_);
  }

 private:
  one_thread library_;
  std::int64_t rows_;
  rsb_mtx_t* matrix_ = nullptr;  ///< null without nonzeros
};

}  // namespace

peer librsb() {
  return {"librsb", "rsb_spmv of librsb, one thread, tuned by rsb_tune_spmm",
          [](environment&, const spmv::problem& p) {
            return std::make_unique<tuned_matrix>(p.matrix().own);
          }};
}

}  // namespace plait::bench::sparse
