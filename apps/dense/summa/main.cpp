// SPDX-License-Identifier: BSD-3-Clause
// SUMMA: a product of distributed matrices, its panels broadcast in front of, or under, the
// multiplications.  One MPI job runs all variants in turns and writes one result.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/blas.hpp"
#include "measurement.hpp"

namespace {

using plait::measure::json;

constexpr std::string_view stationary_names[] = {"auto", "C", "A", "B"};
constexpr std::string_view transpose_names[] = {"NN", "NT", "TN", "TT"};
constexpr std::string_view entry_names[] = {"integers", "random"};

struct command {
  std::string size = "2048x2048x2048";
  std::string grid = "0x0";
  std::string transpose = "NN";
  std::string stationary = "auto";
  std::string entries = "integers";
  double alpha = 1;
  double beta = 0;
  std::int64_t block = 128;
  std::int64_t panel = 128;
  std::int64_t buffers = 3;
  plait::measure::program_options common =  // a run is one product
      plait::measure::usual_options("base,olap,plait,ideal", 1, 4096);
};

bool parse(command& c, int argc, char** argv, plait::environment& env) {
  plait::measure::command_line options("C = alpha op(A) op(B) + beta C by SUMMA", "summa");
  options.option("--size", c.size, "m, n and k, as MxNxK: C is m x n");
  options.option("--grid", c.grid, "Process rows and columns, as PxQ; 0 = choose");
  options.option("--transpose", c.transpose, "What A and B are stored as: NN, NT, TN or TT");
  options.option("--stationary", c.stationary,
                 "The matrix that stays: C, A, B, or auto: by volume");
  options.option("--alpha", c.alpha, "Factor of the product");
  options.option("--beta", c.beta, "Factor of C");
  options.option("--block", c.block, "Rows and columns of a block; 0 = one block a process");
  options.option("--panel", c.panel, "Columns of the widest panel");
  options.option("--entries", c.entries, "Of the matrices: integers or random");
  options.option("--buffers", c.buffers, "Panels of each kind under way, of the variant plait");
  plait::measure::add_program_options(options, c.common, summa::variants_of(env, {}).names(), "");
  return options.parse(argc, argv, env);
}

/// Sums of whole numbers are exact only with factors that are.
void check_factor(const char* option, double value, summa::entries kind) {
  const double sixteenths = 16 * value;
  const bool exact = std::abs(value) <= 16 && sixteenths == std::floor(sixteenths);
  if (kind == summa::entries::integers && !exact)
    throw plait::usage_error(fmt::format(
        "{} is {}; with integers it must be a multiple of 1/16 from -16 to 16 (--entries random "
        "takes any)",
        option, value));
  if (!std::isfinite(value))
    throw plait::usage_error(fmt::format("{} is {}; it must be finite", option, value));
}

summa::product product_of(const command& c) {
  using plait::measure::check_range;
  const auto [m, n, k] = plait::measure::parse_extents("--size", c.size, 0);
  for (const std::int64_t extent : {m, n, k}) check_range("--size", extent, 0, 1 << 24);
  check_range("--block", c.block, 0, 1 << 24);
  check_range("--panel", c.panel, 1, 1 << 20);
  const std::size_t transpose =
      plait::measure::parse_place("--transpose", c.transpose, transpose_names);
  summa::product what{.m = m, .n = n, .k = k};
  what.of_a = transpose >= 2 ? summa::op::transposed : summa::op::none;
  what.of_b = transpose % 2 == 1 ? summa::op::transposed : summa::op::none;
  what.alpha = c.alpha;
  what.beta = c.beta;
  what.block = c.block;
  what.panel = c.panel;
  what.kind = plait::measure::parse_kind<summa::entries>("--entries", c.entries, entry_names);
  check_factor("--alpha", c.alpha, what.kind);
  check_factor("--beta", c.beta, what.kind);
  return what;
}

summa::options checked(const command& c) {
  using plait::measure::check_range;
  plait::measure::check(c.common.session);
  check_range("--buffers", c.buffers, 1, 1024);
  check_range("--in-flight", c.common.in_flight, 1, 1 << 24);
  return {.buffers = static_cast<int>(c.buffers), .runtime = c.common.tasks()};
}

summa::arrangement arrangement_of(const command& c, const summa::product& what, int ranks) {
  const auto grid = plait::dense::parse_grid_shape("--grid", c.grid);
  const std::size_t stationary =
      plait::measure::parse_place("--stationary", c.stationary, stationary_names);
  if (stationary == 0) return summa::choose(what, ranks, grid, nullptr);
  const auto only = static_cast<summa::form>(stationary - 1);
  return summa::choose(what, ranks, grid, &only);
}

void print_table(const json& result) {
  plait::measure::print_table(result);
  const json& parameters = result["parameters"];
  std::printf("%s stationary on %dx%d processes; dgemm of %s\n",
              parameters["stationary"].get<std::string>().c_str(), parameters["grid"][0].get<int>(),
              parameters["grid"][1].get<int>(),
              result["environment"]["blas_kernel"].get<std::string>().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  plait::dense::use_one_thread();
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "summa", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    const summa::options chosen = checked(given);
    const auto variants = given.common.chosen(summa::variants_of(env, chosen).names());
    const summa::product what = product_of(given);
    const summa::arrangement where = arrangement_of(given, what, env.size());
    plait::measure::check_memory(env, "--size", summa::memory_bytes(what, where, chosen.buffers));
    return summa::measure(env, what, where, variants, chosen, given.common.session, print_table);
  });
}
