// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <plait/comm/mpi.hpp>

#include "common/cache_tiles.hpp"
#include "common/device/device_bound.hpp"
#include "common/grid_options.hpp"
#include "common/halo_mpi.hpp"
#include "measure/compare/program.hpp"
#include "measure/load/memory_bandwidth.hpp"
#include "measure/load/service_core.hpp"

namespace jacobi3d {
namespace {

namespace measure = plait::measure;
using measure::json;
using plait::runtime_options;
using plait::service_core;
using plait::stencil::halo_mpi;

class session {
 public:
  session(plait::environment& env, const domains& whole, const measure::node_processes& nodes,
          const variant_list& all, const options& chosen, const node_rows& rows,
          const measure::session_options& wanted)
      : env_(env),
        whole_(whole),
        nodes_(nodes),
        all_(all),
        chosen_(chosen),
        rows_(rows),
        wanted_(wanted),
        problem_(whole.processes, env.rank()),
        halo_(plait::native(env), problem_.u) {
    if (!whole.nodes || !nodes.leads()) return;
    leading_.emplace(*whole.nodes, env.rank());
    leading_halo_.emplace(plait::native(env), leading_->u);
  }

  int run(const std::vector<std::string>& names) {
    measure::comparison what;
    what.application = "jacobi3d";
    what.parameters = parameters();
    for (const std::string& name : names) add(what, name);
    what.base = chosen_.on_device ? "device_base" : "base";
    what.make_reference = [this] { return make_reference(); };
    what.ideal = of_processes(chosen_.on_device ? "device_ideal" : "ideal");
    if (std::ranges::any_of(names, is_tiled))
      what.own_ideals.push_back(of_processes("tiles_ideal"));
    what.communication = messages_of(halo_, problem_);
    // Cores of the host have nothing to compute that messages could take them from.
    if (chosen_.on_device) what.communication.work = nullptr;
    what.sent_per_step = halo_.sent();
    if (has_leaders(names)) add_leaders(what);
    const auto cells = static_cast<double>(whole_.processes.blocks().global().size());
    measure::set_operations(what, operations_per_cell * cells * wanted_.steps);
    if (!chosen_.on_device)
      measure::measure_bandwidth(env_, what, [this] {
        problem& p = problem_;
        return stream_triad_bytes_per_s(p.v[p.cells()], p.block(p.u), p.block(p.b), 3);
      });
    return measure::run_comparison(
        env_, what, wanted_,
        [&](json& out, const measure::measurements& found) {
          const int depth = chosen_.tile.depth;
          out["environment"]["time_tile_chosen"] = depth != 0 ? json(depth) : json(nullptr);
          if (chosen_.on_device) {
            plait::stencil::add_device(out, found);
          } else {
            out["kernel"] = measure::kernel_of(found, bytes_per_cell * cells * wanted_.steps);
          }
          add_service_core(out, found);
        },
        [](const json& result) {
          measure::print_table(result);
          measure::print_service_core(result);
          plait::stencil::print_device(result);
        });
  }

 private:
  // Rows ----------------------------------------------------------------------------------------

  [[nodiscard]] bool has_leaders(const std::vector<std::string>& names) const {
    return whole_.nodes && std::ranges::find(names, "plait") != names.end();
  }

  void add(measure::comparison& what, const std::string& name) {
    if (name != "plait" || !whole_.nodes) {
      what.variants.push_back(of_processes(name));
      return;
    }
    what.variants.push_back(of_leaders(name, with_service(rows_.service)));
    what.variants.back().own_ideal = "plait_ideal";
    if (!rows_.has_service_row) return;
    what.variants.push_back(of_leaders("service", with_service(service_core::always)));
    what.variants.back().own_ideal = "service_ideal";
  }

  measure::compared_variant of_processes(const std::string& name) {
    auto one = measure::compared<problem>(name, all_(name), problem_, wanted_.steps);
    one.computes_as_base = !is_tiled(name);
    if (is_tiled(name)) one.own_ideal = "tiles_ideal";
    return one;
  }

  /// A row with one process of each node, which has a core for each process that base has there.
  measure::compared_variant of_leaders(const std::string& name, const runtime_options& how,
                                       setting solves = setting::distributed) {
    measure::compared_variant one =
        leading_ ? nodes_.with_leaders(measure::compared<problem>(
                       name, make_plait(env_, how, solves, step_), *leading_, wanted_.steps))
                 : nodes_.asleep_beside_tasks(name);
    one.computes_as_base = false;
    return one;
  }

  [[nodiscard]] runtime_options with_service(service_core service) const {
    runtime_options how = chosen_.runtime;
    how.engine.cores = nodes_.per_node();
    how.service = service;
    return how;
  }

  /// Computation alone, so many workers.
  [[nodiscard]] measure::compared_variant leaders_ideal(const std::string& name, int workers) {
    runtime_options how = chosen_.runtime;
    how.engine.cores = nodes_.per_node();
    how.tasks.workers = workers;
    how.engine.policy = plait::progress::none;  // nothing to look after
    return of_leaders(name, how, setting::isolated);
  }

  void add_leaders(measure::comparison& what) {
    what.own_ideals.push_back(leaders_ideal("plait_ideal", nodes_.per_node()));
    what.own_ideals.push_back(leaders_ideal("service_ideal", nodes_.per_node() - 1));
    what.leaders.emplace();
    what.leaders->takes_part = false;
    if (leading_) {
      what.leaders = messages_of(*leading_halo_, *leading_);
      what.leaders_sent_per_step = leading_halo_->sent();
    }
    what.leaders->exchanges = wanted_.steps;
    what.warmed_up = [this](const measure::measurements& found) {
      std::optional<plait::model::node_step> step;
      if (env_.rank() == 0) step = measure::step_of(found, nodes_.per_node(), wanted_.steps);
      measure::share(env_, step, step_);
    };
    what.limited = [](const measure::measurements& found) {
      return found.fastest([](const measure::measured_variant& one) { return one.leads; });
    };
  }

  // What they are held against ------------------------------------------------------------------

  measure::communication_alone messages_of(halo_mpi& halo, problem& p) const {
    const plait::tile_size size{.rows = plait::stencil::tile_rows(p.block(p.u)),
                                .cells = plait::stencil::cells_per_count};
    return plait::stencil::exchanges_alone(
        {&halo, 1}, wanted_.steps, [&p] { p.reset(setting::distributed); },
        plait::cut_in_tiles(p.parts().interior, size), [&p](const box& tile) { p.relax(tile); });
  }

  verdict make_reference() {
    const verdict found = measure::reference_of(*all_("base"), problem_, wanted_.steps);
    if (whole_.nodes)
      plait::stencil::bring_to_leaders(env_, problem_.u, whole_.nodes->blocks(),
                                       leading_ ? &leading_->u : nullptr);
    if (leading_) leading_->keep_as_reference();
    return found;
  }

  // What comes out ------------------------------------------------------------------------------

  [[nodiscard]] json parameters() const {
    json result = measure::to_json(chosen_.runtime);
    result.update(to_json(whole_.processes));
    result["time_tile"] = chosen_.asked_depth;
    if (chosen_.on_device) result["device"] = plait::stencil::to_json(chosen_.device);
    result["processes_per_node"] = nodes_.per_node();
    if (whole_.node_cells) result["cells_per_node"] = *whole_.node_cells;
    if (whole_.nodes) {
      result["node_grid"] = whole_.node_grid.dims();
      result["service_core"] =
          rows_.has_service_row
              ? "both"
              : plait::service_core_names[static_cast<std::size_t>(rows_.service)];
    }
    return result;
  }

  /// By this session's medians, or, where `plait` gave up a worker, by what the warm-up measured.
  void add_service_core(json& out, const measure::measurements& found) const {
    if (!*step_) return;
    const auto step = measure::step_of(found, nodes_.per_node(), wanted_.steps);
    out["service_core"] = measure::service_core_of(step ? *step : **step_);
  }

  plait::environment& env_;
  const domains& whole_;
  const measure::node_processes& nodes_;
  const variant_list& all_;
  const options& chosen_;
  const node_rows& rows_;
  const measure::session_options& wanted_;
  problem problem_;
  halo_mpi halo_;
  std::optional<problem> leading_;  ///< a node's block, where this rank leads
  std::optional<halo_mpi> leading_halo_;
  measure::known_step step_ = std::make_shared<std::optional<plait::model::node_step>>();
};

}  // namespace

bool is_tiled(std::string_view name) {
  return name == "tiles" || name == "tiles_ideal";
}

int run_session(plait::environment& env, const domains& whole,
                const plait::measure::node_processes& nodes, const variant_list& all,
                const std::vector<std::string>& names, const options& chosen, const node_rows& rows,
                const plait::measure::session_options& wanted) {
  return session(env, whole, nodes, all, chosen, rows, wanted).run(names);
}

}  // namespace jacobi3d
