// SPDX-License-Identifier: BSD-3-Clause
#include "session_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <unistd.h>

#include "result.hpp"

namespace plait::measure {

void add_link_rate(command_line& to, double& bytes_per_s) {
  to.option("--link-rate", bytes_per_s,
            "Payload rate of the link between hosts, in bytes a second; 0 = not known");
}

void check_link_rate(double bytes_per_s) {
  if (!(bytes_per_s >= 0) || std::isinf(bytes_per_s))
    throw usage_error(fmt::format("--link-rate is {}; it must be 0 or more", bytes_per_s));
}

void add_lengths(command_line& to, session_options& options, const std::string& steps_help,
                 const std::string& one) {
  if (!steps_help.empty()) to.option("--steps", options.steps, steps_help);
  to.option("--repeat", options.repeat, "Runs of each " + one);
}

void add_outputs(command_line& to, session_options& options, const std::string& one) {
  add_link_rate(to, options.link_rate_bytes_per_s);
  to.option("--json", options.json_file, "File for the result; - = standard output");
  to.option("--trace", options.trace_file, "File for a trace of one run per " + one);
  to.flag("--progress", options.progress, "Say on standard error how far the session is");
}

void check(const session_options& options) {
  check_range("--steps", options.steps, 1, 1'000'000);
  check_range("--repeat", options.repeat, 1, 1000);
  check_link_rate(options.link_rate_bytes_per_s);
}

void check_outputs(environment& env, const session_options& options) {
  check_writable(env, "--json", options.json_file);
  check_writable(env, "--trace", options.trace_file);
}

std::array<int, 3> parse_grid(const std::string& option, const std::string& text) {
  std::array<int, 3> dims{};
  const std::array<std::int64_t, 3> numbers = parse_extents(option, text, 0);
  for (std::size_t i = 0; i < 3; ++i) dims[i] = static_cast<int>(numbers[i]);
  return dims;
}

void check_memory(environment& env, const std::string& option, double rank_bytes) {
  const double available =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  constexpr double gib = 1 << 30;
  // Not node_size(): ranks that do not work keep their memory.
  const auto ranks = static_cast<double>(std::ranges::count(env.hosts(), env.host()));
  const double excess = maximum(env, ranks * rank_bytes - available);
  if (excess > 0)
    throw usage_error(fmt::format("{} needs {:.1f} GiB more memory than there is on a host", option,
                                  excess / gib));
}

namespace {

void print_beaten_bounds(const json& result) {
  if (!result.contains("beats_attainable")) return;
  for (const json& name : result["beats_attainable"]) {
    const json& one = result["variants"][name.get<std::string>()];
    const json& limits = one.contains("own_limits") ? one["own_limits"] : result;
    const double share =
        one["total_s"]["median"].get<double>() / limits["attainable_s"].get<double>();
    std::printf("%s beats attainable by %.0f %%: the bound was measured too high here\n",
                name.get<std::string>().c_str(), 100 * (1 - share));
  }
}

}  // namespace

int conclude(const environment& env, const session_options& options, const outcome& done,
             const std::function<void(const json&)>& print_table) {
  if (env.rank() == 0) {
    if (!options.json_file.empty()) write_result(options.json_file, done.result);
    if (options.json_file != "-") {
      print_table(done.result);
      print_beaten_bounds(done.result);
      if (done.result.contains("limiter"))
        std::printf("%s\n", done.result["limiter"].get<std::string>().c_str());
      std::fflush(stdout);
    }
  }
  return done.verified ? exit_verified : exit_not_verified;
}

}  // namespace plait::measure
