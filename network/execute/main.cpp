// SPDX-License-Identifier: BSD-3-Clause
// Runs a GOAL file or a recording as a real MPI job: messages are real, computation is waited for.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/recorded_program.hpp>

#include "executed_rank.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/gather.hpp"

namespace plait::network::execute {
namespace {

struct request {
  std::string file;
  std::string looks = "always";
  int runtime = -1;
  int repeat = 5;
};

[[nodiscard]] bool parse(request& asked, int argc, char** argv, const environment& env) {
  measure::command_line command("Runs a GOAL file or a recording as a real MPI job", "execute");
  command.option("--file", asked.file, "GOAL file, or folder of a recording");
  command.option("--looks", asked.looks,
                 "When a rank looks after messages: always, idle, or each so many microseconds");
  command.option("--runtime", asked.runtime, "Runtime of a recording to take, from 0; -1: all");
  command.option("--repeat", asked.repeat, "Number of runs after the first, which does not count");
  return command.parse(argc, argv, env);
}

[[nodiscard]] look_rule parse_looks(const std::string& text) {
  if (text == "always") return {look_rule::kind::always, 0};
  if (text == "idle") return {look_rule::kind::idle, 0};
  const bool is_number = !text.empty() && text.size() < 9 &&
                         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || std::stoll(text) == 0)
    throw usage_error("--looks " + text + ": give always, idle, or microseconds");
  return {look_rule::kind::every, 1000 * std::stoll(text)};
}

[[nodiscard]] simulate::program read(const request& asked, execution_options& how) {
  if (!std::filesystem::is_directory(asked.file)) return simulate::read_goal(asked.file);
  how.posts_at_once = true;
  std::optional<std::uint32_t> runtime;
  if (asked.runtime >= 0) runtime = static_cast<std::uint32_t>(asked.runtime);
  return simulate::read_recording(asked.file, runtime).operations;
}

int run(environment& env, int argc, char** argv) {
  request asked;
  if (!parse(asked, argc, argv, env)) return measure::exit_verified;
  if (asked.file.empty()) throw usage_error("--file: name a GOAL file or a recording's folder");
  measure::check_range("--repeat", asked.repeat, 1, 1000);
  execution_options how{.looks = parse_looks(asked.looks)};
  const simulate::program program = read(asked, how);
  if (program.ranks() != static_cast<std::uint32_t>(env.size()))
    throw usage_error(fmt::format("{}: a program of {} ranks; it was started with {}", asked.file,
                                  program.ranks(), env.size()));
  const auto rank = static_cast<std::uint32_t>(env.rank());
  const simulate::rank_template all = unrolled(program.of_rank(rank), program.iterations);
  executed_rank mine(program, all, rank, how);
  std::vector<double> runs;
  for (int i = 0; i <= asked.repeat; ++i) {
    env.barrier();
    const double ns = measure::maximum(env, static_cast<double>(mine.run()));
    if (i > 0) runs.push_back(ns);  // the first has made the connections
  }
  if (env.rank() == 0) {
    for (const double ns : runs) fmt::print("run {:.0f} ns\n", ns);
  }
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::network::execute

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "execute",
                                     [&] { return plait::network::execute::run(env, argc, argv); });
}
