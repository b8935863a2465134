// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/halo_mpi.hpp"
#include "kernel.hpp"
#include "measure/program.hpp"
#include "measure/statistics.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

using plait::measure::json;
using plait::measure::measurements;

/// Sizes the work that the transport's processor time is counted with: some 100 µs.
constexpr std::int64_t cells_per_count = std::int64_t{1} << 15;

constexpr const char* memory_bandwidth = "memory bandwidth";

std::unique_ptr<variant> make_variant(const std::string& name, plait::environment& env,
                                      const options& chosen) {
  if (name == "base") return make_base(env);
  if (name == "olap") return make_olap(env);
  if (name == "plait") return make_plait(env, chosen);
  if (name == "tiles") return make_tiles(env, chosen);
  if (name == "tiles_ideal") return make_tiles_ideal(env, chosen);
  return make_ideal();
}

/// Work that touches no ghosts.
std::function<void()> work_of(problem& p) {
  return plait::measure::in_turns(
      plait::cut_in_tiles(p.parts().interior,
                          {.rows = tile_rows(p.u.block(p.block())), .cells = cells_per_count}),
      [&p](const box& piece) { p.relax(piece); });
}

double bandwidth(plait::environment& env, problem& p) {
  return plait::measure::sum(
      env, stream_triad_bytes_per_s(p.v[p.own()], p.u.block(p.block()), p.b.block(p.block()), 3));
}

json kernel(const measurements& found, const problem& p, int steps) {
  const auto cells = static_cast<double>(p.blocks().global().size());
  const double bytes_per_s = bytes_per_cell * cells * steps / found.alone().computation_s;
  const double stream = plait::measure::median(found.also.at(memory_bandwidth));
  return {{"bytes_per_s", bytes_per_s},
          {"stream_bytes_per_s", stream},
          {"fraction_of_bandwidth", bytes_per_s / stream}};
}

void print_table(const json& result) {
  plait::measure::print_table(result);
  std::printf("%.0f %% of memory bandwidth\n",
              100 * result["kernel"]["fraction_of_bandwidth"].get<double>());
}

}  // namespace

int measure(plait::environment& env, const plait::decomposition<3>& blocks,
            const std::vector<std::string>& variants, const options& chosen,
            const plait::measure::session_options& wanted) {
  problem p(blocks, env.rank());
  plait::stencil::halo_mpi halo(plait::native(env), p.u);
  const auto make = [&](const std::string& name) { return make_variant(name, env, chosen); };
  plait::measure::comparison what =
      plait::measure::compare("jacobi3d", variants, p, wanted.steps, make);
  what.parameters = to_json(chosen.tasks);
  what.parameters.update({{"size", blocks.global().extent().along},
                          {"grid", blocks.grid()->dims()},
                          {"time_tile", chosen.time_tile}});
  for (plait::measure::compared_variant& one : what.variants) {
    one.computes_as_base = !has_tiles(one.name);
    if (has_tiles(one.name)) one.own_ideal = "tiles_ideal";
  }
  if (std::ranges::any_of(variants, has_tiles))
    what.own_ideals.push_back(
        plait::measure::compared<problem>("tiles_ideal", make("tiles_ideal"), p, wanted.steps));
  what.communication = plait::stencil::exchanges_alone(
      {&halo, 1}, wanted.steps, [&p] { p.reset(setting::distributed); }, work_of(p));
  what.sent_per_step = halo.sent();
  what.also.push_back({memory_bandwidth, [&] { return bandwidth(env, p); }});
  const auto more = [&](json& out, const measurements& found) {
    const int depth = chosen.tile.depth;
    out["environment"]["time_tile_chosen"] = depth != 0 ? json(depth) : json(nullptr);
    out["kernel"] = kernel(found, p, wanted.steps);
  };
  return plait::measure::run_comparison(env, what, wanted, more, print_table);
}

}  // namespace jacobi3d
