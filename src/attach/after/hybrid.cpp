// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/hybrid.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "attach/after/analysis.hpp"

namespace plait::attach {

void thread_times::add(const thread_times& other) noexcept {
  threads += other.threads;
  teams += other.teams;
  for (double thread_times::*one :
       {&thread_times::useful_s, &thread_times::mpi_s, &thread_times::unequal_s,
        &thread_times::scheduling_s, &thread_times::serial_s}) {
    this->*one += other.*one;
  }
}

thread_times thread_times_of(const profile_header& h) noexcept {
  const team_sums& sums = h.teams;
  thread_times of;
  of.threads = sums.largest;
  of.teams = sums.teams;
  if (sums.largest == 0) return of;
  const auto in_seconds = [&](ticks time) {
    return static_cast<double>(std::max<ticks>(0, time)) * h.seconds_per_tick;
  };
  const ticks mpi_outside = h.in_mpi - sums.own_mpi;
  const ticks serial = h.end - h.begin - sums.time - mpi_outside;
  of.useful_s = in_seconds(sums.busy - sums.mpi + serial);
  of.mpi_s = in_seconds(sums.mpi + sums.largest * mpi_outside);
  of.unequal_s = in_seconds(sums.unequal);
  of.scheduling_s = in_seconds(sums.scheduling);
  of.serial_s = in_seconds((sums.largest - 1) * serial + sums.largest * sums.time - sums.capacity);
  return of;
}

namespace {

[[nodiscard]] double part_of(double part, double whole) noexcept {
  return whole > 0 ? part / whole : 1;
}

/// Time outside MPI, and threads, of a rank or a node.
struct outside_mpi {
  double seconds = 0;
  int threads = 0;
  void add(const outside_mpi& other) noexcept {
    seconds += other.seconds;
    threads += other.threads;
  }
  [[nodiscard]] double of_a_thread() const noexcept { return part_of(seconds, threads); }
};

/// A rank that has formed no team has one thread.
[[nodiscard]] outside_mpi of_rank(const rank_result& one) noexcept {
  const thread_times& t = one.openmp;
  if (t.threads == 0) return {one.compute_s, 1};
  return {t.all_s() - t.mpi_s, t.threads};
}

}  // namespace

thread_times sum_of_threads(const std::vector<rank_result>& ranks) noexcept {
  thread_times all;
  bool has_teams = false;
  for (const rank_result& one : ranks) has_teams = has_teams || one.openmp.threads > 1;
  if (!has_teams) return all;
  for (const rank_result& one : ranks) {
    thread_times alone;
    alone.threads = 1;
    alone.useful_s = one.compute_s;
    alone.mpi_s = one.mpi_s;
    all.add(one.openmp.threads == 0 ? alone : one.openmp);
  }
  return all;
}

hybrid_metrics hybrid_of(const std::vector<rank_result>& ranks, const thread_times& all,
                         double wall_s) {
  outside_mpi job;
  double most_s = 0;
  std::map<std::string, outside_mpi> nodes;
  for (const rank_result& one : ranks) {
    const outside_mpi rank = of_rank(one);
    job.add(rank);
    nodes[one.host].add(rank);
    most_s = std::max(most_s, rank.of_a_thread());
  }
  double most_of_node_s = 0;
  for (const auto& [host, node] : nodes) {
    most_of_node_s = std::max(most_of_node_s, node.of_a_thread());
  }
  hybrid_metrics of;
  of.mpi = part_of(job.of_a_thread(), wall_s);
  of.mpi_communication = part_of(most_s, wall_s);
  of.mpi_load_balance = part_of(job.of_a_thread(), most_s);
  of.mpi_balance_within = part_of(most_of_node_s, most_s);
  of.mpi_balance_between = part_of(job.of_a_thread(), most_of_node_s);
  const double with_serial_s = all.useful_s + all.serial_s;
  const double with_unequal_s = with_serial_s + all.unequal_s;
  of.openmp_serial = part_of(all.useful_s, with_serial_s);
  of.openmp_load_balance = part_of(with_serial_s, with_unequal_s);
  of.openmp_scheduling = part_of(with_unequal_s, with_unequal_s + all.scheduling_s);
  of.openmp = part_of(all.useful_s, with_unequal_s + all.scheduling_s);
  of.parallel = of.mpi * of.openmp;
  return of;
}

}  // namespace plait::attach
