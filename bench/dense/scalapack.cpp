// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"

extern "C" {
int Csys2blacs_handle(MPI_Comm communicator);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridexit(int context);
void pdgesv_(const int* n, const int* nrhs, double* a, const int* ia, const int* ja,
             const int* desc_a, int* pivots, double* b, const int* ib, const int* jb,
             const int* desc_b, int* info);
void pdgemm_(const char* of_a, const char* of_b, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* desc_a,
             const double* b, const int* ib, const int* jb, const int* desc_b, const double* beta,
             double* c, const int* ic, const int* jc, const int* desc_c);
// Ours: see below.  A library can only see it where it is visible.
__attribute__((visibility("default"))) int pilaenv_(const int* context, const char* type);
}

namespace {

int logical_block_now = 0;
long asked_for_it = 0;

}  // namespace

// ScaLAPACK asks for the size of PBLAS's logical blocks here, and so gets our answer instead of its
// own.  The program's symbols come before those of its libraries.
int pilaenv_(const int* context, const char* type) {
  ++asked_for_it;
  if (logical_block_now > 0) return logical_block_now;
  static const auto own =
      reinterpret_cast<int (*)(const int*, const char*)>(dlsym(RTLD_NEXT, "pilaenv_"));
  return own(context, type);
}

namespace plait::bench::dense {
namespace {

/// The file that a call of this name reaches.
std::string library_of(const char* symbol) {
  Dl_info where{};
  void* const address = dlsym(RTLD_DEFAULT, symbol);
  if (address == nullptr || dladdr(address, &where) == 0) return "no library";
  return where.dli_fname;
}

void expect_one_blas() {
  const std::string ours = library_of("cblas_dgemm"), theirs = library_of("dgemm_");
  if (ours != theirs)
    throw error(
        fmt::format("ScaLAPACK calls dgemm of {}, and our variants that of {}", theirs, ours));
}

/// ScaLAPACK's description of a matrix: rows x columns, in square blocks, from process (0, 0).
/// [ScaLAPACK Users' Guide, section 4.3.2]
std::array<int, 9> descriptor(const blacs_grid& on, std::int64_t rows, std::int64_t columns,
                              std::int64_t block, std::int64_t local_rows) {
  constexpr int dense_matrix = 1;
  const auto number = [](std::int64_t value) { return static_cast<int>(value); };
  return {dense_matrix,
          on.context(),
          number(rows),
          number(columns),
          number(block),
          number(block),
          0,
          0,
          number(std::max<std::int64_t>(1, local_rows))};
}

/// Calls ScaLAPACK with PBLAS's blocks of that size.  Errors: plait::error where it has not asked.
template <class Call>
void with_logical_block(int size, Call&& call) {
  const long before = asked_for_it;
  logical_block_now = size;
  call();
  logical_block_now = 0;
  if (asked_for_it == before) throw error("ScaLAPACK does not ask for the size of logical blocks");
}

constexpr int first = 1;  // Fortran counts from 1

class solution final : public hpl::variant {
 public:
  solution(const blacs_grid& on, int logical_block) : on_(on), logical_block_(logical_block) {}

  void prepare(hpl::linear_system& system) override {
    pivots_.resize(static_cast<std::size_t>(system.rows() + system.how.nb));
  }

  void run(hpl::linear_system& system, int, const hpl::step_range&) override {
    // [A | b] is one matrix, and the solution overwrites b.
    const std::array<int, 9> matrix =
        descriptor(on_, system.how.n, system.how.n + 1, system.how.nb, system.rows());
    const int n = static_cast<int>(system.how.n), column_of_b = n + 1, right_hand_sides = 1;
    int info = 0;
    with_logical_block(logical_block_, [&] {
      pdgesv_(&n, &right_hand_sides, system.part.data(), &first, &first, matrix.data(),
              pivots_.data(), system.part.data(), &first, &column_of_b, matrix.data(), &info);
    });
    if (info != 0) throw error(fmt::format("pdgesv returns {}", info));
  }

  /// Gives every process all of x.
  [[nodiscard]] hpl::run_report finish(hpl::linear_system& system) override {
    std::ranges::fill(system.x, 0.0);
    const plait::dense::mesh& grid = system.grid;
    if (grid.q() == system.column_axis.place_of(system.how.n)) {
      const double* const own = system.column(system.column_axis.to_local(system.how.n));
      for (std::int64_t i = 0; i < system.rows(); ++i)
        system.x[static_cast<std::size_t>(system.row_axis.to_global(i, grid.p()))] = own[i];
    }
    measure::check_mpi(
        MPI_Allreduce(MPI_IN_PLACE, system.x.data(), static_cast<int>(system.x.size()), MPI_DOUBLE,
                      MPI_SUM, native(grid.env())),
        "MPI_Allreduce");
    return {};
  }

 private:
  const blacs_grid& on_;
  int logical_block_;
  std::vector<int> pivots_;
};

class product final : public summa::variant {
 public:
  product(const blacs_grid& on, int logical_block) : on_(on), logical_block_(logical_block) {}

  void prepare(summa::problem& p) override {
    PLAIT_EXPECTS(p.where.stationary == summa::form::stationary_c && p.what.block > 0 &&
                      !p.where.transposes_a && !p.where.transposes_b,
                  "pdgemm's matrices are dealt in equal blocks");
  }

  void run(summa::problem& p, int, const summa::step_range&) override {
    const summa::product& what = p.what;
    const auto described = [&](std::int64_t rows, std::int64_t columns, std::int64_t local_rows) {
      return descriptor(on_, rows, columns, what.block, local_rows);
    };
    const auto a = described(what.m, what.k, p.left_rows());
    const auto b = described(what.k, what.n, p.right_rows());
    const auto c = described(what.m, what.n, p.c_rows());
    const int m = static_cast<int>(what.m), n = static_cast<int>(what.n),
              k = static_cast<int>(what.k);
    with_logical_block(logical_block_, [&] {
      pdgemm_("N", "N", &m, &n, &k, &what.alpha, p.a.data(), &first, &first, a.data(), p.b.data(),
              &first, &first, b.data(), &what.beta, p.c.data(), &first, &first, c.data());
    });
  }

  [[nodiscard]] summa::run_report finish(summa::problem&) override { return {}; }

 private:
  const blacs_grid& on_;
  int logical_block_;
};

}  // namespace

blacs_grid::blacs_grid(const plait::dense::mesh& like) {
  expect_one_blas();
  PLAIT_EXPECTS(like.rank_at(0, like.columns() - 1) == like.columns() - 1, "not row by row");
  // BLACS gives a communicator one number, however often it is asked, and keeps that.
  context_ = Csys2blacs_handle(native(like.env()));
  Cblacs_gridinit(&context_, "Row", like.rows(), like.columns());
}

blacs_grid::~blacs_grid() {
  Cblacs_gridexit(context_);
}

std::unique_ptr<hpl::variant> make_pdgesv(const blacs_grid& on, int logical_block) {
  return std::make_unique<solution>(on, logical_block);
}

std::unique_ptr<summa::variant> make_pdgemm(const blacs_grid& on, int logical_block) {
  return std::make_unique<product>(on, logical_block);
}

}  // namespace plait::bench::dense
