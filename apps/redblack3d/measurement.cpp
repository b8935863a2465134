// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "halo_mpi.hpp"
#include "kernel.hpp"
#include "support/limits.hpp"
#include "support/result.hpp"
#include "support/session.hpp"
#include "support/statistics.hpp"
#include "transport.hpp"

namespace redblack3d {
namespace {

using plait::app::breakdown;
using plait::app::contestant;
using plait::app::json;
using plait::app::summary;

/// Where HAND is closer to the bound than runs are to each other there is nothing to hide.
constexpr double worth_hiding = 0.05;
/// A serial run of more cells, steps counted, would take longer than what it checks.
constexpr double most_serial_cells = 1 << 24;

const policy hand{};
const policy ideal{.what = policy::kind::ideal};

/// What rank 0 keeps of one run.
struct kept_run {
  double total_s = 0;
  double wait_s = 0;  ///< the paper's columns, of the node with the most
  double compute_s = 0;
  breakdown mean;            ///< over nodes
  std::vector<json> ledger;  ///< one entry per rank and worker
};

/// A policy, and what its runs have given so far.
struct entry {
  policy how;
  std::string name;
  std::unique_ptr<variant> code;
  bool verified = true;
  double max_error = 0;
  run_report report;  ///< of this rank's last run
  // On rank 0:
  int workers = 1;  ///< of the node with the most
  std::vector<kept_run> runs;
  std::vector<double> proxy_cpu_s;
  json timeline = json::array();  ///< of one iteration
};

template <class Member>
std::vector<double> of_runs(const entry& e, Member&& member) {
  std::vector<double> values;
  for (const kept_run& run : e.runs) values.push_back(member(run));
  return values;
}

class session {
 public:
  session(plait::environment& env, const domain& whole, const session_options& wanted)
      : env_(env), wanted_(wanted), problem_(whole, env.rank()) {
    for (const policy& how : wanted.policies) {
      entry& e = entries_.emplace_back();
      e.how = how;
      e.name = how.name();
      e.code = make_variant(env, how, wanted.slow);
    }
  }

  outcome run() {
    make_reference();
    std::vector<contestant> contestants = policies();
    contestants.push_back(communication());
    if (find(ideal) == nullptr) contestants.push_back(computation());
    contestants.push_back(transport());
    plait::app::progress_lines progress(
        env_, wanted_.progress, static_cast<int>(contestants.size()) * (wanted_.repeat + 1));
    plait::app::take_turns(env_, contestants, wanted_.repeat, progress);
    if (!wanted_.trace_file.empty()) trace();
    return {verified_, result()};
  }

 private:
  // What happens --------------------------------------------------------------------------------

  /// HAND gives the bits of a serial run, where that is not too long, and everybody else HAND's.
  void make_reference() {
    const auto& n = problem_.whole().cells();
    serial_ = static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]) *
                  wanted_.steps <=
              most_serial_cells;
    const std::unique_ptr<variant> code = make_hand(env_, {});
    problem_.reset(code->solves());
    code->prepare(problem_);
    code->run(problem_, wanted_.steps, {});
    (void)code->finish(problem_);
    verdict found = problem_.check_closed_form(code->solves(), wanted_.steps);
    if (serial_) {
      problem_.keep_serial_reference(wanted_.steps);
      if (found.verified) found = problem_.check_against_reference();
    } else {
      problem_.keep_as_reference();
    }
    judge(hand.name(), found);
  }

  std::vector<contestant> policies() {
    std::vector<contestant> result;
    for (entry& e : entries_) {
      contestant one;
      one.label = e.name;
      one.prepare = [this, &e](int round) {
        // One iteration in the middle of a run in the middle.
        recorded_ = round == wanted_.repeat / 2
                        ? step_range{wanted_.steps / 2, wanted_.steps / 2 + 1}
                        : step_range{};
        problem_.reset(e.code->solves());
        e.code->prepare(problem_);
      };
      one.run = [this, &e] { e.code->run(problem_, wanted_.steps, recorded_); };
      one.finish = [this, &e](int round, double total_s) {
        e.report = e.code->finish(problem_);
        verify(e);
        if (round != plait::app::warm_up) keep(e, total_s);
      };
      result.push_back(std::move(one));
    }
    return result;
  }

  /// The exchanges of HAND, and nothing else.
  contestant communication() {
    contestant one;
    one.label = "communication alone";
    one.prepare = [this](int) {
      problem_.reset(setting::distributed);
      for (const colour c : both_colours)
        halo_[index_of(c)].emplace(plait::native(env_), problem_, c);
    };
    one.run = [this] {
      for (int step = 0; step < wanted_.steps; ++step)
        for (auto& halo : halo_) {
          halo->pack();
          halo->start();
          halo->wait();
          halo->unpack();
        }
    };
    one.finish = [this](int round, double total_s) {
      for (auto& halo : halo_) halo.reset();
      exchange_s_ = total_s / (2 * wanted_.steps);
      if (round != plait::app::warm_up) communication_s_.push_back(total_s);
    };
    return one;
  }

  contestant computation() {
    contestant one;
    one.label = "computation alone";
    one.prepare = [this](int) {
      problem_.reset(setting::isolated);
      ideal_->prepare(problem_);
    };
    one.run = [this] { ideal_->run(problem_, wanted_.steps, {}); };
    one.finish = [this](int round, double total_s) {
      (void)ideal_->finish(problem_);
      if (round != plait::app::warm_up) computation_s_.push_back(total_s);
    };
    return one;
  }

  contestant transport() {
    contestant one;
    one.label = "transport processor time";
    one.finish = [this](int round, double) {
      problem_.reset(setting::distributed);
      // As long as the communication of a run, within reason.
      const double window_s = std::clamp(2 * exchange_s_ * wanted_.steps, 0.02, 0.15);
      const double per_step = transport_cpu_s(env_, problem_, exchange_s_, window_s);
      if (round != plait::app::warm_up) transport_s_.push_back(per_step * wanted_.steps);
    };
    return one;
  }

  /// One more run of every policy with all its steps recorded, not among those that count.
  void trace() {
    std::vector<plait::traced_run> runs;
    const std::optional<double> wire = wire_bound_s();
    for (entry& e : entries_) {
      problem_.reset(e.code->solves());
      e.code->prepare(problem_);
      env_.barrier();
      e.code->run(problem_, wanted_.steps, {0, wanted_.steps});
      e.report = e.code->finish(problem_);
      verify(e);
      runs.push_back(plait::app::traced(e.name, collect(e)));
      const bool communicates = e.code->solves() == setting::distributed;
      trace_summary_[e.name] = plait::app::to_json(plait::summarize_trace(
          runs.back().events, runs.back().path, communicates ? wire : std::nullopt));
    }
    if (env_.rank() == 0) plait::app::write_trace(wanted_.trace_file, runs);
  }

  // What is kept --------------------------------------------------------------------------------

  const entry* find(const policy& how) const {
    const auto found = std::ranges::find(entries_, how, &entry::how);
    return found == entries_.end() ? nullptr : &*found;
  }

  /// Collective.  True if the verdict is good on every rank.
  bool judge(const std::string& name, const verdict& found) {
    if (!found.verified)
      std::fprintf(stderr, "redblack3d: %s is wrong: %s\n", name.c_str(), found.complaint.c_str());
    const bool good = plait::app::all_of(env_, found.verified);
    verified_ = verified_ && good;
    return good;
  }

  void verify(entry& e) {
    verdict found = problem_.check_closed_form(e.code->solves(), wanted_.steps);
    const double max_error = plait::app::maximum(env_, found.max_error);
    if (found.verified && e.code->solves() == setting::distributed)
      found = problem_.check_against_reference();
    e.max_error = std::max(e.max_error, max_error);
    e.verified = judge(e.name, found) && e.verified;
  }

  void keep(entry& e, double total_s) {
    json own{{"ledger", json::array()},
             {"proxy", plait::app::to_json(e.report.proxy_cpu_s)},
             {"workers", e.report.workers},
             {"wait", e.report.wait_s},
             {"compute", e.report.compute_s}};
    for (const plait::ledger_entry& worker : e.report.ledger)
      own["ledger"].push_back(plait::app::to_json(worker, env_.rank()));
    const breakdown mean = plait::app::mean_of(e.report.ledger);
    own["mean"] = {mean.compute_s, mean.posting_s, mean.exposed_s, mean.overhead_s, mean.idle_s};
    const std::vector<json> all = plait::app::gather(env_, own);
    if (recorded_.size() != 0) e.timeline = timeline(e);
    keep_on_rank_0(e, total_s, all);
  }

  void keep_on_rank_0(entry& e, double total_s, const std::vector<json>& all) {
    if (env_.rank() != 0) return;
    kept_run run;
    run.total_s = total_s;
    const double share = 1.0 / env_.size();
    double proxy_s = 0;
    bool has_proxy = false;
    for (const json& rank : all) {
      for (const json& row : rank["ledger"]) run.ledger.push_back(row);
      e.workers = std::max(e.workers, rank["workers"].get<int>());
      run.wait_s = std::max(run.wait_s, rank["wait"].get<double>());
      run.compute_s = std::max(run.compute_s, rank["compute"].get<double>());
      const json& mean = rank["mean"];
      run.mean.compute_s += share * mean[0].get<double>();
      run.mean.posting_s += share * mean[1].get<double>();
      run.mean.exposed_s += share * mean[2].get<double>();
      run.mean.overhead_s += share * mean[3].get<double>();
      run.mean.idle_s += share * mean[4].get<double>();
      if (rank["proxy"].is_null()) continue;
      has_proxy = true;
      proxy_s += share * rank["proxy"].get<double>();
    }
    if (has_proxy) e.proxy_cpu_s.push_back(proxy_s);
    e.runs.push_back(std::move(run));
  }

  /// All ranks' events of a policy's last run, on rank 0.
  std::vector<plait::trace_event> collect(entry& e) {
    for (plait::trace_event& event : e.report.events) event.rank = env_.rank();
    return plait::collect_events(env_, std::move(e.report.events));
  }

  json timeline(entry& e) {
    const double start_s = e.report.recorded_from_s + env_.measure_clock_offset().offset_s;
    const double first_s = -plait::app::maximum(env_, -start_s);
    return plait::app::timeline_of(plait::app::traced(e.name, collect(e)).events, first_s);
  }

  // What comes out ------------------------------------------------------------------------------

  /// What must cross the links between hosts in one run, in seconds of the busiest host's link.
  std::optional<double> wire_bound_s() {
    double bytes = 0;
    for (const face& f : faces_of(problem_.whole(), env_.rank()))
      if (env_.hosts()[static_cast<std::size_t>(f.peer)] != env_.host())
        bytes += static_cast<double>(message_size(problem_.data().u[0], f)) * sizeof(double);
    const double busiest = plait::app::busiest_host_bytes(env_, bytes);
    if (wanted_.link_rate_bytes_per_s <= 0) return std::nullopt;
    return 2 * busiest * wanted_.steps / wanted_.link_rate_bytes_per_s;
  }

  /// One column of the paper's table: a spread of seconds per iteration, and what the paper quotes.
  json column(const entry& e, double kept_run::*part) const {
    const double steps = wanted_.steps;
    std::vector<double> values;
    std::vector<double> kept;
    const std::vector<bool> out =
        plait::app::outliers(of_runs(e, [](auto& run) { return run.total_s; }));
    for (std::size_t i = 0; i < e.runs.size(); ++i) {
      values.push_back(e.runs[i].*part / steps);
      if (!out[i]) kept.push_back(values.back());
    }
    json result = plait::app::to_json(plait::app::summarize(values));
    result["mean"] = plait::app::mean(kept);
    return result;
  }

  json variants_result() const {
    const entry* base = find(hand);
    json result = json::object();
    for (const entry& e : entries_) {
      const std::vector<double> totals = of_runs(e, [](auto& run) { return run.total_s; });
      const summary total = plait::app::summarize(totals);
      const auto median_of = [&](double breakdown::*part) {
        return plait::app::median(of_runs(e, [&](auto& run) { return run.mean.*part; }));
      };
      json& one = result[e.name];
      one["total_s"] = plait::app::to_json(total);
      one["compute_s"] = median_of(&breakdown::compute_s);
      one["posting_s"] = median_of(&breakdown::posting_s);
      one["exposed_s"] = median_of(&breakdown::exposed_s);
      one["overhead_s"] = median_of(&breakdown::overhead_s);
      one["idle_s"] = median_of(&breakdown::idle_s);
      one["per_iteration_s"] = {{"total", column(e, &kept_run::total_s)},
                                {"wait", column(e, &kept_run::wait_s)},
                                {"comp", column(e, &kept_run::compute_s)}};
      one["outliers"] = std::ranges::count(plait::app::outliers(totals), true);
      one["workers"] = e.workers;
      one["progress"] = e.report.progress;
      one["verified"] = e.verified;
      one["max_error"] = e.max_error;
      one["error_bound"] = problem_.error_bound(e.code->solves(), wanted_.steps);
      one["ratio_to_base"] = base != nullptr ? json(total.median / total_of(*base)) : json(nullptr);
      if (!e.proxy_cpu_s.empty()) one["proxy_cpu_s"] = plait::app::median(e.proxy_cpu_s);
      one["ledger"] = typical(e).ledger;
    }
    return result;
  }

  static double total_of(const entry& e) {
    return plait::app::median(of_runs(e, [](auto& run) { return run.total_s; }));
  }

  /// The run whose time is nearest to the median.
  static const kept_run& typical(const entry& e) {
    const double median = total_of(e);
    return *std::ranges::min_element(
        e.runs, {}, [&](const kept_run& run) { return std::abs(run.total_s - median); });
  }

  json parameters() const {
    const domain& whole = problem_.whole();
    json names = json::array();
    for (const entry& e : entries_) names.push_back(e.name);
    json result{{"size", whole.cells()},
                {"boundary", boundary_names[static_cast<std::size_t>(whole.edge())]},
                {"steps", wanted_.steps},
                {"grid", whole.blocks().grid()->dims()},
                {"repeat", wanted_.repeat},
                {"outliers", wanted_.kelp_means ? "kelp" : "median"},
                {"variants", names}};
    if (wanted_.slow.factor != 1)
      result["slow"] = fmt::format("worker {} takes {:g} times as long", wanted_.slow.worker,
                                   wanted_.slow.factor);
    return result;
  }

  json environment_of_run() const {
    json result = plait::app::describe_environment(env_);
    result["link_rate_Bps"] =
        wanted_.link_rate_bytes_per_s > 0 ? json(wanted_.link_rate_bytes_per_s) : json(nullptr);
    result["reference"] = serial_ ? "a serial run" : "HAND";
    return result;
  }

  json result() {
    const std::vector<double> transport = plait::app::of_slowest_rank(env_, transport_s_);
    const std::optional<double> wire = wire_bound_s();
    if (env_.rank() != 0) return {};
    if (const entry* e = find(ideal))
      computation_s_ = of_runs(*e, [](auto& run) { return run.total_s; });
    plait::app::measured_alone alone;
    alone.computation_s = plait::app::median(computation_s_);
    // Where the link's rate is known, bytes over rate: a blocking exchange alone may not reach it.
    alone.communication_s = wire.value_or(plait::app::median(communication_s_));
    const double transport_s = plait::app::median(transport);
    alone.transport_cpu_s = std::isfinite(transport_s) ? transport_s : 0;

    json out{{"schema", "plait-result/1"}, {"app", "redblack3d"}};
    out["parameters"] = parameters();
    out["environment"] = environment_of_run();
    out["variants"] = variants_result();
    out["communication_s"] = plait::app::to_json(plait::app::summarize(communication_s_));
    out["computation_s"] = plait::app::to_json(plait::app::summarize(computation_s_));
    out["transport_cpu_s"] = plait::app::to_json(plait::app::summarize(transport));
    out["wire_bound_s"] = plait::app::to_json(wire);
    out["bound_s"] = plait::app::bound_s(alone);
    out["attainable_s"] = plait::app::attainable_s(alone);
    out["hidden_fraction"] = json::object();
    const entry* fastest = nullptr;
    for (const entry& e : entries_) {
      if (e.how == ideal) continue;
      if (fastest == nullptr || total_of(e) < total_of(*fastest)) fastest = &e;
      if (const entry* base = find(hand); base != nullptr && base != &e)
        out["hidden_fraction"][e.name] = plait::app::to_json(hidden(e, *base, alone));
    }
    if (fastest != nullptr) out["limiter"] = limiter_of(*fastest, alone);
    out["timeline"] = json::object();
    for (const entry& e : entries_) out["timeline"][e.name] = e.timeline;
    if (!trace_summary_.empty()) out["trace_summary"] = trace_summary_;
    return out;
  }

  /// Computation alone is that of one thread a node, and so is the bound: more threads also gain
  /// what they compute faster, which hides nothing.
  static std::optional<double> hidden(const entry& e, const entry& base,
                                      const plait::app::measured_alone& alone) {
    if (e.workers > 1) return std::nullopt;
    return plait::app::hidden_fraction(total_of(e), total_of(base), plait::app::bound_s(alone),
                                       worth_hiding);
  }

  static std::string limiter_of(const entry& e, const plait::app::measured_alone& alone) {
    if (e.workers > 1)
      return fmt::format(
          "{} is the fastest, with {} threads a node; its limit is not known, since computation "
          "alone is that of one",
          e.name, e.workers);
    return plait::app::limiter(e.name, total_of(e), typical(e).mean, alone);
  }

  plait::environment& env_;
  const session_options& wanted_;
  problem problem_;
  std::vector<entry> entries_;
  std::unique_ptr<variant> ideal_ = make_ideal(env_, wanted_.slow);
  std::array<std::optional<halo_mpi>, 2> halo_;
  step_range recorded_;
  json trace_summary_ = json::object();  ///< by policy, on rank 0
  bool verified_ = true;
  bool serial_ = false;
  double exchange_s_ = 0;
  std::vector<double> communication_s_;
  std::vector<double> computation_s_;
  std::vector<double> transport_s_;  ///< of this rank
};

}  // namespace

outcome measure(plait::environment& env, const domain& whole, const session_options& wanted) {
  return session(env, whole, wanted).run();
}

}  // namespace redblack3d
