// SPDX-License-Identifier: BSD-3-Clause
// Measures L, o, g and G of LogGP between two ranks, as netgauge measures them, and G where both
// send at once.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "eager_limit.hpp"
#include "floods.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/result.hpp"
#include "measure/base/size_list.hpp"
#include "measure/compare/turns.hpp"
#include "measure/rows/measured_rows.hpp"
#include "measured_network.hpp"
#include "tcp_pair.hpp"

namespace plait::network::loggp {
namespace {

struct options {
  std::string sizes;
  std::string max_size;
  std::int64_t messages = 10;
  std::string floods = "64KiB,1MiB";
  bool raw_tcp = false;
  double link_rate_Bps = 0;
  std::string link_burst;
  measure::row_options rows{.repeat = 10};
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("L, o, g and G of LogGP between two ranks", "loggp");
  command.option("--sizes", given.sizes,
                 "Message sizes, 1 among them; instead of 1, 1025, 2049, ...");
  command.option("--max-size", given.max_size, "Largest of 1, 1025, 2049, ...; 64KiB if left out");
  command.option("--messages", given.messages, "Messages of a burst (n)");
  command.renamed("--bursts", "--messages");
  command.option("--floods", given.floods,
                 "Message sizes of floods, in which both ranks send at once; none = no floods");
  command.flag("--raw-tcp", given.raw_tcp,
               "Also the same bursts over a TCP connection without the MPI library");
  command.option("--link-rate", given.link_rate_Bps,
                 "Payload rate of the link between the ranks, in bytes a second; 0 = not known");
  command.option("--link-burst", given.link_burst,
                 "Size that the link lets through at once after a rest (token bucket)");
  measure::add_row_options(command, given.rows, "Rounds over all sizes");
  return command.parse(argc, argv, env);
}

constexpr std::size_t smallest_max = 1025;
constexpr std::size_t largest_flooded = std::size_t{64} << 20;

std::vector<std::size_t> wanted_sizes(const options& given, double link_burst_bytes) {
  if (!given.sizes.empty()) {
    if (!given.max_size.empty())
      throw usage_error("--sizes and --max-size exclude each other: give one of them");
    std::vector<std::size_t> sizes = measure::parse_sizes("--sizes", given.sizes, 1);
    std::ranges::sort(sizes);
    return sizes;
  }
  const std::string max_size = given.max_size.empty() ? "64KiB" : given.max_size;
  std::vector<std::size_t> sizes =
      probe::netgauge_sizes(measure::parse_one_size("--max-size", max_size, smallest_max));
  if (link_burst_bytes > 0) {
    for (const std::size_t size : probe::sizes_beyond(link_burst_bytes)) {
      if (size > sizes.back()) sizes.push_back(size);
    }
  }
  return sizes;
}

std::vector<std::size_t> flood_sizes(const options& given) {
  if (given.floods == "none") return {};
  const std::vector<std::size_t> sizes = measure::parse_sizes("--floods", given.floods, 1);
  for (const std::size_t size : sizes) {
    if (size > largest_flooded)
      throw usage_error("--floods " + measure::size_label(size) + ": give at most " +
                        measure::size_label(largest_flooded));
  }
  return sizes;
}

probe::loggp_plan plan_of(const options& given) {
  measure::check_range("--messages", given.messages, 2, 1000);
  probe::loggp_plan plan{.messages = static_cast<int>(given.messages),
                         .repeat = static_cast<int>(given.rows.repeat),
                         .link_rate_Bps = given.link_rate_Bps};
  if (!given.link_burst.empty())
    plan.link_burst_bytes =
        static_cast<double>(measure::parse_one_size("--link-burst", given.link_burst, 1));
  plan.sizes_bytes = wanted_sizes(given, plan.link_burst_bytes);
  probe::validate(plan);
  return plan;
}

void check_ranks(const environment& env) {
  if (env.size() != 2)
    throw usage_error("this is measured between 2 ranks; it was started with " +
                      std::to_string(env.size()));
}

/// `Pair`: of messages by the MPI library, or over TCP.
template <class Pair>
probe::loggp_measurement measure(environment& env, Pair& pair, const probe::loggp_plan& plan,
                                 const char* over, bool progress) {
  const int total = (plan.repeat + 1) * static_cast<int>(plan.sizes_bytes.size());
  measure::progress_lines lines(progress && env.rank() == 0, total);
  const auto run = [&](const burst& what) { return pair.run(what); };
  const auto tell = [&](int done, int, std::size_t size_bytes) {
    lines.step(done == total ? "done" : fmt::format("{} bytes{}", size_bytes, over));
  };
  return probe::measure_loggp(run, plan, tell);
}

/// Times of bursts over TCP, and what was checked of them.
struct raw_measurement {
  probe::loggp_measurement measured;
  std::uint64_t messages_checked = 0;
  std::uint64_t bytes_checked = 0;
};

raw_measurement measure_raw(environment& env, const probe::loggp_plan& plan, bool progress) {
  tcp_pair pair(env);
  probe::loggp_measurement found = measure(env, pair, plan, ", raw TCP", progress);
  return {std::move(found), pair.messages_checked(), pair.bytes_checked()};
}

void add_raw(measure::json& result, const raw_measurement& raw, const probe::loggp_plan& plan) {
  result["raw_tcp"] = {{"fit", fit_of(raw.measured.fit)},
                       {"link", link_of(raw.measured.fit, plan)},
                       {"sizes", sizes_of(raw.measured, plan.messages)}};
  measure::json& checked = result["verification"];
  checked["messages_checked"] =
      checked["messages_checked"].get<std::uint64_t>() + raw.messages_checked;
  checked["bytes_checked"] = checked["bytes_checked"].get<std::uint64_t>() + raw.bytes_checked;
}

measure::json result_of(const environment& env, const options& given, const probe::loggp_plan& plan,
                        const probe::loggp_measurement& measured, const burst_pair& pair,
                        const std::vector<flood_times>& floods, const flood_pair& flooded) {
  measure::json where = measure::describe_environment(env);
  where["link_rate_Bps"] =
      plan.link_rate_Bps > 0 ? measure::json(plan.link_rate_Bps) : measure::json(nullptr);
  measure::json result = measure::new_result("loggp", "probe", "loggp",
                                             {{"bursts", given.messages},
                                              {"repeat", given.rows.repeat},
                                              {"sizes", plan.sizes_bytes.size()},
                                              {"largest_bytes", plan.sizes_bytes.back()}},
                                             std::move(where));
  result["fit"] = fit_of(measured.fit);
  result["link"] = link_of(measured.fit, plan);
  result["verification"] = {
      {"verified", true},  // else a burst or a flood would have thrown
      {"messages_checked", pair.messages_checked() + flooded.messages_checked()},
      {"bytes_checked", pair.bytes_checked() + flooded.bytes_checked()}};
  result["sizes"] = sizes_of(measured, plan.messages);
  result["floods"] = floods_of(floods);
  return result;
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  check_ranks(env);
  measure::check(env, given.rows);
  const probe::loggp_plan plan = plan_of(given);
  const std::vector<std::size_t> flooded_sizes = flood_sizes(given);
  burst_pair pair(env, 0, 1);
  flood_pair flooded(env, 0, 1);
  probe::loggp_measurement measured = measure(env, pair, plan, "", given.rows.progress);
  // Beside the noise of round trips the time of a handshake is not seen.
  const eager_limit found = measured_eager_limit(env);
  measured.fit.eager_limit_bytes = found.bytes;
  if (!found.is_sure)
    measured.fit.remarks.emplace_back(
        "S is not known: messages of one size sometimes left before their receives and sometimes "
        "did not; measure on cores that nobody else uses");
  std::optional<raw_measurement> raw;
  if (given.raw_tcp) raw = measure_raw(env, plan, given.rows.progress);
  const std::vector<flood_times> floods =
      measure_floods(flooded, flooded_sizes, measure::repetition_of(given.rows, env));
  if (env.rank() != 0) return measure::exit_verified;
  if (given.rows.json_file != "-") {
    print(measured.fit);
    print(floods);
    if (raw) std::printf("raw TCP\n");
    if (raw) print(raw->measured.fit);
  }
  if (given.rows.json_file.empty()) return measure::exit_verified;
  measure::json result = result_of(env, given, plan, measured, pair, floods, flooded);
  if (raw) add_raw(result, *raw, plan);
  measure::write_result(given.rows.json_file, result);
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::network::loggp

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "loggp",
                                     [&] { return plait::network::loggp::run(env, argc, argv); });
}
