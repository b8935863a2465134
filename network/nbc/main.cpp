// SPDX-License-Identifier: BSD-3-Clause
// Measures the part of a collective operation that can be hidden: blocking, the MPI library's
// MPI_I… with and without tests, and plait's tasks, with the blocking call's time of work to do
// meanwhile.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/base/size_list.hpp"
#include "measure/rows/network_options.hpp"
#include "processor_share.hpp"
#include "session.hpp"

namespace plait::network::nbc {
namespace {

struct options {
  measure::common_options common{.sizes = "1KiB,16KiB,256KiB,1MiB"};
  std::string operations = "alltoall";
  std::vector<int> communicators;
  double work_ratio = 1;
  std::string test_bytes;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("What of a collective operation can be hidden behind work", "nbc");
  command.option("--op", given.operations,
                 fmt::format("Any of {}", fmt::join(operation_names(), ", ")));
  command.option("--sizes", given.common.sizes,
                 "Bytes for each rank, or of the vector where ranks have no parts; multiples of 8");
  command.option("--work-ratio", given.work_ratio, "Work by the time of the blocking call");
  command.option("--communicators", given.communicators,
                 "Numbers of ranks whose processor share is measured; powers of two and all when "
                 "left out");
  command.option(
      "--test-bytes", given.test_bytes,
      "A piece of the work, and so a test, for so many bytes of the size (LibNBC: 1KiB); "
      "in place of --pieces");
  const std::vector<std::string> names = measure::names_of(all_ways());
  measure::add_common(command, given.common, names);
  return command.parse(argc, argv, env);
}

std::vector<const operation*> operations_of(const std::string& text) {
  std::vector<const operation*> chosen;
  for (const std::string& name : measure::parse_names("--op", text, operation_names()))
    chosen.push_back(&operation_named(name));
  return chosen;
}

std::vector<std::size_t> sizes_of(const options& given, const environment& env) {
  constexpr std::size_t most = std::size_t{2} << 30;
  std::vector<std::size_t> sizes =
      measure::parse_sizes("--sizes", given.common.sizes, sizeof(double));
  for (const std::size_t size : sizes) {
    if (size % sizeof(double) != 0)
      throw usage_error(fmt::format("--sizes: {} is no multiple of 8 bytes, of which a number has",
                                    measure::size_label(size)));
    for (const operation* what : operations_of(given.operations)) {
      const std::size_t memory = memory_bytes(*what, size, env.size());
      if (memory > most)
        throw usage_error(fmt::format(
            "--sizes: {} {} takes {} MiB of memory on each of {} ranks; "
            "it must be at most {} MiB",
            what->name, measure::size_label(size), memory >> 20, env.size(), most >> 20));
    }
  }
  return sizes;
}

std::vector<int> communicators_of(const options& given, const environment& env) {
  if (given.communicators.empty()) return usual_counts(env.size());
  std::vector<int> counts = given.communicators;
  std::ranges::sort(counts);
  for (const int count : counts) measure::check_range("--communicators", count, 2, env.size());
  if (std::ranges::adjacent_find(counts) != counts.end())
    throw usage_error("--communicators names a number of ranks twice");
  return counts;
}

std::optional<std::size_t> test_bytes_of(const options& given) {
  if (given.test_bytes.empty()) return std::nullopt;
  const std::vector<std::size_t> sizes = measure::parse_sizes("--test-bytes", given.test_bytes, 1);
  if (sizes.size() != 1) throw usage_error("--test-bytes is one size, such as 1KiB");
  return sizes.front();
}

session_options session_of(const options& given, environment& env) {
  if (env.size() < 2)
    throw usage_error("a collective operation takes at least 2 ranks; it was started with 1");
  if (!(given.work_ratio > 0 && given.work_ratio <= 100))
    throw usage_error("--work-ratio must be more than 0 and at most 100");
  session_options session{
      .operations = operations_of(given.operations),
      .sizes = sizes_of(given, env),
      .ways = measure::chosen("--only", given.common.only, all_ways(), ways_by_default),
      .communicator_sizes = communicators_of(given, env),
      .work_ratio = given.work_ratio,
      .pieces = static_cast<int>(given.common.pieces),
      .test_bytes = test_bytes_of(given),
      .sample_s = 1e-3 * given.common.sample_ms,
      .repetition = measure::repetition_of(given.common.rows, env)};
  measure::check_common(given.common, env);
  return session;
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  const session_options session = session_of(given, env);
  const measure::json where = measure::describe_run(env, measure::about(session.ways));
  measure::json rows = measure(env, session);
  measure::json parameters = parameters_of(given.common);
  parameters["op"] = given.operations;
  parameters["work_ratio"] = given.work_ratio;
  if (session.test_bytes) parameters["test_bytes"] = *session.test_bytes;
  parameters["communicators"] = session.communicator_sizes;
  measure::finish_rows(env, given.common.rows, "nbc", parameters, where, std::move(rows), "nbc");
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::network::nbc

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "nbc",
                                     [&] { return plait::network::nbc::run(env, argc, argv); });
}
