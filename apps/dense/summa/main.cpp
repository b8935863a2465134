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
#include "measure/command_line.hpp"
#include "measure/session_options.hpp"
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
  std::string variants = "base,olap,plait,ideal";
  double alpha = 1;
  double beta = 0;
  std::int64_t block = 128;
  std::int64_t panel = 128;
  std::int64_t buffers = 3;
  std::int64_t workers = 0;
  std::int64_t in_flight = 4096;
  std::string policy = "auto";
  plait::measure::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
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
  options.option("--variants", c.variants, "Any of base, olap, plait, ideal, with commas between");
  options.option("--repeat", c.session.repeat, "Runs of each variant");
  options.option("--buffers", c.buffers, "Panels of each kind under way, of the variant plait");
  options.option("--workers", c.workers, "Workers of a rank; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--in-flight", c.in_flight, "Most tasks in flight");
  plait::measure::add_outputs(options, c.session, "variant");
  return options.parse(argc, argv, env);
}

template <class Names>
std::size_t place_of(const std::string& option, const std::string& word, const Names& names) {
  const std::string found = plait::measure::parse_name(option, word, names);
  return static_cast<std::size_t>(std::ranges::find(names, found) - std::begin(names));
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
  const std::size_t transpose = place_of("--transpose", c.transpose, transpose_names);
  summa::product what{.m = m, .n = n, .k = k};
  what.of_a = transpose >= 2 ? summa::op::transposed : summa::op::none;
  what.of_b = transpose % 2 == 1 ? summa::op::transposed : summa::op::none;
  what.alpha = c.alpha;
  what.beta = c.beta;
  what.block = c.block;
  what.panel = c.panel;
  what.kind = static_cast<summa::entries>(place_of("--entries", c.entries, entry_names));
  check_factor("--alpha", c.alpha, what.kind);
  check_factor("--beta", c.beta, what.kind);
  return what;
}

summa::options checked(const command& c) {
  using plait::measure::check_range;
  plait::measure::check(c.session);
  check_range("--buffers", c.buffers, 1, 1024);
  check_range("--workers", c.workers, 0, 1024);
  check_range("--in-flight", c.in_flight, 1, 1 << 24);
  return {.buffers = static_cast<int>(c.buffers),
          .workers = static_cast<int>(c.workers),
          .policy = plait::measure::parse_progress("--policy", c.policy),
          .in_flight = static_cast<std::size_t>(c.in_flight)};
}

summa::arrangement arrangement_of(const command& c, const summa::product& what, int ranks) {
  const auto grid = plait::dense::parse_grid_shape("--grid", c.grid);
  const std::size_t stationary = place_of("--stationary", c.stationary, stationary_names);
  if (stationary == 0) return summa::choose(what, ranks, grid, nullptr);
  const auto only = static_cast<summa::form>(stationary - 1);
  return summa::choose(what, ranks, grid, &only);
}

void print_table(const json& result) {
  std::printf("%-8s %9s %9s %9s %9s %9s %7s %8s\n", "variant", "total s", "Gflop/s", "compute s",
              "posting s", "exposed s", "hidden", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const json& hidden = result["hidden_fraction"];
    const bool has_hidden = hidden.contains(name) && !hidden[name].is_null();
    std::printf("%-8s %9.4f %9.2f %9.4f %9.4f %9.4f %7s %8s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["gflops"].get<double>(),
                one["compute_s"].get<double>(), one["posting_s"].get<double>(),
                one["exposed_s"].get<double>(),
                has_hidden ? fmt::format("{:.2f}", hidden[name].get<double>()).c_str() : "",
                one["verified"].get<bool>() ? "yes" : "NO");
  }
  const json& parameters = result["parameters"];
  std::printf("%s stationary on %dx%d processes; bound %.4f s, attainable %.4f s; dgemm of %s\n",
              parameters["stationary"].get<std::string>().c_str(), parameters["grid"][0].get<int>(),
              parameters["grid"][1].get<int>(), result["bound_s"].get<double>(),
              result["attainable_s"].get<double>(),
              result["environment"]["blas_kernel"].get<std::string>().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  plait::dense::use_one_thread();
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "summa", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    given.session.steps = 1;  // a run is one product
    const summa::options chosen = checked(given);
    const std::vector<std::string> variants =
        plait::measure::parse_names("--variants", given.variants, summa::variant_names);
    const summa::product what = product_of(given);
    const summa::arrangement where = arrangement_of(given, what, env.size());
    plait::measure::check_memory(env, "--size", summa::memory_bytes(what, where, chosen.buffers));
    plait::measure::check_outputs(env, given.session);
    return plait::measure::conclude(
        env, given.session, summa::measure(env, what, where, variants, chosen, given.session),
        print_table);
  });
}
