// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "charts.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"
#include "measure/compare/turns.hpp"
#include "measure/probe/stacked_bars.hpp"
#include "measured_model.hpp"

namespace spmv_probe {
namespace {

using plait::measure::bar_samples;
using plait::measure::json;
using plait::measure::stacked_bar;
using plait::measure::turn;

/// A course, its label in progress lines, and its runs.
struct measured_course {
  course how;
  bool automatic = false;
  bar_samples times = {};
  std::vector<plait::measure::part_watch::one_lap> laps = {};  ///< of this rank's last run
  bool verified = true;
};

constexpr int floods = 4;        // blocks that two ranks get from each other at once
constexpr int round_trips = 50;  // of one element

/// The products of a run, without what lies between them.
[[nodiscard]] bar_samples computation_of(const bar_samples& times) {
  bar_samples result;
  result.parts_s = {times.parts_s[part::local], times.parts_s[part::remote]};
  for (std::size_t i = 0; i < times.total_s.size(); ++i)
    result.total_s.push_back(result.parts_s[0][i] + result.parts_s[1][i]);
  return result;
}

class session {
 public:
  session(plait::environment& env, const command& given, const plan& wanted)
      : env_(env),
        given_(given),
        wanted_(wanted),
        shares_{given.rows, env.size()},
        rt_(env, {.engine = {.policy = wanted.policy},
                  .tasks = {.workers = static_cast<int>(given.workers)}}),
        prober_(rt_, shares_, v_, {.on = wanted.windows}),
        partner_(env.rank() == 0                ? env.size() - 1
                 : env.rank() == env.size() - 1 ? 0
                                                : -1) {
    prepare();
    if (wanted.model && partner_ >= 0)
      flooded_.resize(static_cast<std::size_t>(floods * shares_.count(partner_)));
  }

  plait::measure::outcome run() {
    for (const std::int64_t per_row : wanted_.per_row) {
      a_ = make_split_rows(wanted_.rows, shares_, env_.rank(), per_row, given_.piece);
      measure_matrix(per_row);
    }
    json result;
    if (env_.rank() == 0) result = this->result();
    return {verified_, std::move(result)};
  }

 private:
  void prepare() {
    v_.y.resize(v_.own.size());
    const std::int64_t first = shares_.first(env_.rank());
    for (std::size_t i = 0; i < v_.own.size(); ++i)
      v_.own[i] = source_value(first + static_cast<std::int64_t>(i));
  }

  // Measurements --------------------------------------------------------------------------------

  void measure_matrix(std::int64_t per_row) {
    std::vector<measured_course> asked;
    for (const wanted_bar& bar : wanted_.bars) asked.push_back({bar.how, bar.automatic});
    std::vector<measured_course> known = calibrating();
    if (std::ranges::any_of(asked, &measured_course::automatic)) choose_eta(asked, known);
    take_turns_of(asked, known, static_cast<int>(given_.session.repeat));
    keep(per_row, asked, known);
  }

  /// Returns the courses that the model needs: Gather(0) as it is, without computation, and without
  /// communication.
  [[nodiscard]] std::vector<measured_course> calibrating() const {
    if (!wanted_.model) return {};
    return {{{.what = algorithm::gather, .eta = 0}},
            {{.what = algorithm::gather, .eta = 0, .computes = false}},
            {{.what = algorithm::gather, .eta = 0, .communicates = false}}};
  }

  /// By the model, from a few runs before those that count.
  void choose_eta(std::vector<measured_course>& asked, std::vector<measured_course>& known) {
    constexpr int few = 3;
    std::vector<measured_course> none;
    take_turns_of(none, known, few);
    const measured_network network = network_of(calibrated(known), env_.size(), block_bytes());
    const int own = env_.rank() == 0 ? spmv_best_prefetch(network.e, network.product) : 0;
    const auto eta = static_cast<int>(plait::measure::maximum(env_, own));
    for (measured_course& one : asked)
      if (one.automatic) one.how.eta = eta;
    known = calibrating();
  }

  void take_turns_of(std::vector<measured_course>& asked, std::vector<measured_course>& known,
                     int repeat) {
    std::vector<turn> turns;
    for (std::vector<measured_course>* list : {&asked, &known})
      for (measured_course& one : *list)
        turns.push_back({label_of(one), [this, &one](int round) { run_once(one, round); }});
    flood_s_per_byte_.clear();
    round_trip_s_.clear();
    if (!known.empty()) turns.push_back({"network", [this](int round) { probe_network(round); }});
    plait::measure::take_turns(turns, {.repeat = repeat,
                                       .progress = given_.session.progress && env_.rank() == 0,
                                       .warm_up = true});
  }

  /// Sets y and x back before a run.  Elements of x that the run is to fetch are NaN until then.
  void reset(const course& how) {
    const std::int64_t first = shares_.first(env_.rank());
    for (std::size_t i = 0; i < v_.y.size(); ++i)
      v_.y[i] = destination_value(first + static_cast<std::int64_t>(i));
    for (std::size_t i = 0; i < v_.x.size(); ++i)
      v_.x[i] = how.communicates ? std::numeric_limits<double>::quiet_NaN()
                                 : source_value(static_cast<std::int64_t>(i));
  }

  void run_once(measured_course& one, int round) {
    reset(one.how);
    const plait::measure::part_watch time = prober_.run(a_, one.how);
    const bool good = plait::measure::all_of(env_, is_right(one));
    one.verified = one.verified && good;
    verified_ = verified_ && good;
    if (round == plait::measure::warm_up) return;
    plait::measure::add_run(env_, one.times, time.total_s(), time.parts_s());
    one.laps = time.few_laps();
  }

  [[nodiscard]] bool is_right(const measured_course& one) const {
    const std::string wrong =
        one.how.computes ? complaint_of(a_, shares_, env_.rank(), v_.y) : complaint_of_source();
    if (wrong.empty()) return true;
    std::fprintf(stderr, "spmv-probe: %s is wrong: %s\n", label_of(one).c_str(), wrong.c_str());
    return false;
  }

  /// Without computation only what was fetched can be looked at.
  [[nodiscard]] std::string complaint_of_source() const {
    const std::int64_t own = shares_.first(env_.rank());
    for (std::int64_t i = 0; i < shares_.size; ++i) {
      if (i == own) i += shares_.count(env_.rank());
      if (i >= shares_.size) break;
      if (const double got = v_.x[static_cast<std::size_t>(i)]; got != source_value(i))
        return fmt::format("rank {}: element {} of x came as {}, expected {}", env_.rank(), i, got,
                           source_value(i));
    }
    return {};
  }

  void probe_network(int round) {
    const double flood_s = prober_.flood_s(partner_, flooded_, floods);
    const double trip_s = prober_.round_trip_s(partner_ > 0 ? partner_ : -1, round_trips);
    if (round == plait::measure::warm_up) return;
    flood_s_per_byte_.push_back(flood_s / (floods * block_bytes()));
    round_trip_s_.push_back(trip_s);
  }

  // The result ----------------------------------------------------------------------------------

  [[nodiscard]] double block_bytes() const {
    return sizeof(double) * static_cast<double>(shares_.size) / shares_.ranks;
  }

  [[nodiscard]] calibration calibrated(const std::vector<measured_course>& known) const {
    const auto initiation_s = [&](const measured_course& one) {
      return (one.times.median_s(part::prefetch_init) + one.times.median_s(part::pipeline_init)) /
             (env_.size() - 1);
    };
    return {.busy_initiation_s = initiation_s(known[0]),
            .idle_initiation_s = initiation_s(known[1]),
            .round_trip_s = plait::measure::median(round_trip_s_),
            .flood_s_per_byte = plait::measure::median(flood_s_per_byte_),
            .alone_s = known[1].times.median_total_s(),
            .computation_s =
                known[2].times.median_s(part::local) + known[2].times.median_s(part::remote)};
  }

  [[nodiscard]] static std::string label_of(const measured_course& one) {
    std::string text = letter_of(one.how.what);
    if (one.how.what != algorithm::bulk) text += fmt::format(" eta {}", one.how.eta);
    if (one.automatic) text += " (auto)";
    if (!one.how.computes) text += " alone";
    if (!one.how.communicates) text += " without communication";
    return text;
  }

  [[nodiscard]] std::string group_of(std::int64_t per_row, const measured_course& one) const {
    const std::string matrix = fmt::format("{} a row", per_row);
    if (!wanted_.several_etas) return matrix;
    const std::string eta = one.how.what == algorithm::bulk ? "bulk"
                            : one.automatic
                                ? fmt::format("auto: η = {}", one.how.eta)
                                : fmt::format("η = {}, printed {}", one.how.eta, one.how.eta + 1);
    return wanted_.per_row.size() == 1 ? eta : matrix + ", " + eta;
  }

  [[nodiscard]] json remarks_of(std::int64_t per_row, const measured_course& one) const {
    json remarks{{"algorithm", letter_of(one.how.what)},
                 {"nnz_per_row", per_row},
                 {"communicates", one.how.communicates}};
    remarks["eta"] = one.how.what == algorithm::bulk ? json(nullptr) : json(one.how.eta);
    remarks["automatic"] = one.automatic;
    return remarks;
  }

  void keep(std::int64_t per_row, const std::vector<measured_course>& asked,
            const std::vector<measured_course>& known) {
    nonzeros_.push_back(plait::measure::sum(env_, static_cast<double>(a_.nonzeros)));
    for (const measured_course& one : asked)
      bars_.push_back({.group = group_of(per_row, one),
                       .name = letter_of(one.how.what) + (one.how.communicates ? "" : "-"),
                       .times = wanted_.computation_alone ? computation_of(one.times) : one.times,
                       .verified = one.verified,
                       .remarks = remarks_of(per_row, one)});
    wanted_.computation_alone ? say_slowdown(per_row, asked) : say_best(per_row, asked);
    if (known.empty()) return;
    const measured_network network = network_of(calibrated(known), env_.size(), block_bytes());
    const std::string group = fmt::format("{} a row", per_row);
    networks_[group] = to_json(network);
    if (!known[0].laps.empty()) {
      charts_[group + ": the model"] =
          plait::measure::timeline_of(modelled_chart(network.e, network.product).events(), 0);
      charts_[group + ": a run"] =
          plait::measure::timeline_of(measured_chart(known[0].laps).events(), 0);
    }
    for (stacked_bar& bar : model_bars(group, network, known[0].times, known[0].verified))
      model_.push_back(std::move(bar));
  }

  /// The best of Gather and Scatter over Bulk, and what was chosen over the best.
  void say_best(std::int64_t per_row, const std::vector<measured_course>& asked) {
    const measured_course* bulk = nullptr;
    const measured_course* best = nullptr;
    const measured_course* automatic = nullptr;
    for (const measured_course& one : asked) {
      if (!one.how.communicates) continue;
      const double time_s = one.times.median_total_s();
      if (one.how.what == algorithm::bulk) {
        bulk = &one;
      } else {
        if (best == nullptr || time_s < best->times.median_total_s()) best = &one;
        if (one.automatic && (automatic == nullptr || time_s < automatic->times.median_total_s()))
          automatic = &one;
      }
    }
    const auto say = [&](const measured_course* one, const measured_course* other) {
      if (one == nullptr || other == nullptr || one == other) return;
      sentences_.push_back(fmt::format("{} a row: {} takes {:.3f} of {}", per_row, label_of(*one),
                                       one->times.median_total_s() / other->times.median_total_s(),
                                       label_of(*other)));
    };
    say(best, bulk);
    say(automatic, best);
  }

  /// The time of products beside communication over that without.  [section 6.6]
  void say_slowdown(std::int64_t per_row, const std::vector<measured_course>& asked) {
    const auto computation_s = [](const measured_course& one) {
      return computation_of(one.times).median_total_s();
    };
    for (std::size_t i = 0; i + 1 < asked.size(); i += 2)  // each, then without communication
      sentences_.push_back(fmt::format(
          "{} a row: {}'s computation takes {:.3f} of its time without communication", per_row,
          letter_of(asked[i].how.what), computation_s(asked[i]) / computation_s(asked[i + 1])));
  }

  [[nodiscard]] json result() {
    json figures = json::array();
    auto parts = std::vector<std::string>(part_names.begin(), part_names.end());
    if (wanted_.computation_alone) parts = {parts[part::local], parts[part::remote]};
    if (!bars_.empty()) figures.push_back(plait::measure::bar_figure(wanted_.title, parts, bars_));
    if (!model_.empty()) {
      figures.push_back(plait::measure::bar_figure(model_title, model_parts(), model_));
      for (const stacked_bar& bar : model_)
        if (bar.remarks.contains("error"))
          sentences_.push_back(fmt::format("{}: {} errs by {:+.1f} %", bar.group, bar.name,
                                           100 * bar.remarks["error"].get<double>()));
    }
    json out = plait::measure::probe_result(env_, "spmv-probe", parameters(), std::move(figures),
                                            sentences_);
    out["environment"]["workers"] = rt_.workers();
    out["environment"]["policy_chosen"] = rt_.progress_choice().name;
    out["environment"]["policy_reason"] = rt_.progress_choice().reason;
    plait::measure::say_windows(out, prober_.windows());
    const double rate = given_.session.link_rate_bytes_per_s;
    out["environment"]["link_rate_Bps"] = rate > 0 ? json(rate) : json(nullptr);
    out["nonzeros"] = nonzeros_;
    out["networks"] = networks_;
    out["timeline"] = charts_.empty() ? json(nullptr) : charts_;
    return out;
  }

  [[nodiscard]] json parameters() const {
    return {{"preset", given_.preset},
            {"rows", given_.rows},
            {"nnz_per_row", wanted_.per_row},
            {"matrix", given_.matrix},
            {"repeat", given_.session.repeat},
            {"workers", given_.workers},
            {"policy", plait::to_string(wanted_.policy)},
            {"windows", plait::to_string(wanted_.windows)}};
  }

  plait::environment& env_;
  const command& given_;
  const plan& wanted_;
  const even_shares shares_;
  vectors v_;
  plait::runtime rt_;
  prober prober_;
  const int partner_;  ///< of this rank in what two processes do; -1: none
  std::vector<double> flooded_;
  split_rows a_;
  bool verified_ = true;
  std::vector<double> flood_s_per_byte_;  ///< of this rank, by run
  std::vector<double> round_trip_s_;
  std::vector<stacked_bar> bars_;
  std::vector<stacked_bar> model_;
  json networks_ = json::object();
  json charts_ = json::object();  ///< the model above a run
  std::vector<double> nonzeros_;
  std::vector<std::string> sentences_;
};

/// Of a rank: the largest matrix, the vectors, and what is flooded.
[[nodiscard]] double memory_bytes(const command& given, const plan& wanted, int ranks) {
  const auto size = static_cast<double>(given.rows);
  const auto per_row = static_cast<double>(std::ranges::max(wanted.per_row));
  constexpr double nonzero_bytes = 12;
  const bool has_flags = std::ranges::any_of(
      wanted.bars, [](const wanted_bar& one) { return one.how.what == algorithm::flagged; });
  return size / ranks * (per_row * nonzero_bytes + 8.0 * ranks + 24 + 8 * floods) + 8 * size +
         (has_flags ? 8 * size : 0);
}

}  // namespace

plait::measure::outcome measure(plait::environment& env, const command& given, const plan& wanted) {
  plait::measure::check_memory(env, "--rows", memory_bytes(given, wanted, env.size()));
  return session(env, given, wanted).run();
}

}  // namespace spmv_probe
