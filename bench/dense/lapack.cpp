// SPDX-License-Identifier: BSD-3-Clause
#include "lapack.hpp"

#include <algorithm>
#include <vector>

#include <cblas.h>
#include <fmt/format.h>

extern "C" {
void dgesv_(const blasint* n, const blasint* nrhs, double* a, const blasint* lda, blasint* pivots,
            double* b, const blasint* ldb, blasint* info);
}

namespace plait::bench::dense {
namespace {

/// Gives OpenBLAS threads for as long as it lives.  They poll for some 20 ms more, in the next
/// row's time.
class blas_threads {
 public:
  explicit blas_threads(int count) : before_(openblas_get_num_threads()) {
    openblas_set_num_threads(count);
  }
  ~blas_threads() { openblas_set_num_threads(before_); }
  blas_threads(const blas_threads&) = delete;
  blas_threads& operator=(const blas_threads&) = delete;

 private:
  int before_;
};

class solution final : public hpl::variant {
 public:
  explicit solution(int threads) : threads_(threads) {}

  void prepare(hpl::linear_system& system) override {
    PLAIT_EXPECTS(system.grid.env().size() == 1, "dgesv solves on one rank");
    pivots_.resize(static_cast<std::size_t>(system.how.n));
  }

  void run(hpl::linear_system& system, int, const hpl::step_range&) override {
    const blas_threads threads(threads_);
    const auto n = static_cast<blasint>(system.how.n);
    const blasint right_hand_sides = 1, stride = std::max<blasint>(n, 1);
    blasint info = 0;
    double* const b = system.column(system.how.n);  // the solution overwrites it
    dgesv_(&n, &right_hand_sides, system.part.data(), &stride, pivots_.data(), b, &stride, &info);
    if (info != 0) throw error(fmt::format("dgesv returns {}", info));
    std::copy_n(b, n, system.x.begin());
  }

  [[nodiscard]] hpl::run_report finish(hpl::linear_system&) override { return {}; }

 private:
  int threads_;
  std::vector<blasint> pivots_;
};

}  // namespace

int lapack_threads(environment& env, const setup& how) {
  return runtime(env, {.tasks = {.workers = how.workers}}).workers();
}

std::unique_ptr<hpl::variant> make_dgesv(int threads) {
  return std::make_unique<solution>(threads);
}

std::string why_no_lapack(int ranks) {
  return ranks == 1 ? "" : "solves on one rank alone (--ranks 1)";
}

}  // namespace plait::bench::dense
