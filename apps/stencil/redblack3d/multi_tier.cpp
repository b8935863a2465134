// SPDX-License-Identifier: BSD-3-Clause
// Policies MT(k): one process a node, whose threads sweep its block together.  The node's ghosts
// are exchanged by its master thread, before a sweep or, with OLAP, under the cells that need none
// of them; then the annulus follows.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "crew.hpp"
#include "exchange.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using plait::activity;

class multi_tier final : public variant {
 public:
  multi_tier(plait::environment& env, const policy& how, slow_worker slow)
      : env_(env), how_(how), slow_(slow) {}

  void prepare(problem& p) override {
    senders_.clear();
    const auto& blocks = p.whole().blocks();
    for (const auto& one : plait::ghost_copies(blocks, plait::ghost_reach::faces, p.rank()))
      if (blocks.rank_of(one.destination) == p.rank())
        senders_.push_back(blocks.rank_of(one.source));
    ghosts_.emplace(env_, p, how_);
    crew_ = how_.share == policy::sharing::dynamic ? make_dynamic_crew(env_, p, how_, slow_)
                                                   : make_assigned_crew(p, how_, slow_);
  }

  void run(problem&, int steps, const step_range& recorded) override {
    waited_ = 0;
    computed_s_ = crew_->computed_s();
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      for (const colour c : both_colours) sweep(c);
    }
    account_ = watch_.stop();
    computed_s_ = crew_->computed_s();
  }

  [[nodiscard]] run_report finish(problem&) override {
    run_report report = watch_.report();
    report.ledger = ledger();
    report.figures = {{"wait_s", plait::ticks_to_seconds(waited_)},
                      {"compute_s", account_.compute_s}};
    report.workers = how_.threads;
    report.words["progress"] = ghosts_->progress();
    report.proxy_cpu_s = ghosts_->proxy_cpu_s();
    crew_.reset();
    ghosts_.reset();
    return report;
  }

 private:
  void sweep(colour c) {
    const plait::ticks start = plait::now_ticks();
    ghosts_->start(other(c));
    watch_.lap(activity::posting, "start");
    waited_ += plait::now_ticks() - start;
    if (how_.overlap) compute(part::interior, c, "interior");
    const plait::ticks ready = plait::now_ticks();
    ghosts_->wait(other(c));
    watch_.lap(activity::exposed, "wait");
    const plait::ticks arrived = plait::now_ticks();
    waited_ += arrived - ready;
    if (watch_.recording()) add_messages(start, arrived);
    if (how_.overlap) {
      compute(part::rim, c, "annulus");
    } else {
      compute(part::whole, c, c == colour::red ? "red" : "black");
    }
  }

  void compute(part which, colour c, const char* name) {
    crew_->compute(which, c);
    watch_.lap(activity::compute, name);
  }

  void add_messages(plait::ticks start, plait::ticks arrived) {
    for (const int peer : senders_)
      watch_.add_message("receive from " + std::to_string(peer), {.sent = false, .peer = peer},
                         start, arrived);
  }

  /// While the master exchanges, the others have nothing to do and messages are in flight; what is
  /// left of a sweep's time is spent at its barrier.
  [[nodiscard]] plait::ledger ledger() const {
    plait::ledger result;
    for (std::size_t i = 0; i < computed_s_.size(); ++i) {
      plait::ledger_entry worker = account_;
      worker.worker = static_cast<int>(i);
      worker.compute_s = std::min(computed_s_[i], account_.compute_s);
      worker.idle_s = account_.compute_s - worker.compute_s;
      if (i > 0) {
        worker.exposed_s += worker.posting_s;
        worker.posting_s = 0;
      }
      result.push_back(worker);
    }
    return result;
  }

  plait::environment& env_;
  const policy how_;
  const slow_worker slow_;
  std::vector<int> senders_;  ///< of ghosts, as often as they send
  std::optional<exchange> ghosts_;
  std::unique_ptr<crew> crew_;
  plait::measure::stopwatch watch_;
  plait::ledger_entry account_;
  std::vector<double> computed_s_;
  plait::ticks waited_ = 0;
};

}  // namespace

std::unique_ptr<variant> make_multi_tier(plait::environment& env, const policy& how,
                                         slow_worker slow) {
  return std::make_unique<multi_tier>(env, how, slow);
}

}  // namespace redblack3d
