// SPDX-License-Identifier: BSD-3-Clause
#include "network_options.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alone.hpp"
#include "measure/base/result.hpp"

namespace plait::measure {

void add_common(command_line& command, common_options& given, std::span<const std::string> names) {
  command.option("--only", given.only,
                 fmt::format("Any of {}; those without a policy of their own and plait auto when "
                             "left out",
                             fmt::join(names, ", ")));
  command.option("--pieces", given.pieces,
                 "Pieces of the work; there are fewer where they would be shorter than 5 us");
  command.option("--sample-ms", given.sample_ms, "About how long one measurement takes");
  add_row_options(command, given.rows);
}

void check_common(const common_options& given, environment& env) {
  check_range("--pieces", given.pieces, 1, 1000);
  check_positive("--sample-ms", given.sample_ms, 100'000);
  check(env, given.rows);
}

json describe_run(environment& env, const json& about) {
  json all = describe_environment(env);
  const runtime rt{env, {.tasks = {.workers = 1}}};
  all["peers"] = about;
  all.update(policy_chosen(rt));
  all["algorithms_by"] = rt.network().has_value() ? "the network of PLAIT_NETWORK" : "rules";
  return all;
}

json parameters_of(const common_options& given) {
  return {{"sizes", given.sizes},
          {"pieces", given.pieces},
          {"repeat", given.rows.repeat},
          {"sample_ms", given.sample_ms}};
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
