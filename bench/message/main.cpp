// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of a message as a task: latency, message rate and bandwidth of rt.send and
// rt.recv between two ranks, beside the same MPI library's own calls.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/base/command_line.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/named.hpp"
#include "measure/base/size_list.hpp"
#include "measure/rows/measured_rows.hpp"
#include "traffic.hpp"

namespace plait::bench::message {
namespace {

struct options {
  std::string sizes = "8,64,512,4KiB,32KiB,256KiB,1MiB,4MiB";
  std::string ways = "mpi,plait,plait replayed";
  std::string policy = "auto";
  std::int64_t burst = 64;
  std::int64_t workers = 1;
  double sample_ms = 20;
  measure::row_options rows;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command(
      "Latency, rate and bandwidth of messages as tasks, beside MPI's own calls", "message");
  command.option("--sizes", given.sizes, "Message sizes");
  command.option("--only", given.ways,
                 "Any of mpi, plait, plait replayed, plait replayed anew (no persistent MPI "
                 "requests), plait replayed persistent (nothing else)");
  command.option("--policy", given.policy, "Progress: auto, dedicated, sleeping, workers, none");
  command.option("--burst", given.burst, "Messages of the stream between two answers");
  command.renamed("--window", "--burst");
  command.option("--workers", given.workers, "Workers of a rank");
  command.option("--sample-ms", given.sample_ms, "About how long one measurement takes");
  measure::add_row_options(command, given.rows);
  return command.parse(argc, argv, env);
}

void check(const options& given, environment& env) {
  if (env.size() != 2)
    throw usage_error("this is a conversation of 2 ranks; it was started with " +
                      std::to_string(env.size()));
  measure::check_range("--burst", given.burst, 1, 1024);
  measure::check_range("--workers", given.workers, 1, 1024);
  measure::check_positive("--sample-ms", given.sample_ms, 100'000);
  measure::check(env, given.rows);
}

std::vector<way> chosen_ways(const options& given) {
  return measure::chosen("--only", given.ways,
                         std::vector<way>{raw_mpi(), plait_tasks(), plait_replayed(),
                                          plait_replayed_anew(), plait_replayed_persistent()});
}

// The buffers of a burst stay below so much, or where that is not possible at 4 messages.
int burst_for(std::size_t size, std::int64_t wanted) {
  constexpr std::size_t most_bytes = std::size_t{32} << 20;
  const auto fitting = static_cast<std::int64_t>(most_bytes / size);
  return static_cast<int>(std::min(wanted, std::max<std::int64_t>(4, fitting)));
}

// So many rounds and bursts that MPI itself takes about as long as wanted; all ways get the same.
traffic traffic_of(environment& env, std::size_t size, const options& given) {
  traffic what{.size_bytes = size,
               .burst = burst_for(size, given.burst),
               .workers = static_cast<int>(given.workers),
               .policy = measure::parse_progress("--policy", given.policy)};
  const auto times = [&](double one_s) {
    const double wanted = 1e-3 * given.sample_ms / measure::maximum(env, one_s);
    return static_cast<long>(std::clamp(wanted, 2.0, 1e6));
  };
  what.rounds = 4;
  what.rounds = times(raw_mpi().ping_pong(env, what) / 4);
  what.bursts = times(raw_mpi().stream(env, what));
  return what;
}

measure::json measure_once(environment& env, const way& one, const traffic& what) {
  const auto size = static_cast<double>(what.size_bytes);
  const double round_s = one.ping_pong(env, what) / static_cast<double>(what.rounds);
  const double messages = static_cast<double>(what.burst) * static_cast<double>(what.bursts);
  const double message_s = one.stream(env, what) / messages;
  measure::json figures{{"latency_us", 0.5e6 * round_s}};
  // Beyond, the rate is the bandwidth by another name.
  constexpr double small = 4096;
  if (size <= small) figures["messages_per_s"] = 1 / message_s;
  figures["bandwidth_MB_per_s"] = 1e-6 * size / message_s;
  return figures;
}

std::vector<measure::measurement> plan(environment& env, const options& given,
                                       const std::vector<way>& ways) {
  std::vector<measure::measurement> result;
  for (const std::size_t size : measure::parse_sizes("--sizes", given.sizes, 1)) {
    const traffic what = traffic_of(env, size, given);
    for (const way& one : ways) {
      measure::measurement each{one.name, measure::size_label(size),
                                [&env, one, what] { return measure_once(env, one, what); }};
      each.remarks = {{"burst", what.burst}, {"rounds", what.rounds}, {"bursts", what.bursts}};
      result.push_back(std::move(each));
    }
  }
  return result;
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  check(given, env);
  (void)measure::parse_progress("--policy", given.policy);
  const std::vector<way> ways = chosen_ways(given);
  measure::json rows =
      measure::measure_interleaved(plan(env, given, ways), measure::repetition_of(given.rows, env));
  const measure::json parameters{{"sizes", given.sizes},        {"burst", given.burst},
                                 {"workers", given.workers},    {"policy", given.policy},
                                 {"repeat", given.rows.repeat}, {"sample_ms", given.sample_ms}};
  measure::finish_rows(env, given.rows, "message", parameters, {{"peers", measure::about(ways)}},
                       std::move(rows));
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::bench::message

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "message",
                                     [&] { return plait::bench::message::run(env, argc, argv); });
}
