// SPDX-License-Identifier: BSD-3-Clause
// NAS FT: a three-dimensional field evolves in Fourier space, and each step transforms it back.
// One MPI job runs all variants in turns and writes one result.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/command_line.hpp"
#include "measure/session_options.hpp"
#include "measurement.hpp"

namespace {

using plait::measure::json;

struct command {
  std::string what = "S";
  std::string variants = "base,library,olap,plait,ideal";
  std::string plans = "measured";
  std::int64_t tile = 0;
  std::int64_t iterations_in_flight = 1;
  std::int64_t workers = 0;
  std::int64_t in_flight = 0;
  std::string policy = "auto";
  plait::measure::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options("NAS FT: a field evolves in Fourier space", "ft");
  options.option("--class", c.what, "NPB's class S, W, A, B, C or D, or a grid as NXxNYxNZ");
  options.option("--variants", c.variants, "Any of base, library, olap, plait, ideal, with commas");
  plait::measure::add_lengths(options, c.session, "Iterations of a run; 0 = the class's",
                              "variant");
  options.option("--iterations-in-flight", c.iterations_in_flight,
                 "Iterations that have memory of their own: 1 or 2");
  options.option("--tile", c.tile, "x's that travel together; 0 = choose");
  options.option("--plans", c.plans, "FFTW's plans: measured or estimated");
  options.option("--workers", c.workers, "Workers of a rank; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--in-flight", c.in_flight, "Most tasks in flight; 0 = choose");
  plait::measure::add_outputs(options, c.session, "variant");
  return options.parse(argc, argv, env);
}

ft::options checked(const command& c) {
  plait::measure::check(c.session);
  plait::measure::check_range("--iterations-in-flight", c.iterations_in_flight, 1, 2);
  plait::measure::check_range("--workers", c.workers, 0, 1024);
  plait::measure::check_range("--in-flight", c.in_flight, 0, 1 << 24);
  return {.iterations_in_flight = static_cast<int>(c.iterations_in_flight),
          .workers = static_cast<int>(c.workers),
          .policy = plait::measure::parse_progress("--policy", c.policy),
          .in_flight = static_cast<std::size_t>(c.in_flight)};
}

ft::request requested(command& c, int ranks) {
  ft::request result{.what = ft::parse_class("--class", c.what)};
  if (c.session.steps == 0) c.session.steps = result.what.iterations;
  plait::measure::check_range("--tile", c.tile, 0, result.what.cells[0]);
  result.tile = c.tile != 0 ? c.tile : spectral::usual_tile(result.what.cells, ranks);
  const std::string plans = plait::measure::parse_name(
      "--plans", c.plans, std::vector<std::string_view>{"measured", "estimated"});
  result.planning =
      plans == "measured" ? spectral::planning::measured : spectral::planning::estimated;
  return result;
}

void print_table(const json& result) {
  std::printf("%-8s %9s %9s %9s %9s %7s %9s %8s\n", "variant", "total s", "compute s", "posting s",
              "exposed s", "hidden", "Gflop/s", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const json& hidden = result["hidden_fraction"];
    const bool has_hidden = hidden.contains(name) && !hidden[name].is_null();
    char text[16] = "";
    if (has_hidden) std::snprintf(text, sizeof(text), "%.2f", hidden[name].get<double>());
    std::printf("%-8s %9.4f %9.4f %9.4f %9.4f %7s %9.3f %8s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["compute_s"].get<double>(),
                one["posting_s"].get<double>(), one["exposed_s"].get<double>(), text,
                one["gflops"].get<double>(), one["verified"].get<bool>() ? "yes" : "NO");
  }
  std::printf("bound %.4f s, attainable %.4f s\n", result["bound_s"].get<double>(),
              result["attainable_s"].get<double>());
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "ft", [&] {
    command given;
    given.session.steps = 0;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    const ft::request wanted = requested(given, env.size());
    const ft::options chosen = checked(given);
    const std::vector<std::string> variants =
        plait::measure::parse_names("--variants", given.variants, ft::variant_names);
    const spectral::slabs shape("--class", wanted.what.cells, env.size(), env.rank(), wanted.tile);
    plait::measure::check_memory(env, "--class",
                                 ft::memory_bytes(shape, chosen.iterations_in_flight));
    plait::measure::check_outputs(env, given.session);
    return plait::measure::conclude(
        env, given.session, ft::measure(env, wanted, shape, variants, chosen, given.session),
        print_table);
  });
}
