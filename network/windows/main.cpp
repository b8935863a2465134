// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of windows on messages and on MPI's own windows: gets and puts one after the
// other, a stream of puts, and gets and puts on a rank that computes.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/base/command_line.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/named.hpp"
#include "measure/base/result.hpp"
#include "measure/base/size_list.hpp"
#include "measure/rows/measured_rows.hpp"
#include "ways.hpp"

namespace plait::network::windows {
namespace {

struct options {
  std::string sizes = "8,512,8KiB,64KiB,1MiB";
  std::string only;
  std::string policy = "auto";
  double sample_ms = 20;
  measure::row_options rows;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("Gets and puts on windows, on messages and on MPI's own",
                                "windows");
  command.option("--sizes", given.sizes, "Bytes of an operation");
  command.option("--only", given.only, "Rows: any of messages, rma and rma allocated");
  command.option("--policy", given.policy, "Progress: auto, dedicated, sleeping, workers, none");
  command.option("--sample-ms", given.sample_ms, "About how long one measurement takes");
  measure::add_row_options(command, given.rows);
  return command.parse(argc, argv, env);
}

void check(const options& given, environment& env) {
  if (env.size() != 2)
    throw usage_error("this measures operations between 2 ranks; it was started with " +
                      std::to_string(env.size()));
  if (!(given.sample_ms > 0 && given.sample_ms <= 1e5))
    throw usage_error("--sample-ms must be more than 0 and at most 100000");
  measure::check(env, given.rows);
}

/// Of one way and size, on both ranks.
struct load {
  way how;
  std::size_t size_bytes = 0;
  int burst = 64;
  progress policy = progress::automatic;
  double sample_s = 0;
};

/// Returns the number of puts in a burst: 4 to 64, and where more than 4 together at most 32 MiB.
int burst_for(std::size_t size) {
  constexpr std::size_t most_bytes = std::size_t{32} << 20;
  return static_cast<int>(std::clamp<std::size_t>(most_bytes / size, 4, 64));
}

/// So many operations, of which a few took `few_s` each, that they take about as long as wanted.
int times_for(environment& env, double few_s, double sample_s) {
  return static_cast<int>(
      std::clamp(sample_s / std::max(measure::maximum(env, few_s), 1e-9), 4.0, 1e5));
}

measure::json measure_once(environment& env, const load& what) {
  trial one(env, what.how, what.size_bytes, what.burst, what.policy);
  const double get_s = one.get_s(times_for(env, one.get_s(4), what.sample_s));
  const double put_s = one.put_s(times_for(env, one.put_s(4), what.sample_s));
  (void)one.stream_s();
  const double stream_s = one.stream_s();
  const double get_beside_s = one.get_beside_s(what.sample_s);
  const double put_beside_s = one.put_beside_s(what.sample_s);
  one.expect_right();
  return {{"get_us", 1e6 * get_s},
          {"put_us", 1e6 * put_s},
          {"put_MB_per_s", 1e-6 * static_cast<double>(what.size_bytes) / stream_s},
          {"get_while_target_computes_us", 1e6 * get_beside_s},
          {"put_while_target_computes_us", 1e6 * put_beside_s}};
}

std::vector<measure::measurement> plan(environment& env, const options& given,
                                       const std::vector<way>& ways) {
  std::vector<measure::measurement> result;
  const progress policy = measure::parse_progress("--policy", given.policy);
  for (const std::size_t size : measure::parse_sizes("--sizes", given.sizes, 1)) {
    for (const way& how : ways) {
      const load what{how, size, burst_for(size), policy, 1e-3 * given.sample_ms};
      measure::measurement each{how.name, measure::size_label(size),
                                [&env, what] { return measure_once(env, what); }};
      const trial probed(env, how, 1, 1, policy);
      each.remarks = {{"burst", what.burst}, {"reason", probed.chosen().reason}};
      result.push_back(std::move(each));
    }
  }
  return result;
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  check(given, env);
  const std::vector<way> ways = measure::chosen("--only", given.only, all_ways());
  measure::json rows =
      measure::measure_interleaved(plan(env, given, ways), measure::repetition_of(given.rows, env));
  const measure::json parameters{{"sizes", given.sizes},
                                 {"policy", given.policy},
                                 {"repeat", given.rows.repeat},
                                 {"sample_ms", given.sample_ms}};
  measure::finish_rows(env, given.rows, "windows", parameters, {{"peers", measure::about(ways)}},
                       std::move(rows));
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::network::windows

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "windows",
                                     [&] { return plait::network::windows::run(env, argc, argv); });
}
