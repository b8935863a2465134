// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <plait/plait.hpp>

#include "common/blas.hpp"
#include "measure/comparison.hpp"
#include "measure/comparison_result.hpp"
#include "measure/statistics.hpp"
#include "plain_mpi.hpp"

namespace summa {
namespace {

using plait::measure::json;
using plait::measure::measured_variant;
using plait::measure::measurements;
using plait::measure::sent_bytes;

// A product of such matrices, with which the transport's processor time is counted, takes some 100
// µs.
constexpr std::int64_t counted_size = 96;

class session {
 public:
  session(plait::environment& env, const product& what, const arrangement& where,
          const std::vector<std::string>& variants, const options& chosen,
          const plait::measure::session_options& wanted)
      : env_(env),
        variants_(variants),
        chosen_(chosen),
        wanted_(wanted),
        grid_(env, where.grid.rows, where.grid.columns),
        problem_(what, where, grid_),
        counted_(static_cast<std::size_t>(3 * counted_size * counted_size), 1.0),
        buffers_(problem_),
        operands_(problem_) {}

  plait::measure::outcome run() {
    const plait::measure::comparison what = comparison();
    const measurements found = plait::measure::measure(env_, what, wanted_);
    return {found.verified, env_.rank() == 0 ? result(what, found) : json()};
  }

 private:
  plait::measure::comparison comparison() {
    plait::measure::comparison what;
    what.application = "summa";
    what.parameters = parameters();
    for (const std::string& name : variants_) what.variants.push_back(compared(name));
    what.base = "base";
    what.make_reference = [this] { return make_reference(); };
    what.ideal = compared("ideal");
    what.communication = communication();
    what.sent_per_step = sent();
    return what;
  }

  plait::measure::compared_variant compared(const std::string& name) {
    return plait::measure::compared<problem>(name, make_variant(name, env_, chosen_), problem_, 1);
  }

  verdict make_reference() {
    const std::unique_ptr<variant> base = make_base();
    problem_.reset(base->solves());
    base->prepare(problem_);
    base->run(problem_, 1, {});
    (void)base->finish(problem_);
    problem_.keep_as_reference();
    return problem_.check_closed_form(base->solves(), 1);
  }

  plait::measure::communication_alone communication() {
    plait::measure::communication_alone messages;
    messages.prepare = [this] { problem_.reset(setting::distributed); };
    messages.run = [this] { exchange_all(problem_, buffers_, operands_); };
    messages.exchanges = 1;
    messages.exchange_sparsely = [this](std::chrono::microseconds interval) {
      exchange_all_sparsely(problem_, buffers_, operands_, interval);
    };
    messages.work = [this] {
      constexpr std::int64_t n = counted_size;
      double* const a = counted_.data();
      plait::dense::multiply(op::none, op::none, {n, n, n}, 1.0, {a, n}, {a + n * n, n}, 0.0,
                             {a + 2 * n * n, n});
    };
    return messages;
  }

  /// As if panels went from process to process; any other tree brings as many bytes to each.
  std::vector<sent_bytes> sent() const {
    const auto bytes = [](std::int64_t entries) {
      return static_cast<double>(entries) * static_cast<double>(sizeof(double));
    };
    const int p = grid_.p(), q = grid_.q(), rows = grid_.rows(), columns = grid_.columns();
    std::vector<sent_bytes> all;
    const int right = grid_.rank_at(p, (q + 1) % columns);
    const int below = grid_.rank_at((p + 1) % rows, q);
    for (const step& s : problem_.steps) {
      if (s.row_root >= 0 && (q + 1) % columns != s.row_root)
        all.push_back({right, bytes(problem_.x_size(s))});
      if (s.column_root >= 0 && (p + 1) % rows != s.column_root)
        all.push_back({below, bytes(problem_.y_size(s))});
      if (s.owner < 0 || problem_.owns_sums(s)) continue;
      const bool a = problem_.where.stationary == form::stationary_a;
      all.push_back({a ? right : below, bytes(problem_.sums_size(s))});
    }
    for (const auto* how : {&problem_.of_a, &problem_.of_b})
      for (int rank = 0; how->has_value() && rank < env_.size(); ++rank)
        all.push_back({rank, bytes((*how)->entries_to(rank))});
    return all;
  }

  json parameters() const {
    const product& what = problem_.what;
    const auto word = [](op how) { return how == op::none ? "N" : "T"; };
    return {{"size", {what.m, what.n, what.k}},
            {"steps", 1},
            {"grid", {grid_.rows(), grid_.columns()}},
            {"repeat", wanted_.repeat},
            {"transpose", std::string(word(what.of_a)) + word(what.of_b)},
            {"alpha", what.alpha},
            {"beta", what.beta},
            {"block", what.block},
            {"panel", what.panel},
            {"stationary", form_names[static_cast<std::size_t>(problem_.where.stationary)]},
            {"buffers", chosen_.buffers},
            {"workers", chosen_.workers},
            {"policy", plait::to_string(chosen_.policy)},
            {"in_flight", chosen_.in_flight},
            {"variants", variants_}};
  }

  json result(const plait::measure::comparison& what, const measurements& found) const {
    json out = plait::measure::result_of(env_, what, wanted_, found);
    out["environment"]["blas_kernel"] = plait::dense::blas_kernel();
    const product& p = problem_.what;
    const double flops =
        2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    for (const measured_variant& one : found.variants) {
      out["variants"][one.name]["gflops"] = flops / one.total_s() * 1e-9;
      if (one.has_proxy())
        out["variants"][one.name]["longest_unwatched_s"] = one.figure("longest_unwatched_s");
    }
    const measured_variant* tasks = found.find("plait");
    out["environment"]["workers"] = tasks != nullptr ? tasks->workers : 1;
    for (const char* word : {"policy_chosen", "policy_reason"})
      out["environment"][word] = tasks != nullptr ? json(tasks->words.at(word)) : json(nullptr);
    for (const char* name : {"base", "olap", "plait"})  // the last of these that ran
      if (const measured_variant* one = found.find(name))
        out["limiter"] = plait::measure::limiter_of(*one, found);
    return out;
  }

  plait::environment& env_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& wanted_;
  const mesh grid_;
  problem problem_;
  std::vector<double> counted_;
  plain_step buffers_;
  plain_transposition operands_;
};

}  // namespace

plait::measure::outcome measure(plait::environment& env, const product& what,
                                const arrangement& where, const std::vector<std::string>& variants,
                                const options& chosen,
                                const plait::measure::session_options& wanted) {
  return session(env, what, where, variants, chosen, wanted).run();
}

}  // namespace summa
