// SPDX-License-Identifier: BSD-3-Clause
// SpMV: repeated products of a sparse matrix and a vector.  One MPI job runs all variants in turns
// and writes one result.
#include <cstdint>
#include <utility>

#include <plait/plait.hpp>

#include "chosen_matrix.hpp"
#include "measure/compare/program.hpp"
#include "measurement.hpp"

namespace {

struct command {
  spmv::matrix_options matrix;
  std::int64_t piece = spmv::usual_piece;
  plait::measure::program_options common;
};

bool parse(command& c, const spmv::variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  plait::measure::command_line options("Repeated products of a sparse matrix and a vector", "spmv");
  spmv::add_matrix_options(options, c.matrix);
  plait::measure::add_program_options(options, c.common, all.names(), "Products of a run");
  options.option("--piece", c.piece, "Nonzeros of a piece: of a task, and between looks by hand");
  return options.parse(argc, argv, env);
}

int run(plait::environment& env, int argc, char** argv) {
  spmv::options chosen;
  const spmv::variant_list all{{"base", [&] { return spmv::make_base(env); }},
                               {"olap", [&] { return spmv::make_olap(env); }},
                               {"plait", [&] { return spmv::make_plait(env, chosen); }},
                               {"ideal", [&] { return spmv::make_ideal(env); }}};
  command given;
  if (!parse(given, all, argc, argv, env)) return plait::measure::exit_verified;
  const plait::measure::session_options& session = given.common.session;
  plait::measure::check(session);
  plait::measure::check_range("--piece", given.piece, 1, std::int64_t{1} << 40);
  chosen = given.common.tasks();
  const auto variants = given.common.chosen(all.names());
  spmv::check(given.matrix);
  plait::measure::check_outputs(env, session);
  spmv::description about;
  plait::sparse::dealt_matrix dealt = spmv::deal(env, given.matrix, spmv::dealings::all, about);
  plait::measure::check_memory(env, given.matrix.size_option(), spmv::vector_bytes(dealt));
  spmv::problem p(env, std::move(dealt), given.matrix.how(), given.piece);
  return spmv::measure(env, p, about, all, variants, chosen, session);
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "spmv", [&] { return run(env, argc, argv); });
}
