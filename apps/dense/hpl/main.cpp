// SPDX-License-Identifier: BSD-3-Clause
// HPL: the high-performance Linpack benchmark, with its panels sent in front of, or under, the
// updates.  One MPI job runs all variants in turns and writes one result.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/blas.hpp"
#include "measurement.hpp"

namespace {

using hpl::settings;
using plait::measure::json;

struct command {
  std::string dat;
  std::int64_t n = 4000;
  std::int64_t nb = 128;
  std::string grid = "0x0";
  std::string order = "row";
  std::string bcast = "1ringM";
  std::string swap = "mix";
  std::string pfact = "right";
  std::string rfact = "right";
  std::int64_t swap_threshold = 64;
  std::int64_t nbmin = 8;
  std::int64_t ndiv = 2;
  std::int64_t depth = 2;
  std::int64_t zero_column = -1;
  plait::measure::program_options common =  // a run is one system
      plait::measure::usual_options("base,olap,plait,ideal", 1, 4096);
};

bool parse(command& c, int argc, char** argv, plait::environment& env) {
  plait::measure::command_line options("The high-performance Linpack benchmark", "hpl");
  options.option("--dat", c.dat, "A file of netlib's form, HPL.dat, instead of the next twelve");
  options.option("--n", c.n, "Order of the matrix");
  options.option("--nb", c.nb, "Columns of a panel");
  options.option("--grid", c.grid, "Process rows and columns, as PxQ; 0 = choose");
  options.option("--order", c.order, "Ranks follow each other along a row or a column (PMAP)");
  options.option("--bcast", c.bcast, "1ring, 1ringM, 2ring, 2ringM, Blong or BlongM");
  options.option("--swap", c.swap, "Exchange of rows: bin-exch, long or mix");
  options.option("--swap-threshold", c.swap_threshold, "Columns up to which mix is bin-exch");
  options.option("--pfact", c.pfact, "Factorisation of columns: left, crout or right");
  options.option("--rfact", c.rfact, "Of groups of columns, recursive: left, crout or right");
  options.option("--nbmin", c.nbmin, "Columns at which recursion ends");
  options.option("--ndiv", c.ndiv, "Groups of each recursion");
  options.option("--depth", c.depth, "Panels ahead, of the variant plait; olap has 1, base 0");
  options.option("--zero-column", c.zero_column, "Column of A to set to 0; -1 = none");
  plait::measure::add_program_options(options, c.common, hpl::variants_of(env, {}).names(), "");
  return options.parse(argc, argv, env);
}

settings settings_of(const command& c) {
  using plait::measure::check_range;
  using plait::measure::parse_kind;
  constexpr std::array<std::string_view, 2> orders{"row", "column"};
  check_range("--n", c.n, 0, 1 << 20);
  check_range("--nb", c.nb, 1, 1 << 14);
  check_range("--nbmin", c.nbmin, 1, 1 << 14);
  check_range("--ndiv", c.ndiv, 2, 1 << 14);
  check_range("--depth", c.depth, 0, 1000);
  check_range("--swap-threshold", c.swap_threshold, 0, 1 << 24);
  check_range("--zero-column", c.zero_column, -1, c.n - 1);
  settings how;
  how.n = c.n;
  how.nb = c.nb;
  how.grid = plait::dense::parse_grid_shape("--grid", c.grid);
  how.order = parse_kind<plait::dense::rank_order>("--order", c.order, orders);
  how.bcast = parse_kind<hpl::broadcast>("--bcast", c.bcast, hpl::broadcast_names);
  how.swap = parse_kind<hpl::swapping>("--swap", c.swap, hpl::swapping_names);
  how.swap_threshold = c.swap_threshold;
  how.pfact = parse_kind<hpl::looking>("--pfact", c.pfact, hpl::looking_names);
  how.rfact = parse_kind<hpl::looking>("--rfact", c.rfact, hpl::looking_names);
  how.nbmin = c.nbmin;
  how.ndiv = c.ndiv;
  how.depth = static_cast<int>(c.depth);
  how.zero_column = c.zero_column;
  return how;
}

/// Errors: usage_error where the grid is not one of these ranks.
void choose_grid(settings& how, int ranks) {
  const auto grid = plait::process_grid<2>::choose(ranks, {how.grid.rows, how.grid.columns});
  how.grid = {grid.dims()[0], grid.dims()[1]};
}

hpl::options checked(const command& c) {
  plait::measure::check(c.common.session);
  plait::measure::check_range("--in-flight", c.common.in_flight, 1, 1 << 24);
  return c.common.tasks();
}

// Prints the result as netlib's program does, with the variant behind.
void print_netlib(const json& result) {
  const json& p = result["parameters"];
  const std::string rule(80, '=');
  std::printf(
      "%s\nT/V                N    NB     P     Q               Time                 Gflops\n%s\n",
      rule.c_str(), std::string(80, '-').c_str());
  for (const auto& [name, one] : result["variants"].items())
    std::printf("%-10s %9lld %5lld %5d %5d %18.2f %22.4e  %s\n",
                p["code"].get<std::string>().c_str(), p["size"][0].get<long long>(),
                p["nb"].get<long long>(), p["grid"][0].get<int>(), p["grid"][1].get<int>(),
                one["total_s"]["median"].get<double>(), one.value("gflops", 0.0), name.c_str());
  for (const auto& [name, one] : result["variants"].items())
    if (name != "ideal")
      std::printf("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= %18.7f ...... %s  %s\n",
                  one["residual"].get<double>(), one["verified"].get<bool>() ? "PASSED" : "FAILED",
                  name.c_str());
  std::printf("%s\n", rule.c_str());
}

void print_table(const json& result) {
  print_netlib(result);
  plait::measure::print_table(result);
  std::printf("dgemm of %s\n", result["environment"]["blas_kernel"].get<std::string>().c_str());
}

int run_all(plait::environment& env, const command& given, std::vector<settings> all) {
  const hpl::options chosen = checked(given);
  const auto variants = given.common.chosen(hpl::variants_of(env, chosen).names());
  if (all.size() > 1 &&
      !(given.common.session.json_file.empty() && given.common.session.trace_file.empty()))
    throw plait::usage_error(fmt::format(
        "--dat has {} combinations, and a result or trace is of one: give --json and --trace one",
        all.size()));
  for (settings& how : all) {
    choose_grid(how, env.size());
    plait::measure::check_memory(env, "--n", hpl::memory_bytes(how, how.depth + 4));
  }
  int code = plait::measure::exit_verified;
  for (const settings& how : all)
    code =
        std::max(code, hpl::measure(env, how, variants, chosen, given.common.session, print_table));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  plait::dense::use_one_thread();
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "hpl", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    try {
      return run_all(
          env, given,
          given.dat.empty() ? std::vector{settings_of(given)} : hpl::read_hpl_dat(given.dat));
    } catch (const hpl::singular_matrix& error) {
      plait::measure::complain(env, "hpl", error.what());
      return plait::measure::exit_not_verified;
    }
  });
}
