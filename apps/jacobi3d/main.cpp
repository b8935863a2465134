// SPDX-License-Identifier: BSD-3-Clause
// Jacobi3D: Poisson's equation by Jacobi's method, with its ghost exchange in front of, or under,
// the computation.  One MPI job runs all variants in turns and writes one result.
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <unistd.h>

#include "measurement.hpp"
#include "support/command_line.hpp"
#include "support/result.hpp"

namespace {

using plait::app::json;

constexpr std::array<std::string_view, 4> known_variants{"base", "olap", "plait", "ideal"};
constexpr std::array<std::string_view, 5> known_policies{"auto", "dedicated", "sleeping", "workers",
                                                         "none"};

struct command {
  std::string size = "512x512x64";
  std::string grid = "0x0x0";
  std::string variants = "base,olap,plait,ideal";
  std::int64_t steps = 40;
  std::int64_t repeat = 5;
  std::int64_t workers = 0;
  std::int64_t window = 0;
  std::int64_t time_tile = 0;
  std::string policy = "auto";
  double link_rate = 0;
  std::string json_file;
  std::string trace_file;
  bool progress = false;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::app::command_line options("Poisson's equation in three dimensions by Jacobi's method",
                                   "jacobi3d");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option("--grid", c.grid, "Processes, as PXxPYxPZ; 0 = choose");
  options.option("--variants", c.variants, "Any of base, olap, plait, ideal, with commas between");
  options.option("--steps", c.steps, "Jacobi steps of a run");
  options.option("--repeat", c.repeat, "Runs of each variant");
  options.option("--workers", c.workers, "Workers of a rank; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--window", c.window, "Most tasks in flight; 0 = choose");
  options.option("--time-tile", c.time_tile,
                 "Steps plait takes through cells while they are in the cache: 1, or an even "
                 "number up to 16; 0 = choose");
  options.option("--link-rate", c.link_rate,
                 "Payload rate of the link between hosts, in bytes a second; 0 = not known");
  options.option("--json", c.json_file, "File for the result; - = standard output");
  options.option("--trace", c.trace_file, "File for a trace of one run per variant");
  options.flag("--progress", c.progress, "Say on standard error how far the session is");
  return options.parse(argc, argv, env);
}

jacobi3d::session_options checked(const command& c) {
  plait::app::check_range("--steps", c.steps, 1, 1'000'000);
  plait::app::check_range("--repeat", c.repeat, 1, 1000);
  plait::app::check_range("--workers", c.workers, 0, 1024);
  plait::app::check_range("--window", c.window, 0, 1 << 24);
  if (c.time_tile != 1 && (c.time_tile % 2 != 0 || c.time_tile < 0 || c.time_tile > 16))
    throw plait::usage_error(
        fmt::format("--time-tile is {}; it must be 0, 1 or an even number up to 16", c.time_tile));
  if (!(c.link_rate >= 0) || std::isinf(c.link_rate))
    throw plait::usage_error(fmt::format("--link-rate is {}; it must be 0 or more", c.link_rate));
  jacobi3d::session_options result;
  result.variants = plait::app::parse_names("--variants", c.variants, known_variants);
  result.steps = static_cast<int>(c.steps);
  result.repeat = static_cast<int>(c.repeat);
  result.link_rate_bytes_per_s = c.link_rate;
  result.trace_file = c.trace_file;
  result.progress = c.progress;
  result.tasks.workers = static_cast<int>(c.workers);
  result.tasks.policy = plait::app::parse_name("--policy", c.policy, known_policies);
  result.tasks.window = static_cast<std::size_t>(c.window);
  result.tasks.time_tile = static_cast<int>(c.time_tile);
  return result;
}

plait::decomposition<3> decomposition(const command& c, int ranks) {
  const auto cells = plait::app::parse_extents("--size", c.size, 1);
  const auto dims = plait::app::parse_extents("--grid", c.grid, 0);
  std::array<int, 3> wanted{};
  for (std::size_t i = 0; i < 3; ++i) wanted[i] = static_cast<int>(dims[i]);
  return plait::decompose<3>({.global = {cells[0], cells[1], cells[2]}, .grid = wanted}, ranks);
}

/// Errors: usage_error where the ranks of a host need more memory than it has: allocation would
/// succeed, and the kernel end the job later without a word.
void check_memory(plait::environment& env, const plait::decomposition<3>& blocks) {
  // The first block is the largest.
  const plait::box<3> largest = blocks.block(0);
  const double needed = env.node_size() * jacobi3d::memory_bytes(largest.extent());
  const double available =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  constexpr double gib = 1 << 30;
  const double excess = plait::app::maximum(env, needed - available);
  if (excess > 0)
    throw plait::usage_error(
        fmt::format("--size needs {:.1f} GiB more memory than there is on a host", excess / gib));
}

void print_table(const json& result) {
  std::printf("%-8s %10s %10s %10s %10s %8s  %s\n", "variant", "total s", "compute s", "posting s",
              "exposed s", "hidden", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const json& hidden = result["hidden_fraction"];
    const bool has_hidden = hidden.contains(name) && !hidden[name].is_null();
    std::printf("%-8s %10.4f %10.4f %10.4f %10.4f %8s  %s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["compute_s"].get<double>(),
                one["posting_s"].get<double>(), one["exposed_s"].get<double>(),
                has_hidden ? fmt::format("{:.2f}", hidden[name].get<double>()).c_str() : "",
                one["verified"].get<bool>() ? "yes" : "NO");
  }
  std::printf("bound %.4f s, attainable %.4f s, %.0f %% of memory bandwidth\n",
              result["bound_s"].get<double>(), result["attainable_s"].get<double>(),
              100 * result["kernel"]["fraction_of_bandwidth"].get<double>());
  if (result.contains("limiter")) std::printf("%s\n", result["limiter"].get<std::string>().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::app::run_program(env, "jacobi3d", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::app::exit_verified;
    const jacobi3d::session_options wanted = checked(given);
    const plait::decomposition<3> blocks = decomposition(given, env.size());
    check_memory(env, blocks);
    plait::app::check_writable(env, "--json", given.json_file);
    plait::app::check_writable(env, "--trace", given.trace_file);
    const jacobi3d::outcome done = jacobi3d::measure(env, blocks, wanted);
    if (env.rank() == 0) {
      if (!given.json_file.empty()) plait::app::write_result(given.json_file, done.result);
      if (given.json_file != "-") print_table(done.result);
    }
    return done.verified ? plait::app::exit_verified : plait::app::exit_not_verified;
  });
}
