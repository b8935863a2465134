// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/blas.hpp"
#include "common/counted_product.hpp"
#include "panel_broadcast.hpp"
#include "row_exchange.hpp"

namespace hpl {
namespace {

using plait::measure::measured_variant;
using plait::measure::measurements;
using plait::measure::sent_bytes;

class session {
 public:
  session(plait::environment& env, const settings& how, const std::vector<std::string>& variants,
          const options& chosen, const plait::measure::session_options& wanted)
      : env_(env),
        variants_(variants),
        chosen_(chosen),
        wanted_(wanted),
        grid_(env, how.grid.rows, how.grid.columns, how.order),
        system_(how, grid_),
        updater_(system_) {
    if (system_.panels() > 0)
      memory_.resize(static_cast<std::size_t>(panel_size(system_.place(0)) + how.nb));
  }

  int run(const std::function<void(const json&)>& print) {
    plait::measure::comparison what =
        plait::measure::compare("hpl", variants_, system_, 1, variants_of(env_, chosen_));
    for (plait::measure::compared_variant& one : what.variants) note_figures(one);
    what.parameters = parameters();
    what.make_reference = [this] { return make_reference(); };
    what.communication = communication();
    what.sent_per_step = sent();
    plait::measure::set_operations(what, operations(system_.how.n));
    return plait::measure::run_comparison(
        env_, what, wanted_,
        [this](json& out, const measurements& found) { add_residuals(out, found); }, print);
  }

 private:
  void note_figures(plait::measure::compared_variant& one) {
    one.check = [this, name = one.name, check = one.check] {
      const verdict found = check();
      figures_[name] = {found.max_error, system_.hash()};
      return found;
    };
  }

  verdict make_reference() {
    const std::unique_ptr<variant> base = make_base();
    (void)plait::measure::run_once(*base, system_, 1);
    if (system_.zero_pivot >= 0)
      throw singular_matrix(
          fmt::format("the matrix is singular: column {} has no pivot but 0", system_.zero_pivot));
    system_.keep_as_reference();
    return system_.check_closed_form(base->solves(), 1);
  }

  // The panels and rows of base; the search for pivots is part of a factorisation.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone messages;
    messages.prepare = [] {};
    messages.run = [this] { exchange_all({}); };
    messages.exchanges = 1;
    messages.exchange_sparsely = [this](std::chrono::microseconds interval) {
      exchange_all(interval);
    };
    messages.work = plait::dense::counted_product();
    return messages;
  }

  void exchange_all(std::chrono::microseconds interval) {
    panel_on_its_way travels;
    for (int k = 0; k < system_.panels(); ++k) {
      const panel_place at = system_.place(k);
      travels.start(
          transfers_of(system_.how.bcast, grid_.columns(), grid_.q(), at.q, panel_size(at)),
          panel_in(memory_, at).all, grid_.mpi_row());
      while (interval.count() != 0 && !travels.test()) std::this_thread::sleep_for(interval);
      travels.wait();
      updater_.exchange(at, system_.columns() - system_.first_trailing(k));
    }
  }

  std::vector<sent_bytes> sent() const {
    std::vector<sent_bytes> all;
    for (int k = 0; k < system_.panels(); ++k) {
      const panel_place at = system_.place(k);
      for (const transfer& one :
           transfers_of(system_.how.bcast, grid_.columns(), grid_.q(), at.q, panel_size(at)))
        if (one.sends) all.push_back({grid_.rank_at(grid_.p(), one.peer), bytes_of(one.count)});
      if (grid_.rows() == 1) continue;
      // At least its own share of the rows that are exchanged.
      const std::int64_t rows = at.width * (system_.columns() - system_.first_trailing(k));
      all.push_back({grid_.rank_at((grid_.p() + 1) % grid_.rows(), grid_.q()), bytes_of(rows)});
    }
    return all;
  }
  static double bytes_of(std::int64_t numbers) {
    return static_cast<double>(numbers) * static_cast<double>(sizeof(double));
  }

  json parameters() const {
    const settings& how = system_.how;
    const auto name = [](const auto& names, auto value) {
      return names[static_cast<std::size_t>(value)];
    };
    json result{{"size", {how.n}},
                {"grid", {grid_.rows(), grid_.columns()}},
                {"nb", how.nb},
                {"depth", how.depth},
                {"bcast", name(broadcast_names, how.bcast)},
                {"swap", name(swapping_names, how.swap)},
                {"swap_threshold", how.swap_threshold},
                {"pfact", name(looking_names, how.pfact)},
                {"rfact", name(looking_names, how.rfact)},
                {"nbmin", how.nbmin},
                {"ndiv", how.ndiv},
                {"code", netlib_code(how)}};
    result.update(plait::measure::to_json(chosen_));
    return result;
  }

  void add_residuals(json& out, const measurements& found) const {
    out["environment"]["blas_kernel"] = plait::dense::blas_kernel();
    for (const measured_variant& one : found.variants) {
      json& to = out["variants"][one.name];
      to["residual"] = figures_.at(one.name).residual;
      to["solution"] = fmt::format("{:016x}", figures_.at(one.name).hash);
    }
  }

  struct figures {
    double residual = 0;
    std::uint64_t hash = 0;
  };

  plait::environment& env_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& wanted_;
  const mesh grid_;
  linear_system system_;
  updater updater_;
  std::vector<double> memory_;
  std::map<std::string, figures> figures_;  ///< of the last runs
};

}  // namespace

double operations(std::int64_t n) {
  const auto size = static_cast<double>(n);
  return size * size * (2.0 / 3.0 * size + 1.5);
}

int measure(plait::environment& env, const settings& how, const std::vector<std::string>& variants,
            const options& chosen, const plait::measure::session_options& wanted,
            const std::function<void(const json&)>& print) {
  return session(env, how, variants, chosen, wanted).run(print);
}

}  // namespace hpl
