// SPDX-License-Identifier: BSD-3-Clause
// A program of one's own, measured as plait's applications are.
#include <chrono>
#include <thread>

#include "exchange.hpp"
#include "measure/compare/program.hpp"

namespace measure = plait::measure;

constexpr std::array<std::string_view, 4> names{"base", "olap", "plait", "ideal"};

int run(plait::environment& env, int argc, char** argv) {
  std::int64_t rows = 64, columns = 1 << 15;
  measure::program_options given;
  measure::command_line line("Heat flows along a ring of rows of cells", "measured");
  line.option("--rows", rows, "Rows of each rank");
  line.option("--columns", columns, "Cells of a row");
  measure::add_program_options(line, given, names, "Steps of a run");
  if (!line.parse(argc, argv, env)) return measure::exit_verified;
  measure::check_range("--rows", rows, 4, 1 << 20);
  measure::check_range("--columns", columns, 1, 1 << 24);

  ring p{env.rank(), env.size(), static_cast<int>(rows), static_cast<std::size_t>(columns)};
  const int steps = given.session.steps;
  const auto make = [&](const std::string& name) {
    if (name == "base") return make_base(env);
    if (name == "olap") return make_olap(env);
    if (name == "plait") return make_plait(env, given.tasks(), setting::distributed);
    if (name == "plait_ideal") return make_plait(env, given.tasks(), setting::isolated);
    return make_ideal();
  };
  measure::comparison what = measure::compare("measured", given.chosen(names), p, steps, make);
  what.parameters = {{"rows", rows}, {"columns", columns}};
  for (measure::compared_variant& one : what.variants)
    if (one.name == "plait") one.computes_as_base = false, one.own_ideal = "plait_ideal";
  what.own_ideals = {measure::compared<ring>("plait_ideal", make("plait_ideal"), p, steps)};
  what.communication = {.prepare = [&] { p.reset(setting::distributed); },
                        .run =
                            [&] {
                              for (int i = 0; i < steps; ++i) exchange(env, p).wait();
                            },
                        .exchanges = steps,
                        .exchange_sparsely =
                            [&](std::chrono::microseconds interval) {
                              exchange ghosts(env, p);
                              while (!ghosts.test()) std::this_thread::sleep_for(interval);
                            },
                        .work = [&] { p.diffuse(2, 3); }};
  for (const int peer : {p.above, p.below})
    what.sent_per_step.push_back({peer, 8.0 * static_cast<double>(columns)});
  return measure::run_comparison(env, what, given.session);
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return measure::run_program(env, "measured", [&] { return run(env, argc, argv); });
}
