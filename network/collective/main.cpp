// SPDX-License-Identifier: BSD-3-Clause
// Does the model say what our collectives take?  Messages between two ranks and whole operations,
// measured in turns in one session, and the formulas' prediction from the first beside the second.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/base/result.hpp"
#include "measure/base/size_list.hpp"
#include "measure/rows/network_options.hpp"
#include "session.hpp"

namespace plait::network::collectives {
namespace {

struct options {
  std::string operations = "alltoall,allreduce,bcast,allgather";
  std::string algorithms = "all";
  std::string sizes = "8,1KiB,16KiB,256KiB,1MiB";
  std::string fragment = "32KiB";
  std::int64_t messages = 4;
  double sample_ms = 50;
  double link_rate_Bps = 0;
  std::string link_burst;
  measure::row_options rows;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("What collective operations take, beside what the model predicts",
                                "collective");
  command.option("--op", given.operations,
                 fmt::format("Any of {}", fmt::join(operation_names(), ", ")));
  command.option("--algorithms", given.algorithms,
                 fmt::format("Any of {}", fmt::join(algorithm_names(), ", ")));
  command.option("--sizes", given.sizes,
                 "Bytes for each rank (alltoall, allgather, gather, scatter, reduce_scatter) or of "
                 "the vector; multiples of 8");
  command.option("--fragment", given.fragment, "Fragments of a chain");
  command.option("--messages", given.messages, "Messages of a burst");
  command.option("--sample-ms", given.sample_ms, "About how long one operation is repeated");
  command.option("--link-rate", given.link_rate_Bps,
                 "Payload rate of the link between the ranks, in bytes a second; 0 = not known");
  command.option("--link-burst", given.link_burst,
                 "Size that the link lets through at once after a rest (token bucket)");
  measure::add_row_options(command, given.rows);
  return command.parse(argc, argv, env);
}

void check_size(const operation& what, std::size_t size, const environment& env) {
  constexpr std::size_t most = std::size_t{1} << 30;
  if (size % sizeof(double) != 0)
    throw usage_error(fmt::format("--sizes: {} is no multiple of 8 bytes, of which a number has",
                                  measure::size_label(size)));
  // Messages both ways: two arrays of a block for each rank.
  const std::size_t memory = std::max(memory_bytes(what, size, env.size()),
                                      2 * static_cast<std::size_t>(env.size()) * size);
  if (memory > most)
    throw usage_error(
        fmt::format("--sizes: {} {} takes {} MiB of memory on each of {} ranks; it must be at most "
                    "{} MiB",
                    what.name, measure::size_label(size), memory >> 20, env.size(), most >> 20));
}

std::vector<measured_case> cases_of(const options& given, const environment& env) {
  const auto sizes = measure::parse_sizes("--sizes", given.sizes, sizeof(double));
  const auto algorithms = measure::parse_names("--algorithms", given.algorithms, algorithm_names());
  const std::size_t fragment =
      measure::parse_one_size("--fragment", given.fragment, sizeof(double));
  std::vector<measured_case> cases;
  for (const std::string& name :
       measure::parse_names("--op", given.operations, operation_names())) {
    const operation& what = operation_named(name);
    const std::size_t before = cases.size();
    for (const std::size_t size : sizes) {
      check_size(what, size, env);
      for (const measured_case& one :
           collectives::cases_of(what, algorithms, size, env.size(), fragment))
        cases.push_back(one);
    }
    if (cases.size() == before)
      throw usage_error(fmt::format("--algorithms names none of {}", name));
  }
  return cases;
}

shaped_link link_of(const options& given) {
  if (!std::isfinite(given.link_rate_Bps) || given.link_rate_Bps < 0)
    throw usage_error("--link-rate must be 0 or more bytes a second");
  shaped_link link{.payload_Bps = given.link_rate_Bps};
  if (given.link_burst.empty()) return link;
  link.burst_bytes = static_cast<double>(
      measure::parse_one_size("--link-burst", given.link_burst, sizeof(double)));
  if (link.burst_bytes < 1024) throw usage_error("--link-burst must be at least 1KiB");
  if (link.payload_Bps == 0)
    throw usage_error("--link-burst without --link-rate, which says how long the link must rest");
  return link;
}

session_options session_of(const options& given, environment& env) {
  if (env.size() < 2)
    throw usage_error("a collective operation takes at least 2 ranks; it was started with 1");
  measure::check_range("--messages", given.messages, 2, 100);
  measure::check_positive("--sample-ms", given.sample_ms, 100'000);
  session_options session{.cases = cases_of(given, env),
                          .messages = static_cast<int>(given.messages),
                          .sample_s = 1e-3 * given.sample_ms,
                          .link = link_of(given),
                          .repetition = measure::repetition_of(given.rows, env)};
  measure::check(env, given.rows);
  return session;
}

void print(const session_result& result) {
  std::printf("%s\n%-32s %-8s %12s %12s %8s\n", result.network_text.c_str(), "operation", "size",
              "measured us", "predicted us", "error %");
  for (const auto& [row, columns] : result.rows.items()) {
    for (const auto& [size, cell] : columns.items()) {
      const auto median = [&cell](const char* name) {
        return cell.at(name).at("median").get<double>();
      };
      std::printf("%-32s %-8s %12.5g %12.5g %+8.1f\n", row.c_str(), size.c_str(),
                  median("measured_us"), median("predicted_us"), median("error_percent"));
    }
  }
  for (const auto& [which, error] : result.median_error_percent.items())
    std::printf("median of |error|, %s: %.1f %%\n", which.c_str(), error.get<double>());
  std::fflush(stdout);
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  const session_options session = session_of(given, env);
  const measure::json where = measure::describe_run(env, measure::json::object());
  session_result result = measure(env, session);
  if (env.rank() != 0) return measure::exit_verified;
  if (given.rows.json_file != "-") print(result);
  if (given.rows.json_file.empty()) return measure::exit_verified;
  measure::json whole = measure::bench_result("collective",
                                              {{"op", given.operations},
                                               {"algorithms", given.algorithms},
                                               {"sizes", given.sizes},
                                               {"fragment", given.fragment},
                                               {"messages", given.messages},
                                               {"repeat", given.rows.repeat},
                                               {"sample_ms", given.sample_ms},
                                               {"link_rate_Bps", session.link.payload_Bps},
                                               {"link_burst_bytes", session.link.burst_bytes}},
                                              where, std::move(result.rows));
  whole["kind"] = "collective";
  whole["network"] = std::move(result.network);
  whole["median_error_percent"] = std::move(result.median_error_percent);
  measure::write_result(given.rows.json_file, whole);
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::network::collectives

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(
      env, "collective", [&] { return plait::network::collectives::run(env, argc, argv); });
}
