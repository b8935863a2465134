// SPDX-License-Identifier: BSD-3-Clause
// Measures the share of an exchange that is hidden.  Two ranks exchange a buffer both ways with
// work to do meanwhile: blocking, non-blocking, and as tasks under every policy of progress.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/base/command_line.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/size_list.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/measured_rows.hpp"
#include "session.hpp"

namespace plait::bench::exchange {
namespace {

struct options {
  std::string sizes = "4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB";
  std::vector<double> ratios{0.8, 1.0};
  std::string only;
  std::int64_t pieces = 8;
  std::int64_t workers = 1;
  std::int64_t working_ranks = 2;
  double sample_ms = 20;
  std::string beside;
  measure::row_options rows;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("How much of an exchange is hidden behind work", "exchange");
  command.option("--sizes", given.sizes, "Bytes each way, at least 8");
  command.option("--work-ratio", given.ratios, "Work by time of the exchange alone, as 0.8,1");
  command.option("--only", given.only,
                 fmt::format("Any of {}; all when left out",
                             fmt::join(measure::names_of(all_contestants()), ", ")));
  command.option("--pieces", given.pieces, "Pieces of the work");
  command.option("--workers", given.workers, "Workers of a rank");
  command.option("--working-ranks", given.working_ranks,
                 "1: only rank 0 computes; rank 1 just exchanges");
  command.option("--sample-ms", given.sample_ms, "About how long one measurement takes");
  command.option("--beside", given.beside,
                 "Result file of another job: measure nonblocking with MPICH's own progress "
                 "thread doing the same work");
  measure::add_row_options(command, given.rows);
  return command.parse(argc, argv, env);
}

void check(const options& given, environment& env) {
  if (env.size() != 2)
    throw usage_error("this is an exchange of 2 ranks; it was started with " +
                      std::to_string(env.size()));
  if (given.ratios.empty()) throw usage_error("--work-ratio must be more than 0 and at most 100");
  for (const double each : given.ratios) measure::check_positive("--work-ratio", each, 100);
  measure::check_range("--pieces", given.pieces, 1, 1000);
  measure::check_range("--workers", given.workers, 1, 1024);
  measure::check_range("--working-ranks", given.working_ranks, 1, 2);
  measure::check_positive("--sample-ms", given.sample_ms, 100'000);
  measure::check(env, given.rows);
}

session_options session_of(const options& given, const environment& env) {
  return {.sizes = measure::parse_sizes("--sizes", given.sizes, sizeof(std::uint64_t)),
          .ratios = given.ratios,
          .contestants = measure::chosen("--only", given.only, all_contestants()),
          .pieces = static_cast<int>(given.pieces),
          .workers = static_cast<int>(given.workers),
          .working_ranks = static_cast<int>(given.working_ranks),
          .sample_s = 1e-3 * given.sample_ms,
          .repetition = measure::repetition_of(given.rows, env)};
}

// Read on rank 0.  Errors: usage_error on every rank.
measure::json rows_of_file(environment& env, const std::string& path) {
  std::ostringstream text;
  // A device may have no end, and a pipe no writer.
  std::error_code none;
  if (env.rank() == 0 && std::filesystem::is_regular_file(path, none))
    text << std::ifstream(path).rdbuf();
  const measure::json result =
      measure::json::parse(measure::broadcast(env, text.str()), nullptr, false);
  if (!result.is_object() || !result.contains("rows"))
    throw usage_error("--beside: '" + path + "' is no result file");
  return result.at("rows");
}

contestant with_mpich_thread() {
  contestant one = nonblocking();
  one.name = "nonblocking, MPICH thread";
  one.about += "; a job with MPIR_CVAR_ASYNC_PROGRESS=1";
  return one;
}

measure::json parameters_of(const options& given) {
  return {{"sizes", given.sizes},
          {"work_ratio", given.ratios},
          {"pieces", given.pieces},
          {"workers", given.workers},
          {"working_ranks", given.working_ranks},
          {"repeat", given.rows.repeat},
          {"sample_ms", given.sample_ms}};
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  check(given, env);
  session_options session = session_of(given, env);
  measure::json where = measure::policy_chosen(env, session.workers);
  measure::json rows;
  if (given.beside.empty()) {
    rows = measure(env, session);
  } else {
    session.contestants = {with_mpich_thread()};
    rows =
        measure_beside(env, rows_of_file(env, given.beside), session.contestants.front(), session);
  }
  where["peers"] = measure::about(session.contestants);
  where["peers_not_built"] = missing_contestants();
  measure::finish_rows(env, given.rows, "exchange", parameters_of(given), where, std::move(rows));
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::bench::exchange

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "exchange",
                                     [&] { return plait::bench::exchange::run(env, argc, argv); });
}
