// SPDX-License-Identifier: BSD-3-Clause
// SpMV: repeated products of a sparse matrix and a vector.  One MPI job runs all variants in turns
// and writes one result.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <unistd.h>

#include "common/generated.hpp"
#include "common/matrix_market.hpp"
#include "measure/command_line.hpp"
#include "measure/gather.hpp"
#include "measure/session_options.hpp"
#include "measurement.hpp"

namespace {

using plait::measure::json;
using plait::sparse::sparse_matrix;

struct command {
  std::string mtx;
  std::string matrix = "27-point";
  std::string points = "64x64x64";
  std::int64_t rows = 100000;
  std::int64_t per_row = 16;
  std::string deal = "even";
  std::string method = "power";
  std::string variants = "base,olap,plait,ideal";
  std::int64_t workers = 0;
  std::string policy = "auto";
  std::int64_t piece = std::int64_t{1} << 17;
  plait::measure::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options("Repeated products of a sparse matrix and a vector", "spmv");
  options.option("--mtx", c.mtx, "A matrix in the Matrix Market format, or gzip of one");
  options.option("--matrix", c.matrix, "Without --mtx: 27-point, uniform or power-law");
  options.option("--points", c.points, "Of 27-point: grid points, as NXxNYxNZ");
  options.option("--rows", c.rows, "Of uniform and power-law: rows and columns");
  options.option("--nnz-per-row", c.per_row, "Of uniform and power-law: nonzeros of a row");
  options.option("--deal", c.deal, "Rows to ranks: even, nonzeros or metis");
  options.option("--method", c.method,
                 "What follows a product: power, residues (whole numbers) or cg");
  options.option("--variants", c.variants, "Any of base, olap, plait, ideal, with commas between");
  plait::measure::add_lengths(options, c.session, "Products of a run", "variant");
  options.option("--workers", c.workers, "Workers of a rank; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--piece", c.piece, "Nonzeros of a piece: of a task, and between looks by hand");
  plait::measure::add_outputs(options, c.session, "variant");
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

/// Whole numbers instead of the values, where these are none or large ones: of the same pattern.
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

void print_table(const json& result) {
  std::printf("%-8s %9s %9s %9s %9s %8s %8s %7s %8s\n", "variant", "total s", "compute s",
              "posting s", "exposed s", "Gflop/s", "/ base", "hidden", "verified");
  const double base = result["variants"].contains("base")
                          ? result["variants"]["base"]["total_s"]["median"].get<double>()
                          : 0;
  for (const auto& [name, one] : result["variants"].items()) {
    const json& hidden = result["hidden_fraction"];
    const bool has_hidden = hidden.contains(name) && !hidden[name].is_null();
    const double total = one["total_s"]["median"].get<double>();
    std::printf("%-8s %9.4f %9.4f %9.4f %9.4f %8.3f %8s %7s %8s\n", name.c_str(), total,
                one["compute_s"].get<double>(), one["posting_s"].get<double>(),
                one["exposed_s"].get<double>(), one["gflop_per_s"].get<double>(),
                base > 0 ? fmt::format("{:.3f}", total / base).c_str() : "",
                has_hidden ? fmt::format("{:.2f}", hidden[name].get<double>()).c_str() : "",
                one["verified"].get<bool>() ? "yes" : "NO");
  }
  const json& dealt =
      result["traffic"]["dealings"][result["traffic"]["dealing"].get<std::string>()];
  std::printf("bound %.4f s, attainable %.4f s, %.0f %% of memory bandwidth\n",
              result["bound_s"].get<double>(), result["attainable_s"].get<double>(),
              100 * result["kernel"]["fraction_of_bandwidth"].get<double>());
  std::printf("a product sends %.3f MB in %d messages; nonzeros %.2f of the mean at most\n",
              1e-6 * dealt["sent_bytes"].get<double>(), dealt["messages"].get<int>(),
              dealt["imbalance_nonzeros"].get<double>());
}

int run(plait::environment& env, const command& given) {
  plait::measure::check(given.session);
  plait::measure::check_range("--workers", given.workers, 0, 1024);
  plait::measure::check_range("--piece", given.piece, 1, std::int64_t{1} << 40);
  const spmv::options chosen{.workers = static_cast<int>(given.workers),
                             .policy = plait::measure::parse_progress("--policy", given.policy)};
  const auto variants =
      plait::measure::parse_names("--variants", given.variants, spmv::variant_names);
  (void)plait::measure::parse_name("--deal", given.deal, plait::sparse::dealing_names);
  (void)plait::measure::parse_name("--method", given.method, spmv::method_names);
  const auto how = static_cast<spmv::method>(std::ranges::find(spmv::method_names, given.method) -
                                             spmv::method_names.begin());
  if (given.mtx.empty()) check_generated(given);
  plait::measure::check_outputs(env, given.session);
  spmv::description about;
  plait::sparse::dealt_matrix dealt = deal(env, given, about);
  plait::measure::check_memory(env, given.mtx.empty() ? "--rows" : "--mtx",
                               spmv::vector_bytes(dealt));
  spmv::problem p(env, std::move(dealt), how, given.piece);
  return plait::measure::conclude(env, given.session,
                                  spmv::measure(env, p, about, variants, chosen, given.session),
                                  print_table);
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "spmv", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    return run(env, given);
  });
}
