// SPDX-License-Identifier: BSD-3-Clause
// Do transforms that hide their transposes beat the libraries?  The transforms of ft and fft3d, as
// plain MPI and as tasks, beside FFTW's own over ranks and mpi4py-fft.
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
#include "measure/base/command_line.hpp"
#include "measure/base/result.hpp"
#include "measure/base/session_options.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/measured_rows.hpp"
#include "session.hpp"

namespace plait::bench::fft {
namespace {

constexpr std::array<std::string_view, 2> known_programs{"ft", "fft3d"};

struct options {
  std::string classes = "W,A";
  std::string programs = "ft,fft3d";
  std::string only;
  std::string plans = "measured";
  std::string policy = "auto";
  std::int64_t steps = 0;
  std::int64_t workers = 0;
  double link_rate_Bps = 0;
  measure::row_options rows;
};

std::vector<std::string> all_rows() {
  std::vector<std::string> names{"base", "olap", "plait", "ideal"};
  for (const peer& one : all_peers()) names.push_back(one.name);
  return names;
}

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("Transforms that hide their transposes, beside those of libraries",
                                "fft");
  command.option("--class", given.classes,
                 "Grids: NPB's S, W, A, B, C, D or NXxNYxNZ, with commas between");
  command.option("--programs", given.programs,
                 "Whose transforms: ft (NAS FT), fft3d (there and back)");
  command.option("--only", given.only,
                 fmt::format("Any of {}; all when left out", fmt::join(all_rows(), ", ")));
  command.option("--plans", given.plans, "FFTW's plans: measured, patient or estimated");
  command.option("--steps", given.steps,
                 "Iterations of ft, steps of fft3d; 0 = the class's iterations, 3 steps");
  command.option("--workers", given.workers, "Workers of a rank, for tasks; 0 = choose");
  command.option("--policy", given.policy, "Progress: auto, dedicated, sleeping, workers or none");
  measure::add_link_rate(command, given.link_rate_Bps);
  measure::add_row_options(command, given.rows);
  return command.parse(argc, argv, env);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<std::string> rows_of(const std::string& only) {
  const std::vector<std::string> names = all_rows();
  if (only.empty()) return names;
  for (const auto& [name, why] : missing_peers())
    if (std::ranges::count(words_of(only), name) > 0)
      throw usage_error(fmt::format("--only: {} is not built here: it {}", name, why));
  const std::vector<std::string_view> known(names.begin(), names.end());
  return measure::parse_names("--only", only, known);
}

std::vector<ft::problem_class> classes_of(const std::string& text) {
  std::vector<ft::problem_class> all;
  for (const std::string& word : words_of(text)) {
    all.push_back(ft::parse_class("--class", word));
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      if (all[i].cells == all.back().cells)
        throw usage_error(fmt::format("--class is '{}'; it names a grid twice", text));
  }
  return all;
}

request requested(const options& given, environment& env) {
  measure::check_range("--steps", given.steps, 0, 1000);
  measure::check_range("--workers", given.workers, 0, 1024);
  measure::check_link_rate(given.link_rate_Bps);
  request wanted{.programs = measure::parse_names("--programs", given.programs, known_programs),
                 .classes = classes_of(given.classes),
                 .rows = rows_of(given.only),
                 .how = {.planning = measure::parse_kind<spectral::planning>(
                             "--plans", given.plans, spectral::planning_names),
                         .steps = static_cast<int>(given.steps),
                         .workers = static_cast<int>(given.workers),
                         .policy = measure::parse_progress("--policy", given.policy)},
                 .link_rate_Bps = given.link_rate_Bps,
                 .repetition = measure::repetition_of(given.rows, env)};
  for (const ft::problem_class& what : wanted.classes)  // too few planes, said before any planning
    (void)spectral::slabs("--class", what.cells, env.size(), env.rank(), 1);
  measure::check_memory(env, "--class", memory_bytes(wanted, env.size()));
  measure::check(env, given.rows);
  return wanted;
}

measure::json peers_of(const request& wanted) {
  measure::json about{
      {"base", "all lines, one blocking MPI_Alltoallv, all other lines"},
      {"olap",
       "tiles that leave as soon as their lines are done; ft by MPI_Isend and MPI_Irecv, fft3d by "
       "MPI_Ialltoallv and MPI_Testall"},
      {"plait", "the same passes and messages as tasks, recorded and replayed"},
      {"ideal", "base without its messages"}};
  for (const peer& one : all_peers()) about[one.name] = one.about;
  return rows_about(about, wanted.rows, ideal_row);
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  const request wanted = requested(given, env);
  measure::json where = measure::policy_chosen(env, wanted.how.workers);
  outcome found = measure(env, wanted);
  const int code = found.verified ? measure::exit_verified : measure::exit_not_verified;
  where["peers"] = peers_of(wanted);
  where["peers_not_built"] = missing_peers();
  const measure::json parameters{{"class", given.classes},     {"programs", wanted.programs},
                                 {"steps", given.steps},       {"plans", given.plans},
                                 {"policy", given.policy},     {"workers", given.workers},
                                 {"repeat", given.rows.repeat}};
  measure::finish_rows(env, given.rows, "fft", parameters, where, std::move(found.rows));
  return code;
}

}  // namespace
}  // namespace plait::bench::fft

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "fft",
                                     [&] { return plait::bench::fft::run(env, argc, argv); });
}
