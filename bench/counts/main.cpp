// SPDX-License-Identifier: BSD-3-Clause
// Counts the instructions of a message, a task and a short collective call, and shows in which
// functions they are.  Two ranks take turns under callgrind, so that counts repeat.  Further ranks
// show what of the counts depends on how many there are.
#include <cstdio>

#include "measure/base/command_line.hpp"
#include "measure/rows/measured_rows.hpp"
#include "parts.hpp"

namespace plait::bench::counts {
namespace {

struct options {
  bool functions = false;
  measure::row_options rows;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("Instructions a message, a task and a short collective call take",
                                "counts");
  command.flag("--functions", given.functions, "Show in which functions of plait they are");
  command.option("--json", given.rows.json_file, "File for the result; - = standard output");
  command.flag("--progress", given.rows.progress, "@progress lines on standard error");
  return command.parse(argc, argv, env);
}

void print_functions(const measure::json& rows) {
  for (const auto& [row, columns] : rows.items()) {
    for (const auto& [column, cell] : columns.items()) {
      std::printf("\n%s, %s\n", row.c_str(), column.c_str());
      for (const measure::json& one : cell.at("functions"))
        std::printf("%9.1f  %s\n", one.at(1).get<double>(), one.at(0).get<std::string>().c_str());
    }
  }
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  if (env.size() < 2 || env.node_size() != env.size())
    throw usage_error("this takes 2 or more ranks of one node; it was started with " +
                      std::to_string(env.node_size()) + " of " + std::to_string(env.size()));
  measure::check_writable(env, "--json", given.rows.json_file);
  turns turn(env);
  parts part;
  session s{env, turn, part};
  count_messages(s);
  count_tasks(s);
  if (env.size() == 2) count_collectives(s);  // of more ranks, all would have to take turns
  measure::json rows = part.rows(env);
  if (env.rank() == 0 && given.functions) print_functions(rows);
  const measure::json about{{"peers",
                             {{"mpi",
                               "MPI_Isend, MPI_Irecv, MPI_Waitall; MPI_Ibcast, "
                               "MPI_Iallreduce and MPI_Test"},
                              {"plait", "submitted"},
                              {"plait replayed", "recorded, then replayed"}}}};
  measure::finish_rows(env, given.rows, "counts", {{"size_bytes", 8}}, about, std::move(rows));
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::bench::counts

int main(int argc, char** argv) {
  if (!plait::bench::counts::is_counted() && !plait::bench::counts::looks_on()) {
    try {
      return plait::bench::counts::count_this_program(argv);
    } catch (const plait::usage_error& wrong) {
      std::fprintf(stderr, "counts: %s\n", wrong.what());
      return plait::measure::exit_usage;
    }
  }
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "counts",
                                     [&] { return plait::bench::counts::run(env, argc, argv); });
}
