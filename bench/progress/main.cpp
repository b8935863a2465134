// SPDX-License-Identifier: BSD-3-Clause
// When should the engine look for messages?  Steps of work cut into tasks, beside messages of two
// ranks, under every policy of progress, at fixed intervals of looking, blocking and by hand.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/base/command_line.hpp"
#include "measure/base/named.hpp"
#include "measure/base/size_list.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/measured_rows.hpp"
#include "session.hpp"

namespace plait::bench::progress_sweep {
namespace {

struct options {
  std::string tasks = "10us,100us,1ms,5ms,whole";
  std::string sizes = "4KiB,64KiB,512KiB,2MiB,8MiB";
  std::vector<int> flights{1, 8};
  std::string rows;
  double work = 1.0;
  double least_step_ms = 2;
  double longest_step_ms = 250;
  double run_ms = 80;
  std::int64_t workers = 1;
  measure::row_options outputs;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("When should the engine look for messages", "progress");
  command.option("--tasks", given.tasks, "Lengths of a task; whole = the work of a step is one");
  command.option("--sizes", given.sizes, "Bytes of a message, multiples of 8");
  command.option("--flights", given.flights, "Messages in flight at once each way");
  command.option("--rows", given.rows,
                 fmt::format("Any of {}; all when left out",
                             fmt::join(measure::names_of(all_contestants()), ", ")));
  command.option("--work", given.work, "Work of a step by time of its messages alone");
  command.option("--least-step-ms", given.least_step_ms,
                 "The work of a step takes at least so long");
  command.option("--longest-step-ms", given.longest_step_ms,
                 "Cells with longer steps are left out");
  command.option("--run-ms", given.run_ms, "About how long one measurement takes");
  command.option("--workers", given.workers, "Workers of a rank");
  measure::add_row_options(command, given.outputs);
  return command.parse(argc, argv, env);
}

void check(const options& given, environment& env) {
  if (env.size() != 2)
    throw usage_error("this is an exchange of 2 ranks; it was started with " +
                      std::to_string(env.size()));
  measure::check_positive("--work", given.work, 100);
  measure::check_positive("--least-step-ms", given.least_step_ms, 10'000);
  measure::check_positive("--longest-step-ms", given.longest_step_ms, 100'000);
  measure::check_positive("--run-ms", given.run_ms, 100'000);
  if (given.flights.empty()) throw usage_error("--flights names no number; write 1,8");
  for (const int each : given.flights) measure::check_range("--flights", each, 1, 1000);
  measure::check_range("--workers", given.workers, 1, 1024);
  measure::check(env, given.outputs);
}

// 0 of "whole"; NaN of what is no length of a task.
double task_seconds(const std::string& word) {
  if (word == "whole") return 0;
  double number = 0;
  const auto [rest, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string unit(rest, static_cast<std::size_t>(word.data() + word.size() - rest));
  const double in_a_second = unit == "us" ? 1e6 : unit == "ms" ? 1e3 : std::nan("");
  const double seconds = number / in_a_second;
  return failed == std::errc{} && seconds >= 1e-6 && seconds <= 1 ? seconds : std::nan("");
}

std::vector<double> parse_tasks(const std::string& text) {
  std::vector<double> result;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const double seconds = task_seconds(word);
    if (std::isnan(seconds))
      throw usage_error("--tasks: '" + word +
                        "' is no length from 1us to 1000ms; write 10us,1ms,whole");
    if (std::ranges::find(result, seconds) != result.end())
      throw usage_error("--tasks names '" + word + "' twice");
    result.push_back(seconds);
  }
  if (result.empty()) throw usage_error("--tasks names no length; write 10us,1ms,whole");
  return result;
}

std::vector<std::size_t> parse_message_sizes(const std::string& text) {
  std::vector<std::size_t> sizes = measure::parse_sizes("--sizes", text, sizeof(std::uint64_t));
  for (const std::size_t each : sizes) {
    if (each % sizeof(std::uint64_t) != 0)
      throw usage_error("--sizes: " + measure::size_label(each) + " is no multiple of 8 bytes");
  }
  return sizes;
}

sweep_options sweep_of(const options& given, const environment& env) {
  return {.tasks_s = parse_tasks(given.tasks),
          .sizes = parse_message_sizes(given.sizes),
          .flights = given.flights,
          .contestants = measure::chosen("--rows", given.rows, all_contestants()),
          .work_ratio = given.work,
          .least_step_s = 1e-3 * given.least_step_ms,
          .longest_step_s = 1e-3 * given.longest_step_ms,
          .run_s = 1e-3 * given.run_ms,
          .workers = static_cast<int>(given.workers),
          // Every run has steps that do not count before those that do.
          .repetition = measure::repetition_of(given.outputs, env, false)};
}

// A proxy that spins on a core that workers want is no contestant.  Returns by row why it is not.
measure::json leave_out_crowded(std::vector<step_contestant>& contestants,
                                const measure::json& policy) {
  measure::json left_out = measure::json::object();
  const std::string name = plait_tasks(progress::dedicated).name;
  if (policy.at("policy_chosen") == "dedicated") return left_out;
  if (std::erase_if(contestants, [&](const auto& one) { return one.name == name; }) > 0)
    left_out[name] = policy.at("policy_reason");
  if (contestants.empty())
    throw usage_error("--rows: " + name + ": " + policy.at("policy_reason").get<std::string>());
  return left_out;
}

measure::json parameters_of(const options& given) {
  return {{"tasks", given.tasks},
          {"sizes", given.sizes},
          {"flights", given.flights},
          {"work", given.work},
          {"least_step_ms", given.least_step_ms},
          {"longest_step_ms", given.longest_step_ms},
          {"run_ms", given.run_ms},
          {"workers", given.workers},
          {"repeat", given.outputs.repeat}};
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  check(given, env);
  sweep_options sweep = sweep_of(given, env);
  measure::json where = measure::policy_chosen(env, sweep.workers);
  where["rows_left_out"] = leave_out_crowded(sweep.contestants, where);
  where["peers"] = measure::about(sweep.contestants);
  sweep_result measured = measure(env, sweep);
  where["cells_left_out"] = std::move(measured.left_out);
  measure::finish_rows(env, given.outputs, "progress", parameters_of(given), where,
                       std::move(measured.rows), "progress");
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::bench::progress_sweep

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(
      env, "progress", [&] { return plait::bench::progress_sweep::run(env, argc, argv); });
}
