// SPDX-License-Identifier: BSD-3-Clause
#include "network_options.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alone.hpp"
#include "result.hpp"

namespace plait::measure {

void add_common(command_line& command, common_options& given, std::span<const std::string> names) {
  command.option("--only", given.only,
                 fmt::format("Any of {}; those without a policy of their own and plait auto when "
                             "left out",
                             fmt::join(names, ", ")));
  command.option("--pieces", given.pieces,
                 "Pieces of the work; there are fewer where they would be shorter than 5 us");
  command.option("--repeat", given.repeat, "Repetitions, interleaved");
  command.option("--sample-ms", given.sample_ms, "About how long one measurement takes");
  command.option("--json", given.json_file, "File for the result; - = standard output");
  command.flag("--progress", given.progress, "@progress lines on standard error");
}

void check_common(const common_options& given, environment& env) {
  check_range("--pieces", given.pieces, 1, 1000);
  check_range("--repeat", given.repeat, 1, 1000);
  if (!(given.sample_ms > 0 && given.sample_ms <= 1e5))
    throw usage_error("--sample-ms must be more than 0 and at most 100000");
  check_writable(env, "--json", given.json_file);
}

repetition_options repetition_of(const common_options& given, const environment& env) {
  return {.repeat = static_cast<int>(given.repeat),
          .progress = given.progress && env.rank() == 0,
          .warm_up = true};
}

json describe_run(environment& env, const json& about) {
  json all = describe_environment(env);
  const runtime rt{env, {.workers = 1}};
  all["peers"] = about;
  all.update(policy_chosen(rt));
  all["algorithms_by"] = rt.network().has_value() ? "the network of PLAIT_NETWORK" : "rules";
  return all;
}

json parameters_of(const common_options& given) {
  return {{"sizes", given.sizes},
          {"pieces", given.pieces},
          {"repeat", given.repeat},
          {"sample_ms", given.sample_ms}};
}

void finish(const common_options& given, const std::string& program, json parameters, json where,
            json rows) {
  if (given.json_file != "-") print_rows(rows);
  if (given.json_file.empty()) return;
  json whole = bench_result(program, std::move(parameters), std::move(where), std::move(rows));
  whole["kind"] = program;
  write_result(given.json_file, whole);
}

std::span<const progress> task_policies() noexcept {
  static constexpr std::array policies{progress::automatic, progress::dedicated, progress::sleeping,
                                       progress::workers, progress::none};
  return policies;
}

std::string row_of(progress policy) {
  return "plait " + std::string(to_string(policy));
}

}  // namespace plait::measure
