// SPDX-License-Identifier: BSD-3-Clause
// Measures the part of a message that this MPI library hides by itself: SMB's availability of
// MPI_Isend and MPI_Irecv, beside that of the same message as a task of plait.
#include <cstdint>
#include <string>
#include <vector>

#include "measure/base/size_list.hpp"
#include "measure/rows/network_options.hpp"
#include "session.hpp"

namespace plait::network::overlap {
namespace {

bool parse(measure::common_options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("What of a message this MPI library hides by itself", "overlap");
  command.option("--sizes", given.sizes, "Bytes of the message, at least 8");
  const std::vector<std::string> names = measure::names_of(all_ways());
  measure::add_common(command, given, names);
  return command.parse(argc, argv, env);
}

session_options session_of(const measure::common_options& given, environment& env) {
  if (env.size() != 2)
    throw usage_error("this measures messages between 2 ranks; it was started with " +
                      std::to_string(env.size()));
  session_options session{
      .sizes = measure::parse_sizes("--sizes", given.sizes, sizeof(std::uint64_t)),
      .ways = measure::chosen("--only", given.only, all_ways(), ways_by_default),
      .pieces = static_cast<int>(given.pieces),
      .sample_s = 1e-3 * given.sample_ms,
      .repetition = measure::repetition_of(given.rows, env)};
  measure::check_common(given, env);
  return session;
}

int run(environment& env, int argc, char** argv) {
  measure::common_options given{.sizes = "8,4KiB,64KiB,256KiB,1MiB,4MiB"};
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  const session_options session = session_of(given, env);
  const measure::json where = measure::describe_run(env, measure::about(session.ways));
  measure::json rows = measure(env, session);
  measure::finish_rows(env, given.rows, "overlap", parameters_of(given), where, std::move(rows),
                       "overlap");
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::network::overlap

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "overlap",
                                     [&] { return plait::network::overlap::run(env, argc, argv); });
}
