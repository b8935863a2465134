// SPDX-License-Identifier: BSD-3-Clause
#include "chosen_matrix.hpp"

#include <array>
#include <new>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "common/generated.hpp"
#include "common/matrix_market.hpp"
#include "measure/base/gather.hpp"

namespace spmv {
namespace {

using plait::sparse::sparse_matrix;

/// Bytes of memory of this host.
double host_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

constexpr std::array<std::string_view, 3> matrix_names{"27-point", "uniform", "power-law"};

/// Checks what would be made, before it is made.
void check_generated(const matrix_options& c) {
  (void)plait::measure::parse_name("--matrix", c.matrix, matrix_names);
  double nonzeros = 0;
  std::string option = "--rows";
  if (c.matrix == "27-point") {
    const auto points = plait::measure::parse_extents("--points", c.points, 1);
    const double rows = static_cast<double>(points[0]) * static_cast<double>(points[1]) *
                        static_cast<double>(points[2]);
    if (rows > static_cast<double>(plait::sparse::most_rows))
      throw plait::usage_error(fmt::format("--points is {}; a matrix has at most {} rows", c.points,
                                           plait::sparse::most_rows));
    nonzeros = 27 * rows;
    option = "--points";
  } else {
    plait::measure::check_range("--rows", c.rows, 1, plait::sparse::most_rows);
    plait::measure::check_range("--nnz-per-row", c.per_row, 1, c.rows);
    nonzeros = static_cast<double>(c.rows) * static_cast<double>(c.per_row);
  }
  constexpr double bytes_per_nonzero = 60;  // made, dealt and split
  if (bytes_per_nonzero * nonzeros > host_bytes())
    throw plait::usage_error(
        fmt::format("{} makes {:.3g} nonzeros, more than rank 0 has memory for", option, nonzeros));
}

struct whole_matrix {
  sparse_matrix a;
  std::string name;
};

whole_matrix make_matrix(const matrix_options& c) {
  if (!c.mtx.empty()) {
    const std::size_t slash = c.mtx.find_last_of('/');
    return {plait::sparse::read_matrix_market(c.mtx, host_bytes() / 2).matrix,
            slash == std::string::npos ? c.mtx : c.mtx.substr(slash + 1)};
  }
  if (c.matrix == "27-point")
    return {plait::sparse::stencil_27(plait::measure::parse_extents("--points", c.points, 1)),
            "27-point " + c.points};
  const std::string size = fmt::format("{} {} rows, {} a row", c.matrix, c.rows, c.per_row);
  if (c.matrix == "uniform")
    return {plait::sparse::uniform_rows(c.rows, c.per_row, 0, c.rows), size};
  return {plait::sparse::power_law_rows(c.rows, c.per_row, 0, c.rows), size};
}

/// Replaces values that are no whole numbers, or large ones, by small whole numbers.  The pattern
/// stays.
void make_whole(sparse_matrix& a) {
  constexpr double largest = 1 << 16;
  bool whole = true;
  for (const double value : a.value)
    whole = whole && value == static_cast<double>(static_cast<std::int64_t>(value)) &&
            value <= largest && value >= -largest;
  if (whole) return;
  for (std::size_t k = 0; k < a.value.size(); ++k) {
    const auto some = static_cast<std::int64_t>((k * 2654435761U) >> 7U) % 8;
    a.value[k] = static_cast<double>(some < 4 ? some - 4 : some - 3);
  }
}

}  // namespace

method matrix_options::how() const {
  return plait::measure::parse_kind<spmv::method>("--method", method, method_names);
}

void add_matrix_options(plait::measure::command_line& to, matrix_options& chosen) {
  to.option("--mtx", chosen.mtx, "A matrix in the Matrix Market format, or gzip of one");
  to.option("--matrix", chosen.matrix, "Without --mtx: 27-point, uniform or power-law");
  to.option("--points", chosen.points, "Of 27-point: grid points, as NXxNYxNZ");
  to.option("--rows", chosen.rows, "Of uniform and power-law: rows and columns");
  to.option("--nnz-per-row", chosen.per_row, "Of uniform and power-law: nonzeros of a row");
  to.option("--deal", chosen.deal, "Rows to ranks: even, nonzeros or metis");
  to.option("--method", chosen.method,
            "What follows a product: power, residues (whole numbers) or cg");
}

void check(const matrix_options& chosen) {
  (void)plait::measure::parse_name("--deal", chosen.deal, plait::sparse::dealing_names);
  (void)chosen.how();
  if (chosen.mtx.empty()) check_generated(chosen);
}

dealt_matrix deal(plait::environment& env, const matrix_options& c, dealings compared,
                  description& about) {
  whole_matrix whole;
  std::vector<std::int32_t> row_ranks;
  std::vector<std::int32_t> column_ranks;
  std::string complaint;
  if (env.rank() == 0) {
    try {
      whole = make_matrix(c);
      about.name = whole.name;
      about.symmetric = plait::sparse::is_symmetric(whole.a);
      about.dealing = c.deal;
      if (c.method == "cg" && !about.symmetric)
        throw plait::usage_error("--method is cg; the matrix is not symmetric");
      if (c.method == "residues") make_whole(whole.a);
      for (const std::string_view name : plait::sparse::dealing_names) {
        if (name != c.deal && compared == dealings::used) continue;
        if (name == "metis" && name != c.deal && whole.a.rows != whole.a.columns) continue;
        auto rows = plait::sparse::deal_rows(whole.a, plait::sparse::dealing_of(name), env.size());
        auto columns = plait::sparse::deal_columns(whole.a, rows, env.size());
        about.burdens.emplace_back(name,
                                   plait::sparse::burden_of(whole.a, rows, columns, env.size()));
        if (name != c.deal) continue;
        row_ranks = std::move(rows);
        column_ranks = std::move(columns);
      }
    } catch (const plait::usage_error& error) {
      complaint = error.what();
    } catch (const std::bad_alloc&) {
      complaint = "there is not enough memory for the matrix";
    }
  }
  complaint = plait::measure::broadcast(env, complaint);
  if (!complaint.empty()) throw plait::usage_error(complaint);
  return plait::sparse::deal_out(env, whole.a, row_ranks, column_ranks);
}

}  // namespace spmv
