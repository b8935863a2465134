// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/transport.hpp"
#include "measure/base/gather.hpp"
#include "measure/compare/program.hpp"

namespace fft3d {
namespace {

using plait::measure::json;
using plait::measure::measured_variant;
using plait::measure::measurements;

/// Sizes the work that the transport's processor time is counted with: some 100 µs.
constexpr index cells_per_count = index{1} << 13;

/// A tile factor with its kernel.
struct tiling {
  tiling(plait::environment& env, const request& wanted, index tile, memory& where)
      : kernel(spectral::slabs("--size", wanted.cells, env.size(), env.rank(), tile),
               wanted.planning),
        field(kernel, where) {}
  spectral::passes kernel;
  problem field;
};

class session {
 public:
  session(plait::environment& env, const request& wanted, const variant_list& all,
          const std::vector<std::string>& variants, const options& chosen,
          const plait::measure::session_options& asked)
      : env_(env),
        wanted_(wanted),
        all_(all),
        variants_(variants),
        chosen_(chosen),
        session_(asked),
        usual_(env, wanted, spectral::usual_tile(wanted.cells, env.size()), where()),
        chunks_(usual_.kernel.shape(), where().buffers(), spectral::transpose::to_planes),
        transpose_(plait::native(env), chunks_) {
    if (wanted.tiles.empty()) {
      choose_tile();
    } else {
      for (const index tile : wanted.tiles) add_tiling(tile);
    }
  }

  int run() {
    return plait::measure::run_comparison(
        env_, comparison(), session_,
        [this](json& out, const measurements& found) { add_tiles(out, found); },
        [](const json& result) {
          plait::measure::print_table(result, {{"overhead s", "communication_overhead_s"}});
        });
  }

 private:
  memory& where() {
    if (!where_)
      where_ = std::make_unique<memory>(
          spectral::slabs("--size", wanted_.cells, env_.size(), env_.rank(), 1));
    return *where_;
  }

  void add_tiling(index tile) {
    tilings_.push_back(std::make_unique<tiling>(env_, wanted_, tile, where()));
  }

  /// Seconds of one transform there and back, of the slowest rank.
  double try_out(tiling& one) {
    constexpr int steps = 2;
    const std::unique_ptr<variant> code = all_("plait");
    double best = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt < 3; ++attempt) {
      one.field.reset(setting::distributed);
      code->prepare(one.field);
      env_.barrier();
      const plait::ticks start = plait::now_ticks();
      code->run(one.field, steps, {});
      const double mine = plait::ticks_to_seconds(plait::now_ticks() - start);
      (void)code->finish(one.field);
      best = std::min(best, plait::measure::maximum(env_, mine) / steps);
    }
    return best;
  }

  /// The tile factor with which `plait` is fastest, among powers of two around the usual one.
  void choose_tile() {
    const index usual = usual_.kernel.shape().tile();
    double best = std::numeric_limits<double>::infinity();
    for (index tile = std::max<index>(1, usual / 4); tile <= std::min(4 * usual, wanted_.cells[0]);
         tile *= 2) {
      auto candidate = std::make_unique<tiling>(env_, wanted_, tile, where());
      const double seconds = try_out(*candidate);
      tried_.push_back({{"tile", tile}, {"seconds", seconds}});
      if (seconds >= best) continue;
      best = seconds;
      tilings_.clear();
      tilings_.push_back(std::move(candidate));
    }
  }

  plait::measure::comparison comparison() {
    plait::measure::comparison what;
    what.application = "fft3d";
    for (const std::string& name : variants_) {
      if (name == "blocking" || name == "ideal") {
        what.variants.push_back(compared(name, usual_, name));
        continue;
      }
      for (const std::unique_ptr<tiling>& one : tilings_) {
        const index tile = one->kernel.shape().tile();
        const std::string shown = tilings_.size() == 1 ? name : fmt::format("{}@{}", name, tile);
        what.variants.push_back(compared(name, *one, shown));
        tile_of_[shown] = tile;
      }
    }
    // Two transforms a step, 5 N log2 N each.
    const auto [nx, ny, nz] = wanted_.cells;
    const double cells =
        static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz);
    plait::measure::set_operations(what,
                                   10 * cells * std::log2(std::max(cells, 2.0)) * session_.steps);
    what.base = "blocking";
    what.make_reference = [this] { return make_references(); };
    what.ideal = compared("ideal", usual_, "ideal");
    what.communication = communication();
    for (int peer = 0; peer < env_.size(); ++peer)
      if (peer != env_.rank())
        what.sent_per_step.push_back({peer, sizeof(complex) * both_ways(peer)});
    what.parameters = parameters();
    what.limited = [](const measurements& found) {
      return found.fastest(
          [](const measured_variant& one) { return one.name.starts_with("plait"); });
    };
    return what;
  }

  double both_ways(int peer) const {
    const spectral::slabs& s = usual_.kernel.shape();
    return static_cast<double>(s.sent_to(peer) + s.nx() * s.own_z().size() * s.y_of(peer).size());
  }

  plait::measure::compared_variant compared(const std::string& name, tiling& with,
                                            const std::string& shown) {
    plait::measure::compared_variant one =
        plait::measure::compared<problem>(shown, all_(name), with.field, session_.steps);
    // Narrow tiles have other lines side by side.
    one.computes_as_base = with.kernel.shape().tile() == usual_.kernel.shape().tile();
    return one;
  }

  /// Each tile factor has the bits of its own blocking run.
  verdict make_references() {
    std::vector<tiling*> all{&usual_};
    for (const std::unique_ptr<tiling>& one : tilings_) all.push_back(one.get());
    verdict found;
    for (tiling* one : all) {
      const verdict own =
          plait::measure::reference_of(*all_("blocking"), one->field, session_.steps);
      if (found.verified) found = own;
    }
    return found;
  }

  plait::measure::communication_alone communication() {
    plait::measure::communication_alone alone;
    alone.prepare = [this] { usual_.field.reset(setting::distributed); };
    alone.run = [this] {
      for (int i = 0; i < 2 * session_.steps; ++i) transpose_.exchange();
    };
    alone.exchanges = 2 * session_.steps;
    alone.exchange_sparsely = [this](std::chrono::microseconds interval) {
      spectral::exchange_sparsely(plait::native(env_), chunks_, interval);
    };
    // The work that is counted meanwhile must not touch the data that travels.
    const spectral::slabs& s = usual_.kernel.shape();
    const index planes = std::min(1 + cells_per_count / s.plane_size(), s.own_z().size());
    alone.work = [this, planes, forward = true]() mutable {
      const range own = usual_.kernel.shape().own_z();
      usual_.kernel.rows(where().planes.data(), {own.low, own.low + planes},
                         forward ? spectral::sign::forward : spectral::sign::backward);
      forward = !forward;
    };
    return alone;
  }

  json parameters() const {
    json tiles = json::array();
    for (const std::unique_ptr<tiling>& one : tilings_) tiles.push_back(one->kernel.shape().tile());
    json result{{"size", wanted_.cells},
                {"tiles", tiles},
                {"plans", spectral::planning_names[static_cast<std::size_t>(wanted_.planning)]}};
    result.update(plait::measure::to_json(chosen_));
    return result;
  }

  void add_tiles(json& out, const measurements& found) const {
    const double computation = found.alone().computation_s;
    for (const measured_variant& one : found.variants) {
      json& shown = out["variants"][one.name];
      shown["communication_overhead_s"] = one.total_s() - computation;
      const auto tile = tile_of_.find(one.name);
      shown["tile"] = tile != tile_of_.end() ? json(tile->second) : json(nullptr);
    }
    out["parameters"]["variants"] = variants_;
    out["tiles_tried"] = tried_;
  }

  plait::environment& env_;
  const request& wanted_;
  const variant_list& all_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& session_;
  std::unique_ptr<memory> where_;
  tiling usual_;
  spectral::chunk_map chunks_;
  spectral::whole_transpose transpose_;
  std::vector<std::unique_ptr<tiling>> tilings_;
  std::map<std::string, index> tile_of_;
  json tried_ = json::array();  ///< by `auto`
};

}  // namespace

int measure(plait::environment& env, const request& wanted, const variant_list& all,
            const std::vector<std::string>& variants, const options& chosen,
            const plait::measure::session_options& asked) {
  return session(env, wanted, all, variants, chosen, asked).run();
}

}  // namespace fft3d
