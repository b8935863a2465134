// SPDX-License-Identifier: BSD-3-Clause
// What does a message cost as a task?  Latency, message rate and bandwidth of rt.send and rt.recv
// beside the same MPI library's own calls, between two ranks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "measure/command_line.hpp"
#include "measure/gather.hpp"
#include "measure/measured_rows.hpp"
#include "measure/result.hpp"
#include "measure/size_list.hpp"
#include "traffic.hpp"

namespace plait::bench::message {
namespace {

constexpr std::array<std::string_view, 5> known_ways{
    "mpi", "plait", "plait replayed", "plait replayed anew", "plait replayed persistent"};
struct options {
  std::string sizes = "8,64,512,4KiB,32KiB,256KiB,1MiB,4MiB";
  std::string ways = "mpi,plait,plait replayed";
  std::string policy = "auto";
  std::int64_t burst = 64;
  std::int64_t workers = 1;
  std::int64_t repeat = 5;
  double sample_ms = 20;
  std::string json_file;
  bool progress = false;
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
  command.option("--repeat", given.repeat, "Repetitions, interleaved");
  command.option("--sample-ms", given.sample_ms, "About how long one measurement takes");
  command.option("--json", given.json_file, "File for the result; - = standard output");
  command.flag("--progress", given.progress, "@progress lines on standard error");
  return command.parse(argc, argv, env);
}

void check(const options& given, environment& env) {
  if (env.size() != 2)
    throw usage_error("this is a conversation of 2 ranks; it was started with " +
                      std::to_string(env.size()));
  measure::check_range("--burst", given.burst, 1, 1024);
  measure::check_range("--workers", given.workers, 1, 1024);
  measure::check_range("--repeat", given.repeat, 1, 1000);
  if (!(given.sample_ms > 0 && given.sample_ms <= 1e5))
    throw usage_error("--sample-ms must be more than 0 and at most 100000");
  measure::check_writable(env, "--json", given.json_file);
}

std::vector<way> chosen_ways(const options& given) {
  const std::array<way, known_ways.size()> all{raw_mpi(), plait_tasks(), plait_replayed(),
                                               plait_replayed_anew(), plait_replayed_persistent()};
  std::vector<way> result;
  for (const std::string& name : measure::parse_names("--only", given.ways, known_ways)) {
    result.push_back(
        *std::find_if(all.begin(), all.end(), [&](const way& one) { return one.name == name; }));
  }
  return result;
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

measure::json result_of(environment& env, const options& given, const std::vector<way>& ways,
                        measure::json rows) {
  measure::json about = measure::json::object();
  for (const way& one : ways) about[one.name] = one.about;
  measure::json where = measure::describe_environment(env);
  where["peers"] = about;
  const measure::json parameters{{"sizes", given.sizes},     {"burst", given.burst},
                                 {"workers", given.workers}, {"policy", given.policy},
                                 {"repeat", given.repeat},   {"sample_ms", given.sample_ms}};
  return measure::bench_result("message", parameters, where, std::move(rows));
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  check(given, env);
  (void)measure::parse_progress("--policy", given.policy);
  const std::vector<way> ways = chosen_ways(given);
  measure::json rows = measure::measure_interleaved(plan(env, given, ways),
                                                    {.repeat = static_cast<int>(given.repeat),
                                                     .progress = given.progress && env.rank() == 0,
                                                     .warm_up = true});
  if (env.rank() != 0) return measure::exit_verified;
  if (given.json_file != "-") measure::print_rows(rows);
  if (!given.json_file.empty())
    measure::write_result(given.json_file, result_of(env, given, ways, std::move(rows)));
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::bench::message

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "message",
                                     [&] { return plait::bench::message::run(env, argc, argv); });
}
