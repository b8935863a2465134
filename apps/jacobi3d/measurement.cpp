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

#include "faces.hpp"
#include "halo_mpi.hpp"
#include "kernel.hpp"
#include "support/limits.hpp"
#include "support/result.hpp"
#include "support/session.hpp"
#include "support/statistics.hpp"
#include "transport.hpp"

namespace jacobi3d {
namespace {

using plait::app::breakdown;
using plait::app::contestant;
using plait::app::json;
using plait::app::summary;

/// Where base is closer to the bound than runs are to each other there is nothing to hide.
constexpr double worth_hiding = 0.05;

std::unique_ptr<variant> make(const std::string& name, plait::environment& env,
                              const options& chosen) {
  if (name == "base") return make_base(env);
  if (name == "olap") return make_olap(env);
  if (name == "plait") return make_plait(env, chosen);
  return make_ideal(env);
}

/// What rank 0 keeps of one run of a variant.
struct kept_run {
  double total_s = 0;
  breakdown mean;
  std::vector<json> ledger;  ///< one entry per rank and worker
};

/// A variant, and what its runs have given so far.
struct entry {
  std::string name;
  std::unique_ptr<variant> code;
  bool verified = true;
  double max_error = 0;
  run_report report;  ///< of this rank's last run
  // On rank 0:
  std::vector<kept_run> runs;
  std::vector<double> proxy_cpu_s;
  std::vector<double> longest_unwatched_s;  ///< on the worst rank
  json timeline = json::array();            ///< of one iteration
};

class session {
 public:
  session(plait::environment& env, const plait::decomposition<3>& blocks,
          const session_options& wanted)
      : env_(env),
        wanted_(wanted),
        problem_(blocks, env.rank()),
        halo_(plait::native(env), problem_) {
    for (const std::string& name : wanted.variants) {
      entry& e = entries_.emplace_back();
      e.name = name;
      e.code = make(name, env, wanted.tasks);
    }
  }

  outcome run() {
    make_reference();
    std::vector<contestant> contestants = variants();
    contestants.push_back(communication());
    if (find("ideal") == nullptr) contestants.push_back(computation());
    contestants.push_back(transport());
    contestants.push_back(bandwidth());
    plait::app::progress_lines progress(
        env_, wanted_.progress, static_cast<int>(contestants.size()) * (wanted_.repeat + 1));
    plait::app::take_turns(env_, contestants, wanted_.repeat, progress);
    if (!wanted_.trace_file.empty()) trace();
    return {verified_, result()};
  }

 private:
  // What happens --------------------------------------------------------------------------------

  void make_reference() {
    const std::unique_ptr<variant> base = make_base(env_);
    problem_.reset(base->solves());
    base->prepare(problem_);
    base->run(problem_, wanted_.steps, {});
    (void)base->finish();
    problem_.keep_as_reference();
    judge("base", problem_.check_closed_form(base->solves(), wanted_.steps));
  }

  std::vector<contestant> variants() {
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
        e.report = e.code->finish();
        verify(e);
        if (round != plait::app::warm_up) keep(e, total_s);
      };
      result.push_back(std::move(one));
    }
    return result;
  }

  /// The exchanges of `base`, and nothing else.
  contestant communication() {
    contestant one;
    one.label = "communication alone";
    one.prepare = [this](int) { problem_.reset(setting::distributed); };
    one.run = [this] {
      for (int step = 0; step < wanted_.steps; ++step) {
        halo_.post_receives(problem_.u);
        halo_.pack(problem_.u);
        halo_.post_sends(problem_.u);
        halo_.wait();
        halo_.unpack(problem_.u);
      }
    };
    one.finish = [this](int round, double total_s) {
      exchange_s_ = total_s / wanted_.steps;
      if (round != plait::app::warm_up) communication_s_.push_back(total_s);
    };
    return one;
  }

  contestant computation() {
    contestant one;
    one.label = "computation alone";
    ideal_ = make_ideal(env_);
    one.prepare = [this](int) {
      problem_.reset(ideal_->solves());
      ideal_->prepare(problem_);
    };
    one.run = [this] { ideal_->run(problem_, wanted_.steps, {}); };
    one.finish = [this](int round, double total_s) {
      (void)ideal_->finish();
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
      const double window_s = std::clamp(exchange_s_ * wanted_.steps, 0.02, 0.15);
      const double per_exchange = transport_cpu_s(env_, problem_, exchange_s_, window_s);
      if (round != plait::app::warm_up) transport_s_.push_back(per_exchange * wanted_.steps);
    };
    return one;
  }

  contestant bandwidth() {
    contestant one;
    one.label = "memory bandwidth";
    one.finish = [this](int round, double) {
      env_.barrier();
      const double own = stream_triad_bytes_per_s(problem_.v, problem_.u, problem_.b, 3);
      const double all = plait::app::sum(env_, own);
      if (round != plait::app::warm_up) stream_bytes_per_s_.push_back(all);
    };
    return one;
  }

  /// One more run of every variant with all its steps recorded, not among those that count.
  void trace() {
    std::vector<plait::traced_run> runs;
    const std::optional<double> wire = wire_bound_s();
    for (entry& e : entries_) {
      problem_.reset(e.code->solves());
      e.code->prepare(problem_);
      env_.barrier();
      e.code->run(problem_, wanted_.steps, {0, wanted_.steps});
      e.report = e.code->finish();
      verify(e);
      runs.push_back(plait::app::traced(e.name, collect(e)));
      const bool communicates = e.code->solves() == setting::distributed;
      trace_summary_[e.name] = plait::app::to_json(plait::summarize_trace(
          runs.back().events, runs.back().path, communicates ? wire : std::nullopt));
    }
    if (env_.rank() == 0) plait::app::write_trace(wanted_.trace_file, runs);
  }

  // What is kept --------------------------------------------------------------------------------

  entry* find(const std::string& name) {
    const auto found = std::ranges::find(entries_, name, &entry::name);
    return found == entries_.end() ? nullptr : &*found;
  }

  /// Collective.  True if the verdict is good on every rank.
  bool judge(const std::string& name, const verdict& found) {
    if (!found.verified)
      std::fprintf(stderr, "jacobi3d: %s is wrong: %s\n", name.c_str(), found.complaint.c_str());
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
             {"unwatched", e.report.longest_unwatched_s}};
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
    double unwatched_s = 0;
    for (const json& rank : all) {
      for (const json& row : rank["ledger"]) run.ledger.push_back(row);
      const json& mean = rank["mean"];
      run.mean.compute_s += share * mean[0].get<double>();
      run.mean.posting_s += share * mean[1].get<double>();
      run.mean.exposed_s += share * mean[2].get<double>();
      run.mean.overhead_s += share * mean[3].get<double>();
      run.mean.idle_s += share * mean[4].get<double>();
      unwatched_s = std::max(unwatched_s, rank["unwatched"].get<double>());
      if (rank["proxy"].is_null()) continue;
      has_proxy = true;
      proxy_s += share * rank["proxy"].get<double>();
    }
    if (has_proxy) e.proxy_cpu_s.push_back(proxy_s);
    e.longest_unwatched_s.push_back(unwatched_s);
    e.runs.push_back(std::move(run));
  }

  /// All ranks' events of a variant's last run, on rank 0.
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
    for (const face& f : halo_.faces()) {
      const auto peer = static_cast<std::size_t>(f.peer);
      if (env_.hosts()[peer] != env_.host())
        bytes += static_cast<double>(f.message_size(problem_.u)) * sizeof(double);
    }
    const double busiest = plait::app::busiest_host_bytes(env_, bytes);
    if (wanted_.link_rate_bytes_per_s <= 0) return std::nullopt;
    return busiest * wanted_.steps / wanted_.link_rate_bytes_per_s;
  }

  /// Ends with a member of the result for each variant.
  json variants_result(std::optional<double> base_s) const {
    json result = json::object();
    for (const entry& e : entries_) {
      const auto collect = [&](auto member) {
        std::vector<double> values;
        for (const kept_run& run : e.runs) values.push_back(member(run));
        return values;
      };
      const summary total = plait::app::summarize(collect([](auto& run) { return run.total_s; }));
      const auto median_of = [&](double breakdown::*part) {
        return plait::app::median(collect([&](auto& run) { return run.mean.*part; }));
      };
      json& one = result[e.name];
      one["total_s"] = plait::app::to_json(total);
      one["compute_s"] = median_of(&breakdown::compute_s);
      one["posting_s"] = median_of(&breakdown::posting_s);
      one["exposed_s"] = median_of(&breakdown::exposed_s);
      one["overhead_s"] = median_of(&breakdown::overhead_s);
      one["idle_s"] = median_of(&breakdown::idle_s);
      one["verified"] = e.verified;
      one["max_error"] = e.max_error;
      one["error_bound"] = rounding_bound(wanted_.steps);
      one["ratio_to_base"] = base_s ? json(total.median / *base_s) : json(nullptr);
      if (!e.proxy_cpu_s.empty()) {
        one["proxy_cpu_s"] = plait::app::median(e.proxy_cpu_s);
        one["longest_unwatched_s"] = plait::app::median(e.longest_unwatched_s);
      }
      // Of the run whose time is nearest to the median.
      const auto typical = std::ranges::min_element(
          e.runs, {}, [&](const kept_run& run) { return std::abs(run.total_s - total.median); });
      one["ledger"] = typical->ledger;
    }
    return result;
  }

  json parameters() const {
    const plait::decomposition<3>& blocks = problem_.blocks();
    return {{"size", blocks.global().extent().along},
            {"steps", wanted_.steps},
            {"grid", blocks.grid()->dims()},
            {"repeat", wanted_.repeat},
            {"workers", wanted_.tasks.workers},
            {"policy", wanted_.tasks.policy},
            {"window", wanted_.tasks.window},
            {"time_tile", wanted_.tasks.time_tile},
            {"variants", wanted_.variants}};
  }

  json environment_of_run() {
    json result = plait::app::describe_environment(env_);
    const entry* tasks = find("plait");
    result["workers"] = tasks != nullptr ? tasks->report.workers : 1;
    result["time_tile_chosen"] = tasks != nullptr ? tasks->report.time_tile : 1;
    result["policy_chosen"] = tasks != nullptr ? json(tasks->report.policy_chosen) : json(nullptr);
    result["policy_reason"] = tasks != nullptr ? json(tasks->report.policy_reason) : json(nullptr);
    result["link_rate_Bps"] =
        wanted_.link_rate_bytes_per_s > 0 ? json(wanted_.link_rate_bytes_per_s) : json(nullptr);
    return result;
  }

  json kernel(double computation_s) const {
    const auto cells = static_cast<double>(problem_.blocks().global().size());
    const double bytes_per_s = bytes_per_cell * cells * wanted_.steps / computation_s;
    const double stream = plait::app::median(stream_bytes_per_s_);
    return {{"bytes_per_s", bytes_per_s},
            {"stream_bytes_per_s", stream},
            {"fraction_of_bandwidth", bytes_per_s / stream}};
  }

  json result() {
    const std::vector<double> transport = plait::app::of_slowest_rank(env_, transport_s_);
    const std::optional<double> wire = wire_bound_s();
    if (env_.rank() != 0) return {};
    if (const entry* ideal = find("ideal"))
      for (const kept_run& run : ideal->runs) computation_s_.push_back(run.total_s);
    const auto total_of = [&](const std::string& name) -> std::optional<double> {
      const entry* e = find(name);
      if (e == nullptr) return std::nullopt;
      std::vector<double> totals;
      for (const kept_run& run : e->runs) totals.push_back(run.total_s);
      return plait::app::median(totals);
    };
    const std::optional<double> base_s = total_of("base");
    plait::app::measured_alone alone;
    alone.computation_s = plait::app::median(computation_s_);
    // Where the link's rate is known, bytes over rate: a blocking exchange alone may not reach it.
    alone.communication_s = wire.value_or(plait::app::median(communication_s_));
    const double transport_s = plait::app::median(transport);
    alone.transport_cpu_s = std::isfinite(transport_s) ? transport_s : 0;

    json out{{"schema", "plait-result/1"}, {"app", "jacobi3d"}};
    out["parameters"] = parameters();
    out["environment"] = environment_of_run();
    out["variants"] = variants_result(base_s);
    out["communication_s"] = plait::app::to_json(plait::app::summarize(communication_s_));
    out["computation_s"] = plait::app::to_json(plait::app::summarize(computation_s_));
    out["transport_cpu_s"] = plait::app::to_json(plait::app::summarize(transport));
    out["wire_bound_s"] = plait::app::to_json(wire);
    out["bound_s"] = plait::app::bound_s(alone);
    out["attainable_s"] = plait::app::attainable_s(alone);
    out["hidden_fraction"] = json::object();
    for (const entry& e : entries_)
      if (base_s && e.name != "base" && e.name != "ideal")
        out["hidden_fraction"][e.name] = plait::app::to_json(plait::app::hidden_fraction(
            *total_of(e.name), *base_s, plait::app::bound_s(alone), worth_hiding));
    for (const char* name : {"base", "olap", "plait"})  // the last of these that ran
      if (const entry* e = find(name)) out["limiter"] = limiter_of(*e, *total_of(name), alone);
    out["timeline"] = json::object();
    for (const entry& e : entries_) out["timeline"][e.name] = e.timeline;
    if (!trace_summary_.empty()) out["trace_summary"] = trace_summary_;
    out["kernel"] = kernel(alone.computation_s);
    return out;
  }

  std::string limiter_of(const entry& e, double total_s,
                         const plait::app::measured_alone& alone) const {
    const auto typical = std::ranges::min_element(
        e.runs, {}, [&](const kept_run& run) { return std::abs(run.total_s - total_s); });
    return plait::app::limiter(e.name, total_s, typical->mean, alone);
  }

  plait::environment& env_;
  const session_options& wanted_;
  problem problem_;
  halo_mpi halo_;
  std::vector<entry> entries_;
  std::unique_ptr<variant> ideal_;
  step_range recorded_;
  json trace_summary_ = json::object();  ///< by variant, on rank 0
  bool verified_ = true;
  double exchange_s_ = 0;
  std::vector<double> communication_s_;
  std::vector<double> computation_s_;
  std::vector<double> transport_s_;  ///< of this rank
  std::vector<double> stream_bytes_per_s_;
};

}  // namespace

outcome measure(plait::environment& env, const plait::decomposition<3>& blocks,
                const session_options& wanted) {
  return session(env, blocks, wanted).run();
}

}  // namespace jacobi3d
