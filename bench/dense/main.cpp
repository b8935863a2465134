// SPDX-License-Identifier: BSD-3-Clause
// Do factorisations and products that hide their panels beat the libraries?  HPL and SUMMA, as
// plain MPI and as tasks, beside ScaLAPACK and netlib's HPL, all on OpenBLAS with one thread, and
// on one rank beside its dgesv with several.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <plait/plait.hpp>

#include "common/blas.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/session_options.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/measured_rows.hpp"
#include "session.hpp"

namespace plait::bench::dense {
namespace {

constexpr std::array<std::string_view, 2> known_programs{"hpl", "summa"};

struct options {
  std::string orders = "2000";
  std::string programs = "hpl,summa";
  std::string only;
  std::string grid = "0x0";
  std::string blocks = "32,64,128";
  std::string logical_blocks = "0,64,128,256";
  std::string hpcc;
  std::string policy = "auto";
  std::int64_t workers = 0;
  measure::row_options rows;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command(
      "Systems and products of dense matrices, beside ScaLAPACK and netlib's HPL", "dense");
  command.option("--n", given.orders, "Orders of the matrices, with commas between");
  command.option("--programs", given.programs, "What they do: hpl (solve), summa (multiply)");
  command.option("--only", given.only,
                 "Any of base, olap, plait, scalapack, lapack, hpcc; all there are when left out");
  command.option("--grid", given.grid, "Process rows and columns, as PxQ; 0 = choose");
  command.option("--blocks", given.blocks, "Rows and columns of a block, which every row tries");
  command.option("--pilaenv", given.logical_blocks,
                 "Logical blocks that scalapack tries with each; 0 = its own");
  command.option("--hpcc", given.hpcc, "Line of the shell that starts hpcc on as many ranks");
  command.option("--workers", given.workers, "Workers of a rank, for tasks; 0 = choose");
  command.option("--policy", given.policy, "Progress: auto, dedicated, sleeping, workers or none");
  measure::add_row_options(command, given.rows);
  return command.parse(argc, argv, env);
}

/// "32,64" as numbers from `low` to `high`, none twice.  Errors: usage_error naming `option`.
std::vector<std::int64_t> numbers_of(const char* option, const std::string& text, std::int64_t low,
                                     std::int64_t high) {
  std::vector<std::int64_t> all;
  for (const char *at = text.data(), *const end = at + text.size();; ++at) {
    std::int64_t number = 0;
    const auto [rest, failed] = std::from_chars(at, end, number);
    const bool ends = rest == end || *rest == ',';
    if (failed != std::errc{} || !ends || number < low || number > high ||
        std::ranges::count(all, number) > 0)
      throw usage_error(
          fmt::format("{} is '{}'; it must be numbers from {} to {}, none twice, with commas "
                      "between",
                      option, text, low, high));
    all.push_back(number);
    at = rest;
    if (at == end) return all;
  }
}

std::vector<std::string> rows_of(const std::string& only, const setup& how, int ranks) {
  const std::map<std::string, std::string> missing = missing_rows(how, ranks);
  std::vector<std::string> there;
  std::vector<std::string_view> all;
  for (const char* name : {"base", "olap", "plait", "scalapack", "lapack", "hpcc"}) {
    all.emplace_back(name);
    if (!missing.contains(name)) there.emplace_back(name);
  }
  if (only.empty()) return there;
  const std::vector<std::string> wanted = measure::parse_names("--only", only, all);
  for (const std::string& name : wanted)
    if (const auto found = missing.find(name); found != missing.end())
      throw usage_error(fmt::format("--only: {} is not there: it {}", name, found->second));
  return wanted;
}

bool multiplies_nothing(const std::string& row) {
  return row == "lapack" || row == "hpcc";
}

request requested(const options& given, environment& env) {
  measure::check_range("--workers", given.workers, 0, 1024);
  request wanted{
      .programs = measure::parse_names("--programs", given.programs, known_programs),
      .orders = numbers_of("--n", given.orders, 1, 1 << 18),
      .how = {.blocks = numbers_of("--blocks", given.blocks, 1, 1 << 14),
              .logical_blocks = numbers_of("--pilaenv", given.logical_blocks, 0, 1 << 14),
              .hpcc = given.hpcc,
              .workers = static_cast<int>(given.workers),
              .policy = measure::parse_progress("--policy", given.policy)},
      .repetition = measure::repetition_of(given.rows, env)};
  wanted.rows = rows_of(given.only, wanted.how, env.size());
  if (wanted.programs == std::vector<std::string>{"summa"} &&
      std::ranges::all_of(wanted.rows, multiplies_nothing))
    throw usage_error(
        fmt::format("--only: {} multiplies no matrices, and --programs has nothing "
                    "but summa",
                    wanted.rows.front()));
  const measure::grid_shape grid = measure::parse_grid_shape("--grid", given.grid);
  const auto shape = process_grid<2>::choose(env.size(), {grid.rows, grid.columns});
  wanted.grid = {shape.dims()[0], shape.dims()[1]};
  measure::check_memory(env, "--n", memory_bytes(wanted));
  measure::check(env, given.rows);
  return wanted;
}

measure::json peers_of(const request& wanted, int ranks) {
  measure::json chosen = measure::json::object();
  for (const auto& [name, words] : known_rows(wanted.how, ranks))
    if (std::ranges::count(wanted.rows, name) > 0) chosen[name] = words;
  return chosen;
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  const request wanted = requested(given, env);
  measure::json where = measure::policy_chosen(env, wanted.how.workers);
  outcome found = measure(env, wanted);
  const int code = found.verified ? measure::exit_verified : measure::exit_not_verified;
  where["peers"] = peers_of(wanted, env.size());
  where["peers_not_built"] = missing_rows(wanted.how, env.size());
  where["blas"] = fmt::format("OpenBLAS for {}, threads: {}", plait::dense::blas_kernel(),
                              plait::dense::blas_threads());
  const measure::json parameters{{"n", wanted.orders},
                                 {"programs", wanted.programs},
                                 {"grid", {wanted.grid.rows, wanted.grid.columns}},
                                 {"blocks", wanted.how.blocks},
                                 {"pilaenv", wanted.how.logical_blocks},
                                 {"policy", given.policy},
                                 {"workers", given.workers},
                                 {"repeat", given.rows.repeat}};
  measure::finish_rows(env, given.rows, "dense", parameters, where, std::move(found.rows));
  return code;
}

}  // namespace
}  // namespace plait::bench::dense

int main(int argc, char** argv) {
  plait::dense::use_one_thread();
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "dense",
                                     [&] { return plait::bench::dense::run(env, argc, argv); });
}
