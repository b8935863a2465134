// SPDX-License-Identifier: BSD-3-Clause
// Are products of sparse matrices that hide their messages faster than a library's?  The variants
// of spmv beside PETSc, and the kernel that they share beside PETSc's, librsb's and the memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <plait/plait.hpp>

#include "bench/rows_about.hpp"
#include "chosen_matrix.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/session_options.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/measured_rows.hpp"
#include "session.hpp"

namespace plait::bench::sparse {
namespace {

struct options {
  spmv::matrix_options matrix;
  std::string only;
  std::string policy = "auto";
  std::int64_t steps = 40;
  std::int64_t piece = spmv::usual_piece;
  std::int64_t workers = 0;
  double link_rate_Bps = 0;
  measure::row_options rows;
};

constexpr std::array<const char*, 4> own_rows{"base", "olap", "plait", "ideal"};

std::vector<std::string> all_rows() {
  std::vector<std::string> names(own_rows.begin(), own_rows.end());
  for (const peer& one : all_peers()) names.push_back(one.name);
  return names;
}

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("Products of a sparse matrix, beside those of libraries", "sparse");
  spmv::add_matrix_options(command, given.matrix);
  command.option("--only", given.only,
                 fmt::format("Any of {}; all when left out", fmt::join(all_rows(), ", ")));
  command.option("--steps", given.steps, "Products of a run");
  command.option("--piece", given.piece, "Nonzeros of a task, and between looks by hand");
  command.option("--workers", given.workers, "Workers of a rank, for tasks; 0 = choose");
  command.option("--policy", given.policy, "Progress: auto, dedicated, sleeping, workers or none");
  measure::add_link_rate(command, given.link_rate_Bps);
  measure::add_row_options(command, given.rows);
  return command.parse(argc, argv, env);
}

std::vector<std::string> rows_of(const std::string& only) {
  const std::vector<std::string> names = all_rows();
  if (only.empty()) return names;
  const auto missing = missing_peers();
  std::vector<std::string_view> known(names.begin(), names.end());
  for (const auto& [name, why] : missing) known.push_back(name);
  std::vector<std::string> wanted = measure::parse_names("--only", only, known);
  for (const std::string& name : wanted)
    if (const auto found = missing.find(name); found != missing.end())
      throw usage_error(fmt::format("--only: {} is not built here: it {}", name, found->second));
  return wanted;
}

measure::json peers_of(const request& wanted) {
  measure::json about{{"base", "plain MPI: exchange, then multiply"},
                      {"olap", "plain MPI by hand: multiply own elements while ghosts travel"},
                      {"plait", "the kernels of olap as tasks, recorded and replayed"},
                      {"ideal", "base without its messages"}};
  for (const peer& one : all_peers()) about[one.name] = one.about;
  return rows_about(about, wanted.rows, ideal_row);
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  measure::check_range("--steps", given.steps, 1, 100000);
  measure::check_range("--piece", given.piece, 1, std::int64_t{1} << 40);
  measure::check_range("--workers", given.workers, 0, 1024);
  measure::check_link_rate(given.link_rate_Bps);
  spmv::check(given.matrix);
  request wanted;
  wanted.rows = rows_of(given.only);
  wanted.steps = static_cast<int>(given.steps);
  wanted.runtime.tasks.workers = static_cast<int>(given.workers);
  wanted.runtime.engine.policy = measure::parse_progress("--policy", given.policy);
  wanted.link_rate_Bps = given.link_rate_Bps;
  wanted.repetition = measure::repetition_of(given.rows, env);
  measure::check(env, given.rows);
  spmv::description about;
  plait::sparse::dealt_matrix dealt = spmv::deal(env, given.matrix, spmv::dealings::used, about);
  measure::check_memory(env, given.matrix.size_option(), spmv::vector_bytes(dealt));
  spmv::problem p(env, std::move(dealt), given.matrix.how(), given.piece);
  measure::json where = measure::policy_chosen(env, wanted.runtime.tasks.workers);
  outcome found = measure(env, p, wanted);
  where["peers"] = peers_of(wanted);
  where["peers_not_built"] = missing_peers();
  const measure::json parameters{{"matrix", about.name},      {"method", given.matrix.method},
                                 {"deal", given.matrix.deal}, {"steps", given.steps},
                                 {"piece", given.piece},      {"policy", given.policy},
                                 {"workers", given.workers},  {"repeat", given.rows.repeat}};
  measure::finish_rows(env, given.rows, "sparse", parameters, where, std::move(found.rows));
  return found.verified ? measure::exit_verified : measure::exit_not_verified;
}

}  // namespace
}  // namespace plait::bench::sparse

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "sparse",
                                     [&] { return plait::bench::sparse::run(env, argc, argv); });
}
