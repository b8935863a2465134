// SPDX-License-Identifier: BSD-3-Clause
#include "overlap_figures.hpp"

#include <algorithm>
#include <cmath>

#include "measure/base/limits.hpp"

namespace plait::measure {
namespace {

double mean(std::span<const step_times> ranks, double step_times::*which) {
  double sum = 0;
  for (const step_times& rank : ranks) sum += rank.*which;
  return sum / static_cast<double>(ranks.size());
}

double slowest(std::span<const step_times> ranks, double step_times::*which) {
  double longest = 0;
  for (const step_times& rank : ranks) longest = std::max(longest, rank.*which);
  return longest;
}

// IMB's numerator, and what either variant divides it by.
struct imb_times {
  double hidden_s = 0;
  double pure_s = 0;
  double cpu_s = 0;
};

imb_times imb_times_of(std::span<const step_times> ranks) {
  const step_times& last = *std::ranges::max_element(ranks, {}, &step_times::overall_s);
  // IMB's own runs have no tests; ours with tests count them as communication.
  const double cpu_s = last.working_s;
  return {last.blocking_s + cpu_s - last.overall_s, last.blocking_s, cpu_s};
}

double percent(double part, double whole) {
  return 100 * std::clamp(part / whole, 0.0, 1.0);
}

constexpr double base_tolerance = 1.02;
constexpr double end_of_sweep = 1.5;
constexpr double first_work = 1.0 / 16;
constexpr double growth = 1.5;

}  // namespace

double overhead_s(const step_times& rank) noexcept {
  return rank.start_s + rank.tests_s + rank.wait_s;
}

double overhead_percent(std::span<const step_times> ranks) {
  double sum = 0;
  for (const step_times& rank : ranks) sum += overhead_s(rank);
  return 100 * sum / static_cast<double>(ranks.size()) / mean(ranks, &step_times::blocking_s);
}

double osu_overlap_percent(std::span<const step_times> ranks) {
  const double without_work_s =
      mean(ranks, &step_times::overall_s) - mean(ranks, &step_times::working_s);
  return std::max(0.0, 100 - 100 * without_work_s / mean(ranks, &step_times::pure_s));
}

double imb_documents_percent(std::span<const step_times> ranks) {
  const imb_times t = imb_times_of(ranks);
  return percent(t.hidden_s, std::min(t.pure_s, t.cpu_s));
}

double imb_code_percent(std::span<const step_times> ranks) {
  const imb_times t = imb_times_of(ranks);
  return percent(t.hidden_s, std::max(t.pure_s, t.cpu_s));
}

double confirmed_overlap_percent(std::span<const step_times> ranks) {
  const double communication_s =
      std::min(slowest(ranks, &step_times::blocking_s), slowest(ranks, &step_times::pure_s));
  const double hidden_s = communication_s + slowest(ranks, &step_times::computation_s) -
                          slowest(ranks, &step_times::overall_s);
  return std::min(100.0, 100 * hidden_s / communication_s);
}

double attainable_overlap_percent(double communication_s, double computation_s,
                                  double transport_cpu_s) {
  const double step_s = attainable_s({computation_s, communication_s, transport_cpu_s});
  return std::min(100.0, 100 * (communication_s + computation_s - step_s) / communication_s);
}

void work_sweep::add(double iteration_s) {
  if (count_ == 0) first_s_ = iteration_s;
  in_base_ = in_base_ && iteration_s < base_tolerance * first_s_;
  if (in_base_) {
    base_sum_s_ += iteration_s;
    base_count_ += 1;
  }
  last_s_ = iteration_s;
  ++count_;
}

double work_sweep::next_work_s() const noexcept {
  if (count_ == 0) return 0;
  return first_s_ * first_work * std::pow(growth, count_ - 1);
}

bool work_sweep::done() const noexcept {
  return count_ > 1 && last_s_ > end_of_sweep * base_s();
}

double availability_percent(double base_s, double iteration_s, double work_s) {
  return 100 * (1 - (iteration_s - work_s) / base_s);
}

}  // namespace plait::measure
