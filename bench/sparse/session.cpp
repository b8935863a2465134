// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include <plait/comm/mpi.hpp>

#include "common/ghost_exchange.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/rank_sum.hpp"
#include "measure/load/messages_alone.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/checked_run.hpp"
#include "own_block.hpp"
#include "reference.hpp"

namespace plait::bench::sparse {
namespace {

using measure::setting;
using measure::verdict;

class session {
 public:
  session(environment& env, spmv::problem& p, const request& wanted)
      : env_(env),
        p_(p),
        wanted_(wanted),
        exchange_(native(env), p.matrix(), p.needed(), p.own(), p.ghosts),
        own_block_(env, p, wanted.steps, found_),
        nonzeros_(measure::sum(
            env, static_cast<double>(p.matrix().own.nonzeros() + p.matrix().far.nonzeros()))) {
    if (const verdict of_base = spmv::make_reference(env, p, wanted.steps); !of_base.verified)
      throw error("base is wrong: " + of_base.complaint);
    for (const peer& one : all_peers())
      if (is_wanted(one.name)) peers_.push_back({one.name, one.make(env, p)});
    measure::json of_alone = measure::json::object();
    if (const auto wire = measure::wire_s(env, exchange_.sent(), wanted.link_rate_Bps))
      of_alone["wire_us"] = 1e6 * *wire;
    plan_.push_back(
        measure::measure_exchange(env_, product_column, wanted.steps, messages(), of_alone));
    plan_variants();
    for (measure::measurement& one : own_block_.rows(peers_)) plan_.push_back(std::move(one));
  }

  outcome run() {
    outcome result;
    result.rows = measure::measure_interleaved(plan_, wanted_.repetition);
    measure::add_limits_by(result.rows, ideal_row, base_row, {"olap", "plait"});
    own_block::add_fractions(result.rows);
    result.verified = found_.add_to(result.rows);
    return result;
  }

 private:
  using variant = std::shared_ptr<spmv::variant>;
  using judge = std::function<verdict(spmv::variant&)>;

  void plan_variants() {
    const auto bits = [this](spmv::variant&) { return p_.check_against_reference(); };
    const auto own = [this](spmv::variant&) {
      return p_.check_closed_form(setting::isolated, wanted_.steps);
    };
    add(base_row, spmv::make_base(env_), bits);
    add("olap", spmv::make_olap(env_), bits);
    add("plait", spmv::make_plait(env_, wanted_.runtime), bits);
    add(ideal_row, spmv::make_ideal(env_), own);
    for (const loaded_peer& one : peers_)
      if (variant code = one.matrix->make_variant(p_))
        add(
            one.name, code, [this](spmv::variant& by) { return judge_by_one_more(by); }, false);
  }

  /// The bound needs the ideal.
  [[nodiscard]] bool is_wanted(const std::string& row) const {
    return row == ideal_row || std::ranges::count(wanted_.rows, row) > 0;
  }

  /// `waits_known`: the variant counts its waits itself; nobody knows those of a library.
  void add(const std::string& row, variant code, judge check, bool waits_known = true) {
    if (!is_wanted(row)) return;
    plan_.push_back({row, product_column,
                     [this, row, code = std::move(code), check = std::move(check), waits_known] {
                       return figures_of(row, *code, check, waits_known);
                     }});
  }

  /// A library adds in an order of its own, and so has other bits than base.  One more product, of
  /// what its run left behind, is held against a product that each rank computes.
  [[nodiscard]] verdict judge_by_one_more(spmv::variant& code) {
    const spmv::expected_product expected = p_.expect(setting::distributed);
    code.prepare(p_);
    code.run(p_, 1, {});
    (void)code.finish(p_);
    return p_.check_product(expected);
  }

  [[nodiscard]] measure::json figures_of(const std::string& row, spmv::variant& code,
                                         const judge& check, bool waits_known) {
    measure::checked_run got = measure::run_checked<spmv::problem>(
        env_, code, p_, wanted_.steps, [&](setting) { return check(code); });
    if (!waits_known) got.exposed_s.reset();
    found_.note(row, product_column, got);
    return measure::figures_of(env_, got, wanted_.steps, 2 * nonzeros_ * wanted_.steps);
  }

  [[nodiscard]] measure::exchange_alone messages() {
    const auto sums = [this] {
      for (int i = 0; i < p_.sums(); ++i) (void)measure::sum_over_ranks(native(env_), 0);
    };
    return {.exchange =
                [this, sums] {
                  exchange_.exchange();
                  sums();
                },
            .exchange_sparsely =
                [this, sums](std::chrono::microseconds interval) {
                  exchange_.exchange_sparsely(interval);
                  sums();
                }};
  }

  environment& env_;
  spmv::problem& p_;
  const request& wanted_;
  std::vector<loaded_peer> peers_;
  plait::sparse::ghost_exchange exchange_;
  measure::row_findings found_{env_, "sparse"};
  own_block own_block_;
  double nonzeros_;  ///< on all ranks
  std::vector<measure::measurement> plan_;
};

}  // namespace

outcome measure(environment& env, spmv::problem& p, const request& wanted) {
  return session(env, p, wanted).run();
}

}  // namespace plait::bench::sparse
