// SPDX-License-Identifier: BSD-3-Clause
#include "row.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace plait::network::nbc {
namespace {

// Ranks begin each step together, so that no step pays for the one before.
template <class Step>
void steps(environment& env, int count, Step&& step) {
  for (int i = 0; i < count; ++i) {
    env.barrier();
    step();
  }
}

template <class Step>
double mean_s(environment& env, int count, Step&& step) {
  ticks sum = 0;
  steps(env, count, [&] {
    const ticks start = now_ticks();
    step();
    sum += now_ticks() - start;
  });
  return ticks_to_seconds(sum) / count;
}

void add(measure::step_times& sum, const measure::step_times& one) {
  sum.start_s += one.start_s;
  sum.tests_s += one.tests_s;
  sum.wait_s += one.wait_s;
  sum.working_s += one.working_s;
  sum.overall_s += one.overall_s;
}

measure::step_times measured(environment& env, const named_way& how, const collective_load& load) {
  buffers data(*load.what, load.size_bytes, native(env));
  measure::cut_work work(load.units, load.pieces);
  measure::step_times mean;
  mean.blocking_s = blocking_alone_s(env, data, load.steps);
  mean.computation_s = measure::computation_alone_s(env, work, load.steps);

  const auto running = how.make(env, data);
  data.renew();
  running->pure();
  data.expect_right();
  mean.pure_s = mean_s(env, load.steps, [&] { running->pure(); });
  measure::step_times sum;
  (void)running->beside(work);
  data.renew();
  steps(env, load.steps, [&] { add(sum, running->beside(work)); });
  data.expect_right();
  for (double measure::step_times::*each :
       {&measure::step_times::start_s, &measure::step_times::tests_s, &measure::step_times::wait_s,
        &measure::step_times::working_s, &measure::step_times::overall_s})
    mean.*each = sum.*each / load.steps;
  return mean;
}

// Every rank's on rank 0.
std::vector<measure::step_times> of_all_ranks(environment& env, const measure::step_times& own) {
  std::string bytes(sizeof own, '\0');
  std::memcpy(bytes.data(), &own, sizeof own);
  std::vector<measure::step_times> all;
  for (const std::string& one : env.gather(bytes))
    std::memcpy(&all.emplace_back(), one.data(), sizeof own);
  return all;
}

double mean_us(const std::vector<measure::step_times>& ranks, double measure::step_times::*which) {
  double sum = 0;
  for (const measure::step_times& rank : ranks) sum += rank.*which;
  return 1e6 * sum / static_cast<double>(ranks.size());
}

measure::json figures_of(const std::vector<measure::step_times>& ranks) {
  double overhead = 0;
  for (const measure::step_times& rank : ranks) overhead += measure::overhead_s(rank);
  return {{"overhead_us", 1e6 * overhead / static_cast<double>(ranks.size())},
          {"overhead_percent", measure::overhead_percent(ranks)},
          {"confirmed_overlap_percent", measure::confirmed_overlap_percent(ranks)},
          {"osu_overlap_percent", measure::osu_overlap_percent(ranks)},
          {"imb_documents_percent", measure::imb_documents_percent(ranks)},
          {"imb_code_percent", measure::imb_code_percent(ranks)},
          {"blocking_us", mean_us(ranks, &measure::step_times::blocking_s)},
          {"pure_us", mean_us(ranks, &measure::step_times::pure_s)},
          {"overall_us", mean_us(ranks, &measure::step_times::overall_s)},
          {"computation_us", mean_us(ranks, &measure::step_times::computation_s)},
          {"working_us", mean_us(ranks, &measure::step_times::working_s)},
          {"start_us", mean_us(ranks, &measure::step_times::start_s)},
          {"tests_us", mean_us(ranks, &measure::step_times::tests_s)},
          {"wait_us", mean_us(ranks, &measure::step_times::wait_s)}};
}

}  // namespace

double blocking_alone_s(environment& env, buffers& data, int steps) {
  call_blocking(data);
  return mean_s(env, steps, [&] { call_blocking(data); });
}

measure::json measure_row(environment& env, const named_way& how, const collective_load& load) {
  const std::vector<measure::step_times> ranks = of_all_ranks(env, measured(env, how, load));
  return ranks.empty() ? measure::json::object() : figures_of(ranks);
}

}  // namespace plait::network::nbc
