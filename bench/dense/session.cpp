// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hpcc.hpp"
#include "hpl/system.hpp"
#include "lapack.hpp"
#include "summa/problem.hpp"

namespace plait::bench::dense {
namespace {

class session {
 public:
  session(environment& env, const request& wanted)
      : env_(env), wanted_(wanted), grid_(env, wanted.grid.rows, wanted.grid.columns) {
    for (const std::string& program : wanted.programs)
      for (const std::int64_t n : wanted.orders)
        contests_.push_back(program == "hpl"
                                ? linear_system_of(env, grid_, n, wanted.how, wanted.rows)
                                : product_of(env, grid_, n, wanted.how, wanted.rows));
  }

  outcome run() {
    choose_settings();
    outcome result;
    result.rows = measure::measure_interleaved(plan_, wanted_.repetition);
    result.verified = found_.add_to(result.rows);
    return result;
  }

 private:
  /// Every row tries its settings, before the turns; then all turns are with those that it keeps.
  void choose_settings() {
    std::vector<measure::turn> turns;
    for (const contest& one : contests_)
      for (const competitor& each : one.rows)
        turns.push_back(
            {fmt::format("settings of {} {}", each.row, one.column), [this, &one, &each](int) {
               const measure::json tried = each.code->choose(one.operations);
               plan_.push_back({each.row,
                                one.column,
                                [this, &one, &each] { return figures_of(one, each); },
                                {{"settings", each.code->settings()}, {"tried", tried}}});
             }});
    measure::take_turns(turns, {.repeat = 1, .progress = wanted_.repetition.progress});
  }

  [[nodiscard]] measure::json figures_of(const contest& one, const competitor& each) {
    const checked_run got = each.code->run();
    found_.note(each.row, one.column, got);
    return measure::figures_of(env_, got, 1, one.operations);
  }

  environment& env_;
  const request& wanted_;
  const mesh grid_;
  std::vector<contest> contests_;
  std::vector<measure::measurement> plan_;
  measure::row_findings found_{env_, "dense"};
};

}  // namespace

outcome measure(environment& env, const request& wanted) {
  return session(env, wanted).run();
}

double memory_bytes(const request& wanted) {
  double bytes = 0;
  const std::int64_t block = std::ranges::max(wanted.how.blocks);
  for (const std::string& program : wanted.programs)
    for (const std::int64_t n : wanted.orders) {
      // Each row has a problem of its own.
      double one = 0;
      if (program == "hpl") {
        one = hpl::memory_bytes(
            {.n = n, .nb = block, .grid = {wanted.grid.rows, wanted.grid.columns}}, 4);
      } else {
        const summa::product what{.m = n, .n = n, .k = n, .block = block, .panel = block};
        one = summa::memory_bytes(what,
                                  summa::arrange(what, summa::form::stationary_c,
                                                 {wanted.grid.rows, wanted.grid.columns}),
                                  3);
      }
      bytes += one * static_cast<double>(wanted.rows.size());
    }
  return bytes;
}

std::map<std::string, std::string> known_rows(const setup& how, int ranks) {
  std::map<std::string, std::string> rows{
      {"base", "plain MPI without overlap: hpl's and summa's base"},
      {"olap", "plain MPI with look-ahead by hand: hpl's and summa's olap"},
      {"plait", "tasks: hpl's and summa's plait"}};
#ifdef PLAIT_BENCH_SCALAPACK
  rows["scalapack"] = "pdgesv and pdgemm of ScaLAPACK";
#endif
  if (why_no_lapack(ranks).empty())
    rows["lapack"] = "dgesv of OpenBLAS, with as many threads as plait has workers";
  if (why_no_hpcc(how.hpcc).empty())
    rows["hpcc"] = "netlib's HPL in HPC Challenge's program, a job of its own in each turn";
  return rows;
}

std::map<std::string, std::string> missing_rows(const setup& how, int ranks) {
  std::map<std::string, std::string> missing;
#ifndef PLAIT_BENCH_SCALAPACK
  missing["scalapack"] = "needs libscalapack-openmpi-dev or libscalapack-mpich-dev";
#endif
  if (const std::string why = why_no_lapack(ranks); !why.empty()) missing["lapack"] = why;
  if (const std::string why = why_no_hpcc(how.hpcc); !why.empty()) missing["hpcc"] = why;
  return missing;
}

}  // namespace plait::bench::dense
