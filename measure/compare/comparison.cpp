// SPDX-License-Identifier: BSD-3-Clause
#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <plait/plait.hpp>

#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"

namespace plait::measure {
namespace {

/// In the middle of a run, and so many that somewhere all ranks are in them for as long as a step
/// takes: where they need not wait for each other, one is ahead.
[[nodiscard]] constexpr step_range steps_to_record(int steps) noexcept {
  const int middle = steps / 2;
  return {std::max(middle - 1, 0), std::min(middle + 2, steps)};
}

class session {
 public:
  session(environment& env, const comparison& what, const session_options& wanted)
      : env_(env), what_(what), wanted_(wanted), messages_(env, what.communication, "") {
    if (what.leaders) leaders_.emplace(env, *what.leaders, ", one process a node");
    found_.ideal = what.ideal.name;
    for (const compared_variant& one : what.variants) add(one);
    if (!is_measured(what.ideal)) add(what.ideal);
    for (const compared_variant& one : what.own_ideals)
      if (is_wanted(one) && !is_measured(one)) add(one);
    reports_.resize(codes_.size());
  }

  measurements run() {
    if (what_.make_reference) judge(what_.base, what_.make_reference());
    std::vector<turn> turns;
    for (std::size_t i = 0; i < what_.variants.size(); ++i) turns.push_back(variant_turn(i));
    turns.push_back(messages_.communication());
    if (leaders_) turns.push_back(leaders_->communication());
    for (std::size_t i = what_.variants.size(); i < codes_.size(); ++i)
      turns.push_back(variant_turn(i));
    turns.push_back(messages_.transport());
    if (leaders_) turns.push_back(leaders_->transport());
    for (const also_measured& one : what_.also) turns.push_back(beside(one));
    take_turns(turns, {.repeat = wanted_.repeat,
                       .progress = wanted_.progress && env_.rank() == 0,
                       .warm_up = true,
                       .after_warm_up = [this] { end_warm_up(); }});
    find_messages();
    if (!wanted_.trace_file.empty()) trace();
    sum_up();
    return std::move(found_);
  }

 private:
  void add(const compared_variant& one) {
    codes_.push_back(&one);
    measured_variant& kept = kept_.emplace_back();
    kept.name = one.name;
    kept.computes_as_base = one.computes_as_base;
    kept.own_ideal = one.own_ideal;
    kept.leads = one.leads;
    kept.communicates = one.communicates;
  }

  [[nodiscard]] bool is_measured(const compared_variant& one) const {
    return std::ranges::find(kept_, one.name, &measured_variant::name) != kept_.end();
  }

  /// Those of nodes with one process are there for the model of a service core, too.
  [[nodiscard]] bool is_wanted(const compared_variant& own_ideal) const {
    return own_ideal.leads ||
           std::ranges::find(what_.variants, own_ideal.name, &compared_variant::own_ideal) !=
               what_.variants.end();
  }

  /// Not one of those beside which computation alone is measured.
  [[nodiscard]] bool is_shown(std::size_t i) const { return i < what_.variants.size(); }

  // Turns ---------------------------------------------------------------------------------------

  [[nodiscard]] turn timed(std::string label, timed_run run) {
    return {std::move(label),
            [this, run = std::move(run)](int round) { run_timed(env_, run, round); }};
  }

  turn variant_turn(std::size_t i) {
    const compared_variant& code = *codes_[i];
    timed_run one;
    one.name = code.name;
    one.takes_part = code.takes_part;
    one.prepare = [this, i, &code](int round) {
      const bool records = is_shown(i) && round == wanted_.repeat / 2;
      recorded_ = records ? steps_to_record(wanted_.steps) : step_range{};
      code.prepare();
    };
    one.run = [this, &code] { code.run(recorded_); };
    one.finish = [this, i](int, double total_s) {
      finish(i);
      keep(i, total_s);
    };
    return timed(is_shown(i) ? code.name : "computation alone", std::move(one));
  }

  turn beside(const also_measured& wanted) {
    return {wanted.label, [this, &wanted](int round) {
              env_.barrier();
              const double value = wanted.measure();
              if (round != warm_up) found_.also[wanted.label].push_back(value);
            }};
  }

  /// One more run of every variant with all its steps recorded, not among those that count.
  void trace() {
    std::vector<traced_run> runs;
    for (std::size_t i = 0; i < what_.variants.size(); ++i) {
      const compared_variant& code = what_.variants[i];
      timed_run one;
      one.takes_part = code.takes_part;
      one.prepare = [&](int) { code.prepare(); };
      one.run = [&] { code.run({0, wanted_.steps}); };
      one.finish = [&](int, double) { finish(i); };
      run_timed(env_, one, wanted_.repeat);
      const traced_run& done = runs.emplace_back(traced(code.name, collect(i)));
      kept_[i].trace_summary = to_json(summarize_trace(
          done.events, done.path,
          code.communicates
              ? (code.leads && leaders_ ? found_.leaders : found_.messages).wire_bound_s
              : std::nullopt));
    }
    if (env_.rank() == 0) write_trace(wanted_.trace_file, runs);
  }

  // Verdicts and reports ------------------------------------------------------------------------

  /// Collective.  True if the verdict is good on every rank.
  bool judge(const std::string& name, const verdict& found) {
    if (!found.verified)
      std::fprintf(stderr, "%s: %s is wrong: %s\n", what_.application.c_str(), name.c_str(),
                   found.complaint.c_str());
    const bool good = all_of(env_, found.verified);
    found_.verified = found_.verified && good;
    return good;
  }

  void finish(std::size_t i) {
    reports_[i] = codes_[i]->finish();
    const verdict found = codes_[i]->takes_part ? codes_[i]->check() : verdict{};
    measured_variant& kept = kept_[i];
    kept.max_error = std::max(kept.max_error, maximum(env_, found.max_error));
    kept.verified = judge(kept.name, found) && kept.verified;
  }

  void keep(std::size_t i, double total_s) {
    const run_report& report = reports_[i];
    json own{{"takes_part", codes_[i]->takes_part},
             {"ledger", json::array()},
             {"proxy", to_json(report.proxy_cpu_s)},
             {"workers", report.workers},
             {"figures", report.figures}};
    for (const ledger_entry& worker : report.ledger)
      own["ledger"].push_back(to_json(worker, env_.rank()));
    if (codes_[i]->has_phases) {
      own["clock_offset_s"] = env_.measure_clock_offset().offset_s;
      if (report.phases) own["phases"] = to_json(*report.phases);
    }
    own["rank"] = env_.rank();
    const breakdown mean = mean_of(report.ledger);
    own["mean"] = {mean.compute_s, mean.posting_s, mean.exposed_s, mean.overhead_s, mean.idle_s};
    std::vector<json> all = gather(env_, own);
    std::erase_if(all, [](const json& rank) { return !rank["takes_part"].get<bool>(); });
    if (recorded_.size() != 0) kept_[i].timeline = timeline(i);
    kept_[i].words = report.words;
    if (env_.rank() == 0) keep_on_rank_0(kept_[i], total_s, all);
  }

  static void keep_on_rank_0(measured_variant& to, double total_s, const std::vector<json>& all) {
    kept_run& run = to.runs.emplace_back();
    run.total_s = total_s;
    to.processes = static_cast<int>(all.size());
    const double share = 1.0 / static_cast<double>(all.size());
    run.computing_s = 0;
    for (const json& rank : all) {
      for (const json& row : rank["ledger"]) run.ledger.push_back(row);
      to.workers = std::max(to.workers, rank["workers"].get<int>());
      for (const auto& [name, value] : rank["figures"].items()) {
        const auto [figure, first] = run.figures.emplace(name, value.get<double>());
        if (!first) figure->second = std::max(figure->second, value.get<double>());
      }
      const json& mean = rank["mean"];
      run.computing_s = std::max(run.computing_s, mean[0].get<double>() + mean[3].get<double>());
      run.mean.compute_s += share * mean[0].get<double>();
      run.mean.posting_s += share * mean[1].get<double>();
      run.mean.exposed_s += share * mean[2].get<double>();
      run.mean.overhead_s += share * mean[3].get<double>();
      run.mean.idle_s += share * mean[4].get<double>();
      if (rank.contains("phases"))
        run.phases.push_back({.rank = rank["rank"].get<int>(),
                              .clock_offset_s = rank["clock_offset_s"].get<double>(),
                              .proxy_cpu_s = rank["proxy"].is_null()
                                                 ? std::nullopt
                                                 : std::optional(rank["proxy"].get<double>()),
                              .record = phase_record_from(rank["phases"])});
      if (!rank["proxy"].is_null())
        run.proxy_cpu_s = run.proxy_cpu_s.value_or(0) + share * rank["proxy"].get<double>();
    }
  }

  /// All ranks' events of a variant's last run, on rank 0.
  std::vector<trace_event> collect(std::size_t i) {
    for (trace_event& event : reports_[i].events) event.rank = env_.rank();
    return collect_events(env_, std::move(reports_[i].events));
  }

  json timeline(std::size_t i) {
    const double offset_s = env_.measure_clock_offset().offset_s;
    const double start_s = what_.variants[i].takes_part ? reports_[i].recorded_from_s + offset_s
                                                        : std::numeric_limits<double>::infinity();
    const double first_s = -maximum(env_, -start_s);
    return timeline_of(traced(what_.variants[i].name, collect(i)).events, first_s);
  }

  void find_messages() {
    const double rate = wanted_.link_rate_bytes_per_s;
    found_.messages = messages_.found(what_.sent_per_step, wanted_.steps, rate);
    if (leaders_)
      found_.leaders = leaders_->found(what_.leaders_sent_per_step, wanted_.steps, rate);
  }

  void sum_up() {
    const auto shown = kept_.begin() + std::ssize(what_.variants);
    found_.variants.assign(kept_.begin(), shown);
    found_.ideals.assign(shown, kept_.end());
  }

  /// Tells who wants to know, and forgets.
  void end_warm_up() {
    if (what_.warmed_up) {
      find_messages();
      sum_up();
      what_.warmed_up(found_);
    }
    for (measured_variant& one : kept_) {
      one.runs.clear();
      one.workers = 1;  // may have fewer now
    }
    messages_.forget();
    if (leaders_) leaders_->forget();
  }

  environment& env_;
  const comparison& what_;
  const session_options& wanted_;
  measurements found_;
  std::vector<const compared_variant*> codes_;  ///< the variants, then what is not shown
  std::vector<measured_variant> kept_;          ///< of each of these
  std::vector<run_report> reports_;             ///< of this rank's last runs, likewise
  step_range recorded_;
  messages_alone messages_;  ///< of base
  std::optional<messages_alone> leaders_;
};

}  // namespace

summary measured_variant::total() const {
  return summarize(of_runs([](const kept_run& run) { return run.total_s; }));
}

double measured_variant::total_s() const {
  return total().median;
}

breakdown measured_variant::spent() const {
  const auto median_of = [&](double breakdown::*part) {
    return median(of_runs([&](const kept_run& run) { return run.mean.*part; }));
  };
  return {.compute_s = median_of(&breakdown::compute_s),
          .posting_s = median_of(&breakdown::posting_s),
          .exposed_s = median_of(&breakdown::exposed_s),
          .overhead_s = median_of(&breakdown::overhead_s),
          .idle_s = median_of(&breakdown::idle_s)};
}

double measured_variant::figure(const std::string& which) const {
  return median(of_runs([&](const kept_run& run) { return run.figures.at(which); }));
}

bool measured_variant::has_figure(const std::string& which) const {
  return std::ranges::all_of(runs,
                             [&](const kept_run& run) { return run.figures.contains(which); });
}

bool measured_variant::has_proxy() const {
  return std::ranges::any_of(runs, [](const kept_run& run) { return run.proxy_cpu_s.has_value(); });
}

std::optional<double> measured_variant::proxy_cpu_s() const {
  if (!has_proxy()) return std::nullopt;
  return median(of_runs([](const kept_run& run) { return run.proxy_cpu_s.value_or(0); }));
}

const kept_run& measured_variant::typical() const {
  const double middle = total_s();
  return *std::ranges::min_element(
      runs, {}, [&](const kept_run& run) { return std::abs(run.total_s - middle); });
}

const measured_variant* measurements::find(const std::string& name) const {
  const auto found = std::ranges::find(variants, name, &measured_variant::name);
  return found == variants.end() ? nullptr : &*found;
}

const measured_variant* measurements::fastest(
    const std::function<bool(const measured_variant&)>& counts) const {
  const measured_variant* result = nullptr;
  for (const measured_variant& one : variants)
    if (one.name != ideal && (!counts || counts(one)) &&
        (result == nullptr || one.total_s() < result->total_s()))
      result = &one;
  return result;
}

const measured_variant* measurements::fastest_as_base() const {
  return fastest([this](const measured_variant& one) { return computes_as_base(one); });
}

const measured_variant& measurements::find_ideal(const std::string& name) const {
  if (const measured_variant* one = find(name)) return *one;
  const auto found = std::ranges::find(ideals, name, &measured_variant::name);
  PLAIT_EXPECTS(found != ideals.end(), name);
  return *found;
}

cheapest_found measurements::computation_of(const measured_variant& one_ideal) const {
  std::vector<std::vector<double>> shown;
  for (const measured_variant& one : variants) {
    const bool counts = &one != &one_ideal && computation_alone(one) == &one_ideal;
    shown.push_back(one.of_runs([counts](const kept_run& run) {
      return counts ? run.computing_s : std::numeric_limits<double>::infinity();
    }));
  }
  return cheapest_of_rounds(one_ideal.of_runs([](const kept_run& run) { return run.total_s; }),
                            shown);
}

std::vector<double> measurements::communication_of(const measured_messages& some) const {
  if (some.wire_bound_s) return some.communication_s;
  std::vector<std::vector<double>> shown;
  for (const measured_variant& one : variants)
    if (one.communicates && one.leads == (&some == &leaders) && computation_alone(one) != nullptr)
      shown.push_back(one.of_runs([](const kept_run& run) { return run.total_s; }));
  return cheapest_of_rounds(some.communication_s, shown).samples;
}

measured_alone measurements::alone_with(const measured_messages& some,
                                        const measured_variant& one_ideal) const {
  measured_alone result;
  result.computation_s = median(computation_of(one_ideal).samples);
  result.compute_s = one_ideal.spent().compute_s;
  result.communication_s = median(communication_of(some));
  result.wire_s = some.wire_bound_s;
  const double transport = median(some.transport_cpu_s);
  result.transport_cpu_s = std::isfinite(transport) ? transport : 0;
  return result;
}

measured_alone measurements::alone() const {
  return alone_with(messages, find_ideal(ideal));
}

const measured_variant* measurements::computation_alone(const measured_variant& one) const {
  return computes_as_base(one) ? &find_ideal(ideal) : own_ideal_of(one);
}

bool measurements::computes_as_base(const measured_variant& one) const {
  const measured_variant& computation = find_ideal(ideal);
  return one.computes_as_base && one.workers == computation.workers &&
         one.processes == computation.processes;
}

const measured_variant* measurements::own_ideal_of(const measured_variant& one) const {
  if (one.own_ideal.empty()) return nullptr;
  const measured_variant& named = find_ideal(one.own_ideal);
  if (!one.leads || named.workers == one.workers) return &named;
  const auto found = std::ranges::find_if(ideals, [&](const measured_variant& other) {
    return other.leads && other.workers == one.workers;
  });
  return found == ideals.end() ? nullptr : &*found;
}

std::optional<measured_alone> measurements::alone_of(const measured_variant& one) const {
  const measured_variant* computation = computation_alone(one);
  if (computation == nullptr) return std::nullopt;
  return alone_with(one.leads ? leaders : messages, *computation);
}

std::vector<measured_alone> measurements::rounds_of(const measured_variant& one) const {
  const measured_messages& some = one.leads ? leaders : messages;
  const measured_variant* ideal_of_one = computation_alone(one);
  if (ideal_of_one == nullptr) return {};
  const std::vector<double> computation_s = computation_of(*ideal_of_one).samples;
  const std::vector<double> communication_s = communication_of(some);
  std::vector<measured_alone> rounds;
  for (std::size_t round = 0; round < computation_s.size(); ++round) {
    measured_alone& each = rounds.emplace_back(alone_with(some, *ideal_of_one));
    each.computation_s = computation_s[round];
    each.communication_s = communication_s[round];
    const double transport = some.transport_cpu_s[round];
    if (std::isfinite(transport)) each.transport_cpu_s = transport;
  }
  return rounds;
}

void set_operations(comparison& of, double operations) {
  for (compared_variant& one : of.variants) one.operations = operations;
}

measurements measure(environment& env, const comparison& what, const session_options& wanted) {
  return session(env, what, wanted).run();
}

}  // namespace plait::measure
