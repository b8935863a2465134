// SPDX-License-Identifier: BSD-3-Clause
// Policy HAND: plain MPI, single-tier, as an expert writes it: for each colour, exchange the ghosts
// of the other one on persistent requests, then sweep.  And IDEAL, the same without the exchange:
// the figure not to exceed.  Each block then solves a problem of its own, with a zero boundary
// where its neighbours would be: the same work on data of the same kind, and a result that can be
// checked.
#include <array>
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "halo_mpi.hpp"
#include "kernel.hpp"
#include "support/timeline.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using plait::activity;

class hand final : public variant {
 public:
  hand(plait::environment& env, setting solves, slow_worker slow)
      : communicator_(plait::native(env)), solves_(solves), slow_(slow) {}

  [[nodiscard]] setting solves() const noexcept override { return solves_; }

  void prepare(problem& p) override {
    if (solves_ == setting::isolated) return;
    for (const colour c : both_colours) halo_[index_of(c)].emplace(communicator_, p, c);
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    const block_data data = p.data();
    waited_ = 0;
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.record(recorded.contains(step));
      if (step == recorded.first) recorded_from_ = plait::now_ticks();
      for (const colour c : both_colours) {
        if (halo_[index_of(other(c))]) exchange(*halo_[index_of(other(c))]);
        slow_.run(0, [&] { relax(data, c, p.cells()); });
        watch_.lap(activity::compute, c == colour::red ? "red" : "black");
      }
    }
    account_ = watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override {
    for (auto& one : halo_) one.reset();
    run_report report;
    report.ledger = {account_};
    report.events = watch_.take_events();
    report.recorded_from_s = plait::ticks_to_seconds(recorded_from_);
    report.wait_s = plait::ticks_to_seconds(waited_);
    report.compute_s = account_.wall_s - report.wait_s;
    return report;
  }

 private:
  void exchange(halo_mpi& halo) {
    const plait::ticks start = plait::now_ticks();
    if (halo.packs()) {
      halo.pack();
      watch_.lap(activity::compute, "pack");
    }
    halo.start();
    watch_.lap(activity::posting, "start");
    halo.wait();
    const plait::ticks arrived = plait::now_ticks();
    watch_.lap(activity::exposed, "wait");
    if (watch_.recording()) add_messages(halo, start, arrived);
    if (halo.packs()) {
      halo.unpack();
      watch_.lap(activity::compute, "unpack");
    }
    waited_ += plait::now_ticks() - start;
  }

  /// Who waits for all at once knows no more than that.
  void add_messages(const halo_mpi& halo, plait::ticks start, plait::ticks arrived) {
    for (const face& f : halo.faces())
      watch_.add_message("receive from " + f.peer_name(), {.sent = false, .peer = f.peer}, start,
                         arrived);
  }

  MPI_Comm communicator_;
  setting solves_;
  slowness slow_;
  std::array<std::optional<halo_mpi>, 2> halo_;  ///< by the colour of the ghosts
  plait::app::stopwatch watch_;
  plait::ledger_entry account_;
  plait::ticks waited_ = 0;
  plait::ticks recorded_from_ = 0;
};

}  // namespace

std::unique_ptr<variant> make_hand(plait::environment& env, slow_worker slow) {
  return std::make_unique<hand>(env, setting::distributed, slow);
}

std::unique_ptr<variant> make_ideal(plait::environment& env, slow_worker slow) {
  return std::make_unique<hand>(env, setting::isolated, slow);
}

}  // namespace redblack3d
