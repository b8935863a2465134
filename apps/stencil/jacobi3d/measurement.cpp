// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/halo_mpi.hpp"
#include "kernel.hpp"
#include "measure/comparison.hpp"
#include "measure/comparison_result.hpp"
#include "measure/statistics.hpp"

namespace jacobi3d {
namespace {

using plait::measure::json;
using plait::measure::measured_variant;
using plait::measure::measurements;
using plait::stencil::halo_mpi;

/// What the transport's processor time is counted with takes some 100 µs.
constexpr std::int64_t cells_per_count = std::int64_t{1} << 15;

constexpr const char* memory_bandwidth = "memory bandwidth";

class session {
 public:
  session(plait::environment& env, const plait::decomposition<3>& blocks,
          const std::vector<std::string>& variants, const options& chosen,
          const plait::measure::session_options& wanted)
      : env_(env),
        variants_(variants),
        chosen_(chosen),
        wanted_(wanted),
        problem_(blocks, env.rank()),
        halo_(plait::native(env), problem_.u) {}

  plait::measure::outcome run() {
    const plait::measure::comparison what = comparison();
    const measurements found = plait::measure::measure(env_, what, wanted_);
    return {found.verified, env_.rank() == 0 ? result(what, found) : json()};
  }

 private:
  // What is compared ----------------------------------------------------------------------------

  plait::measure::comparison comparison() {
    plait::measure::comparison what;
    what.application = "jacobi3d";
    what.parameters = parameters();
    for (const std::string& name : variants_) what.variants.push_back(compared(name));
    what.base = "base";
    what.make_reference = [this] { return make_reference(); };
    what.ideal = compared("ideal");
    if (std::ranges::any_of(variants_, has_tiles))
      what.own_ideals.push_back(compared("tiles_ideal"));
    what.communication = communication();
    for (const plait::stencil::face& f : halo_.faces())
      what.sent_per_step.push_back({f.peer, halo_.bytes_of(f)});
    what.also.push_back({memory_bandwidth, [this] { return bandwidth(); }});
    return what;
  }

  plait::measure::compared_variant compared(const std::string& name) {
    plait::measure::compared_variant result = plait::measure::compared<problem>(
        name, make_variant(name, env_, chosen_), problem_, wanted_.steps);
    result.computes_as_base = !has_tiles(name);
    if (has_tiles(name)) result.own_ideal = "tiles_ideal";
    return result;
  }

  verdict make_reference() {
    const std::unique_ptr<variant> base = make_base(env_);
    problem_.reset(base->solves());
    base->prepare(problem_);
    base->run(problem_, wanted_.steps, {});
    (void)base->finish(problem_);
    problem_.keep_as_reference();
    return problem_.check_closed_form(base->solves(), wanted_.steps);
  }

  /// The exchanges of base.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone exchanges;
    exchanges.prepare = [this] { problem_.reset(setting::distributed); };
    exchanges.run = [this] {
      for (int step = 0; step < wanted_.steps; ++step) halo_.exchange();
    };
    exchanges.exchanges = wanted_.steps;
    exchanges.exchange_sparsely = [this](std::chrono::microseconds interval) {
      halo_.exchange_sparsely(interval);
    };
    // What is counted meanwhile must not touch ghosts.
    const std::vector<box> pieces = plait::cut_in_tiles(
        problem_.parts().interior,
        {.rows = tile_rows(problem_.u.block(problem_.block())), .cells = cells_per_count});
    if (!pieces.empty())
      exchanges.work = [this, pieces, next = std::size_t{0}]() mutable {
        problem_.relax(pieces[next]);
        next = (next + 1) % pieces.size();
      };
    return exchanges;
  }

  double bandwidth() {
    const int own = problem_.block();
    return plait::measure::sum(
        env_, stream_triad_bytes_per_s(problem_.v[problem_.own()], problem_.u.block(own),
                                       problem_.b.block(own), 3));
  }

  json parameters() const {
    const plait::decomposition<3>& blocks = problem_.blocks();
    return {{"size", blocks.global().extent().along},
            {"steps", wanted_.steps},
            {"grid", blocks.grid()->dims()},
            {"repeat", wanted_.repeat},
            {"workers", chosen_.tasks.workers},
            {"policy", plait::to_string(chosen_.tasks.policy)},
            {"in_flight", chosen_.tasks.in_flight},
            {"time_tile", chosen_.time_tile},
            {"variants", variants_}};
  }

  // What comes out ------------------------------------------------------------------------------

  json result(const plait::measure::comparison& what, const measurements& found) const {
    json out = plait::measure::result_of(env_, what, wanted_, found);
    add_choices(out["environment"], found);
    for (const measured_variant& one : found.variants)
      if (one.has_proxy())
        out["variants"][one.name]["longest_unwatched_s"] = one.figure("longest_unwatched_s");
    for (const char* name : {"tiles", "base", "olap", "plait"})  // the last of these that ran
      if (const measured_variant* one = found.find(name))
        out["limiter"] = plait::measure::limiter_of(*one, found);
    out["kernel"] = kernel(found);
    return out;
  }

  /// What tasks chose where the command line left it open.
  void add_choices(json& to, const measurements& found) const {
    const measured_variant* tasks = found.find("plait");
    if (tasks == nullptr) tasks = found.find("tiles");
    to["workers"] = tasks != nullptr ? tasks->workers : 1;
    to["time_tile_chosen"] = chosen_.tile.depth != 0 ? json(chosen_.tile.depth) : json(nullptr);
    for (const char* word : {"policy_chosen", "policy_reason"})
      to[word] = tasks != nullptr ? json(tasks->words.at(word)) : json(nullptr);
  }

  json kernel(const measurements& found) const {
    const auto cells = static_cast<double>(problem_.blocks().global().size());
    const double bytes_per_s = bytes_per_cell * cells * wanted_.steps / found.alone().computation_s;
    const double stream = plait::measure::median(found.also.at(memory_bandwidth));
    return {{"bytes_per_s", bytes_per_s},
            {"stream_bytes_per_s", stream},
            {"fraction_of_bandwidth", bytes_per_s / stream}};
  }

  plait::environment& env_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& wanted_;
  problem problem_;
  halo_mpi halo_;
};

}  // namespace

plait::measure::outcome measure(plait::environment& env, const plait::decomposition<3>& blocks,
                                const std::vector<std::string>& variants, const options& chosen,
                                const plait::measure::session_options& wanted) {
  return session(env, blocks, variants, chosen, wanted).run();
}

}  // namespace jacobi3d
