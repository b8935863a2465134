// SPDX-License-Identifier: BSD-3-Clause
// SpMV: repeated products of a sparse matrix and a vector.  One MPI job runs all variants in turns
// and writes one result.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <unistd.h>

#include "common/generated.hpp"
#include "common/matrix_market.hpp"
#include "measure/gather.hpp"
#include "measure/program.hpp"
#include "measurement.hpp"

namespace {

using plait::sparse::sparse_matrix;

struct command {
  std::string mtx;
  std::string matrix = "27-point";
  std::string points = "64x64x64";
  std::int64_t rows = 100000;
  std::int64_t per_row = 16;
  std::string deal = "even";
  std::string method = "power";
  std::int64_t piece = std::int64_t{1} << 17;
  plait::measure::program_options common;
};

bool parse(command& c, const spmv::variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  plait::measure::command_line options("Repeated products of a sparse matrix and a vector", "spmv");
  options.option("--mtx", c.mtx, "A matrix in the Matrix Market format, or gzip of one");
  options.option("--matrix", c.matrix, "Without --mtx: 27-point, uniform or power-law");
  options.option("--points", c.points, "Of 27-point: grid points, as NXxNYxNZ");
  options.option("--rows", c.rows, "Of uniform and power-law: rows and columns");
  options.option("--nnz-per-row", c.per_row, "Of uniform and power-law: nonzeros of a row");
  options.option("--deal", c.deal, "Rows to ranks: even, nonzeros or metis");
  options.option("--method", c.method,
                 "What follows a product: power, residues (whole numbers) or cg");
  plait::measure::add_program_options(options, c.common, all.names(), "Products of a run");
  options.option("--piece", c.piece, "Nonzeros of a piece: of a task, and between looks by hand");
  return options.parse(argc, argv, env);
}

/// Bytes of memory of this host.
double host_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

constexpr std::array<std::string_view, 3> matrix_names{"27-point", "uniform", "power-law"};

/// Checks what would be made, before it is made.
void check_generated(const command& c) {
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

whole_matrix make_matrix(const command& c) {
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

/// Reads or makes the matrix on rank 0 and deals its rows.  Collective.  Errors: usage_error, on
/// all ranks.
plait::sparse::dealt_matrix deal(plait::environment& env, const command& c,
                                 spmv::description& about) {
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

int run(plait::environment& env, int argc, char** argv) {
  spmv::options chosen;
  const spmv::variant_list all{{"base", [&] { return spmv::make_base(env); }},
                               {"olap", [&] { return spmv::make_olap(env); }},
                               {"plait", [&] { return spmv::make_plait(env, chosen); }},
                               {"ideal", [&] { return spmv::make_ideal(env); }}};
  command given;
  if (!parse(given, all, argc, argv, env)) return plait::measure::exit_verified;
  const plait::measure::session_options& session = given.common.session;
  plait::measure::check(session);
  plait::measure::check_range("--piece", given.piece, 1, std::int64_t{1} << 40);
  chosen = given.common.tasks();
  const auto variants = given.common.chosen(all.names());
  (void)plait::measure::parse_name("--deal", given.deal, plait::sparse::dealing_names);
  const auto how =
      plait::measure::parse_kind<spmv::method>("--method", given.method, spmv::method_names);
  if (given.mtx.empty()) check_generated(given);
  plait::measure::check_outputs(env, session);
  spmv::description about;
  plait::sparse::dealt_matrix dealt = deal(env, given, about);
  plait::measure::check_memory(env, given.mtx.empty() ? "--rows" : "--mtx",
                               spmv::vector_bytes(dealt));
  spmv::problem p(env, std::move(dealt), how, given.piece);
  return spmv::measure(env, p, about, all, variants, chosen, session);
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "spmv", [&] { return run(env, argc, argv); });
}
