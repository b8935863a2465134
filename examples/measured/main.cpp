// SPDX-License-Identifier: BSD-3-Clause
// A program of one's own, measured as plait's applications are.
#include <chrono>
#include <thread>

#include "exchange.hpp"
#include "measure/program.hpp"

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
  const auto compared = [&](std::string_view name) {
    auto code = name == "base"    ? make_base(env)
                : name == "olap"  ? make_olap(env)
                : name == "plait" ? make_plait(env, given.tasks())
                                  : make_ideal();
    return measure::compared<ring>(std::string(name), std::move(code), p, steps);
  };
  measure::comparison what;
  what.application = "measured";
  what.parameters = {{"rows", rows}, {"columns", columns}};
  for (const std::string& name : given.chosen(names)) what.variants.push_back(compared(name));
  what.base = "base";
  what.ideal = compared("ideal");
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
