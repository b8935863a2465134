// SPDX-License-Identifier: BSD-3-Clause
/// An application's variants, and what they are held against, measured in turns in one session.
/// What a result file says of it: comparison_result.hpp.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"
#include "measure/base/limits.hpp"
#include "measure/base/session_options.hpp"
#include "measure/load/messages_alone.hpp"
#include "turns.hpp"
#include "variant.hpp"

namespace plait::measure {

/// A variant as the session sees it; `compared` makes one of a `variant`.
struct compared_variant {
  std::string name;
  /// Says whether this rank runs it.  `prepare` and `finish` are called on every rank, `run` and
  /// `check` only where it takes part.  Rank 0 does.
  bool takes_part = true;
  bool communicates = true;
  /// Says whether it computes what base does, in base's order.  Then base's computation alone is
  /// its own too, and what it hides can be said; a variant that reuses the cache otherwise, or
  /// solves by another algorithm, hides nothing by that.
  bool computes_as_base = true;
  /// Name, among `comparison::own_ideals`, of the variant's computation alone, if it does not
  /// compute as base does.  Empty: not known.
  std::string own_ideal;
  /// Says whether all processes that take part note their phases.  The same on every rank.
  bool has_phases = false;
  /// Says whether it runs with one process of each node.  Then its messages are
  /// `comparison::leaders`.
  bool leads = false;
  /// Floating-point operations of a run on all ranks; 0: nobody would agree on their number.
  double operations = 0;
  double error_bound = 0;         ///< for the result; `check` knows it
  std::function<void()> prepare;  ///< sets the problem back, too
  std::function<void(const step_range& recorded)> run;
  std::function<run_report()> finish;
  std::function<verdict()> check;  ///< of what the last run left behind
};

/// Functions that set a problem back before a run and judge it afterwards.
struct trial {
  double error_bound = 0;
  std::function<void()> reset;
  std::function<verdict(const run_report&)> check;
};

/// Makes a compared variant of any problem.  `p` outlives it.
template <class Problem>
[[nodiscard]] compared_variant compared(std::string name, std::unique_ptr<variant<Problem>> code,
                                        Problem& p, int steps, trial how);

/// Makes one of a problem that has `reset(setting)`, `error_bound(setting, steps)` and
/// `check_closed_form(setting, steps)`.  Where it has `check_against_reference()` too, a
/// distributed run is checked against what `comparison::make_reference` has kept.
template <class Problem>
[[nodiscard]] compared_variant compared(std::string name, std::unique_ptr<variant<Problem>> code,
                                        Problem& p, int steps);

/// Something else that is measured in each round.
struct also_measured {
  std::string label;
  std::function<double()> measure;  ///< the same on every rank
};

struct measured_variant;
struct measurements;

/// Holds what an application gives.
struct comparison {
  std::string application;
  json parameters;  ///< what was asked for, as the result says it
  std::vector<compared_variant> variants;
  std::string base;  ///< the name of the variant that others are held against
  /// Runs that one once, keeps what others must give, and says whether that is right.  Empty: the
  /// first of its runs is checked as the others are.
  std::function<verdict()> make_reference;
  /// Computation alone: base without its messages.  Not run beside a variant of this name.
  compared_variant ideal;
  /// Computation alone of variants that do not compute as base does, likewise.
  std::vector<compared_variant> own_ideals;
  communication_alone communication;
  std::vector<sent_bytes> sent_per_step;
  /// The messages of variants that run with one process of each node, and what those send.
  std::optional<communication_alone> leaders;
  std::vector<sent_bytes> leaders_sent_per_step;
  std::vector<also_measured> also;
  /// Is given what the warm-up round measured, which counts for nothing else.  Collective.
  std::function<void(const measurements&)> warmed_up;
  /// Picks the variant that the result's sentence `limiter` is about, or none.  Empty: the last
  /// that computes as base does.  Called on rank 0.
  std::function<const measured_variant*(const measurements&)> limited;
};

/// Holds what rank 0 keeps of one run.
struct kept_run {
  double total_s = 0;
  breakdown mean;  ///< over ranks that take part and their workers
  /// Seconds that the rank with most of them computed, or the runtime worked: what the run needed
  /// for its computation, beside messages.  Mean over the rank's workers.
  double computing_s = std::numeric_limits<double>::infinity();
  std::vector<json> ledger;               ///< one entry per rank and worker
  std::optional<double> proxy_cpu_s;      ///< mean over ranks, if one of them has a proxy
  std::map<std::string, double> figures;  ///< the largest of all ranks
  std::vector<node_phases> phases;        ///< by rank, of a variant that notes them
};

/// Holds what the runs of a variant have given.
struct measured_variant {
  std::string name;
  bool computes_as_base = true;  ///< as it says of itself
  std::string own_ideal;
  bool leads = false;        ///< see compared_variant
  bool communicates = true;  ///< likewise
  bool verified = true;      ///< the same on every rank
  double max_error = 0;      ///< the same on every rank
  // On rank 0:
  int workers = 1;    ///< of the rank with the most
  int processes = 1;  ///< that take part
  std::vector<kept_run> runs;
  std::map<std::string, std::string> words;
  json timeline = json::array();  ///< of one step
  json trace_summary;             ///< null without a trace

  /// `member(run)` of each run.
  template <class Member>
  [[nodiscard]] std::vector<double> of_runs(Member&& member) const {
    std::vector<double> numbers;
    for (const kept_run& run : runs) numbers.push_back(member(run));
    return numbers;
  }
  /// Medians over runs.
  [[nodiscard]] double total_s() const;
  [[nodiscard]] double figure(const std::string& which) const;
  [[nodiscard]] summary total() const;
  [[nodiscard]] breakdown spent() const;
  [[nodiscard]] bool has_figure(const std::string& which) const;
  [[nodiscard]] bool has_proxy() const;
  /// Nothing without a proxy.
  [[nodiscard]] std::optional<double> proxy_cpu_s() const;
  /// The run whose time is nearest to the median of times.
  [[nodiscard]] const kept_run& typical() const;
};

/// Seconds are those of a run.  Samples are on rank 0.
struct measurements {
  bool verified = true;  ///< the same on every rank
  std::vector<measured_variant> variants;
  std::string ideal;                                ///< the name of base's computation alone
  std::vector<measured_variant> ideals;             ///< those that are not among the variants
  measured_messages messages;                       ///< of base
  measured_messages leaders;                        ///< of variants with one process of each node
  std::map<std::string, std::vector<double>> also;  ///< by label

  [[nodiscard]] const measured_variant* find(const std::string& name) const;
  /// The variant with the shortest median, of those that `counts` holds for, but computation alone;
  /// null where there is none.
  [[nodiscard]] const measured_variant* fastest(
      const std::function<bool(const measured_variant&)>& counts = {}) const;
  /// The fastest that computes as base does; null where there is none.
  [[nodiscard]] const measured_variant* fastest_as_base() const;
  /// Computation alone, among the variants or not.  Precondition: it was measured.
  [[nodiscard]] const measured_variant& find_ideal(const std::string& name) const;
  /// Returns what the runs of an ideal and of variants whose computation alone it is needed for
  /// the computation, round by round.  Variants are numbered as `variants`, from 1.
  [[nodiscard]] cheapest_found computation_of(const measured_variant& one_ideal) const;
  /// Returns what messages alone and runs that contain them took, round by round.  Only messages
  /// alone where the wire's time is known, which stands for them.
  [[nodiscard]] std::vector<double> communication_of(const measured_messages& some) const;
  /// Of base: medians, and the wire's time.
  [[nodiscard]] measured_alone alone() const;
  /// Returns the computation alone of a variant that does not compute as base does: of its own
  /// ideals the one with as many workers; null where that was not measured.
  [[nodiscard]] const measured_variant* own_ideal_of(const measured_variant& one) const;
  /// Returns whether base's computation alone is that of `one`: it says so of itself, and takes as
  /// many processes and workers.
  [[nodiscard]] bool computes_as_base(const measured_variant& one) const;
  /// Returns what was measured alone of the computation of `one`; nothing where that is not known.
  [[nodiscard]] std::optional<measured_alone> alone_of(const measured_variant& one) const;
  /// Returns what `alone_of` gives, round by round.
  [[nodiscard]] std::vector<measured_alone> rounds_of(const measured_variant& one) const;

 private:
  /// Returns the ideal whose computation is that of `one`; null where that was not measured.
  [[nodiscard]] const measured_variant* computation_alone(const measured_variant& one) const;
  [[nodiscard]] measured_alone alone_with(const measured_messages& some,
                                          const measured_variant& one_ideal) const;
};

/// Says how many floating-point operations a run of each variant is, on all ranks.
void set_operations(comparison& of, double operations);

/// Runs the session.  What is wrong with a result is printed on standard error, one line for each
/// rank and variant.  Writes the trace if one is wanted.  Collective.
[[nodiscard]] measurements measure(environment& env, const comparison& what,
                                   const session_options& wanted);

/// Runs `code` once, from `reset` to `finish`, and returns its report.  Collective.
template <class Problem>
run_report run_once(variant<Problem>& code, Problem& p, int steps) {
  p.reset(code.solves());
  code.prepare(p);
  code.run(p, steps, {});
  return code.finish(p);
}

/// Makes what others must give: runs `base` once, keeps its result in the problem, and judges it.
/// Collective.
template <class Problem>
[[nodiscard]] verdict reference_of(variant<Problem>& base, Problem& p, int steps) {
  (void)run_once(base, p, steps);
  p.keep_as_reference();
  return p.check_closed_form(base.solves(), steps);
}

/// Begins a comparison of the variants `names`, which `make(name)` makes, with "base" and "ideal"
/// among them or not.  It lacks parameters, communication and the bytes sent.  `p` outlives it.
template <class Problem, class Make>
[[nodiscard]] comparison compare(std::string application, const std::vector<std::string>& names,
                                 Problem& p, int steps, Make make) {
  const auto one = [&](const std::string& name) {
    return compared<Problem>(name, make(name), p, steps);
  };
  comparison what;
  what.application = std::move(application);
  for (const std::string& name : names) what.variants.push_back(one(name));
  what.base = "base";
  if constexpr (requires { p.keep_as_reference(); })
    what.make_reference = [&p, steps, make] { return reference_of(*make("base"), p, steps); };
  what.ideal = one("ideal");
  return what;
}

/// Returns work for `communication_alone`: one of `pieces`, the next with every call.  Empty where
/// there are none.
template <class Piece, class Work>
[[nodiscard]] std::function<void()> in_turns(std::vector<Piece> pieces, Work work) {
  if (pieces.empty()) return {};
  return [pieces = std::move(pieces), work, next = std::size_t{0}]() mutable {
    work(pieces[next]);
    next = (next + 1) % pieces.size();
  };
}

template <class Problem>
compared_variant compared(std::string name, std::unique_ptr<variant<Problem>> made, Problem& p,
                          int steps, trial how) {
  const std::shared_ptr<variant<Problem>> code = std::move(made);
  const auto last = std::make_shared<run_report>();
  compared_variant result;
  result.name = std::move(name);
  result.communicates = code->solves() == setting::distributed;
  result.error_bound = how.error_bound;
  result.prepare = [code, reset = std::move(how.reset), &p] {
    reset();
    code->prepare(p);
  };
  result.run = [code, steps, &p](const step_range& recorded) { code->run(p, steps, recorded); };
  result.finish = [code, last, &p] {
    run_report report = code->finish(p);
    last->figures = report.figures;
    return report;
  };
  result.check = [check = std::move(how.check), last] { return check(*last); };
  return result;
}

template <class Problem>
compared_variant compared(std::string name, std::unique_ptr<variant<Problem>> code, Problem& p,
                          int steps) {
  const setting solves = code->solves();
  trial how{.error_bound = p.error_bound(solves, steps),
            .reset = [solves, &p] { p.reset(solves); },
            .check =
                [solves, steps, &p](const run_report&) {
                  verdict found = p.check_closed_form(solves, steps);
                  if constexpr (requires { p.check_against_reference(); }) {
                    if (found.verified && solves == setting::distributed) {
                      const double max_error = found.max_error;
                      found = p.check_against_reference();
                      found.max_error = max_error;
                    }
                  }
                  return found;
                }};
  return compared(std::move(name), std::move(code), p, steps, std::move(how));
}

}  // namespace plait::measure
