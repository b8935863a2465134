// SPDX-License-Identifier: BSD-3-Clause
/// The figures that people give for overlap, each by its owner's definition, and what wall-clock
/// time says.  Pure arithmetic; not here: measuring (the programs).
#pragma once

#include <optional>
#include <span>

namespace plait::measure {

/// One rank's mean times of a step, in seconds.  `computation_s` is all the work without
/// communication; the last five are of steps that communicate while they compute.
struct step_times {
  double blocking_s = 0;     ///< the MPI library's blocking call, nothing else
  double computation_s = 0;  ///< the work, nothing else
  double pure_s = 0;         ///< start, then wait at once
  double start_s = 0;
  double tests_s = 0;
  double wait_s = 0;
  double working_s = 0;  ///< in the work, without tests
  double overall_s = 0;  ///< start to the end of the wait
};

/// t_start + sum of t_test + t_wait: processor time that communication takes from computing.  Means
/// something with at least the blocking time of computation.  [LibNBC, libnbc-slides, slide 16]
[[nodiscard]] double overhead_s(const step_times& rank) noexcept;
/// Mean over ranks, by the mean of the blocking call, in %: 100 where nothing is hidden.
[[nodiscard]] double overhead_percent(std::span<const step_times> ranks);

/// max(0, 100 - 100 (t_overall - (t_cpu - t_test)) / t_comm), each the mean over ranks; t_comm is
/// the pure non-blocking time.  [OSU micro-benchmarks 7.4]
///
/// t_cpu - t_test is the work as it went beside communication.  A transport that slows the work
/// down so hides its cost; see `confirmed_overlap_percent`.
[[nodiscard]] double osu_overlap_percent(std::span<const step_times> ranks);

/// 100 clamp((t_pure + t_cpu - t_ovrl) / min(t_pure, t_cpu), 0, 1).  [IMB's documents]  All three
/// from the rank with the largest t_ovrl, t_pure the blocking call, t_cpu the work beside
/// communication.
[[nodiscard]] double imb_documents_percent(std::span<const step_times> ranks);
/// Returns the overlap of IMB divided by max(t_pure, t_cpu).  [IMB-NBC's code since 2018]
[[nodiscard]] double imb_code_percent(std::span<const step_times> ranks);

/// Returns what wall-clock time confirms: 100 (t_comm + t_alone - t_overall) / t_comm, each of the
/// slowest rank; t_alone is the work without communication, t_comm the shorter of the blocking call
/// and the pure non-blocking time.  At most 100; negative where the whole takes longer than one
/// after the other.
[[nodiscard]] double confirmed_overlap_percent(std::span<const step_times> ranks);

/// The most that `confirmed_overlap_percent` can be: where every core computes, a step takes at
/// least max(communication, computation + the transport's processor time).  Seconds.
[[nodiscard]] double attainable_overlap_percent(double communication_s, double computation_s,
                                                double transport_cpu_s);

/// Sweep over amounts of work behind one message, until the work no longer fits.  [SMB, the Sandia
/// micro-benchmarks' message-passing overhead test]
class work_sweep {
 public:
  /// The mean time of a step, from before posting to after waiting, with the next amount of work
  /// (see `next_work_s`) in between.  Seconds, > 0.
  void add(double iteration_s);

  /// Work to try next: none first, then a sixteenth of the base, then half as much again each time.
  [[nodiscard]] double next_work_s() const noexcept;

  /// Mean of the first steps that take less than 1.02 times the very first.
  [[nodiscard]] double base_s() const noexcept { return base_sum_s_ / base_count_; }
  /// Returns whether a step has taken more than 1.5 times the base.
  [[nodiscard]] bool done() const noexcept;
  /// The last step.
  [[nodiscard]] double iteration_s() const noexcept { return last_s_; }

 private:
  double first_s_ = 0;
  double last_s_ = 0;
  double base_sum_s_ = 0;
  double base_count_ = 0;
  int count_ = 0;
  bool in_base_ = true;
};

/// overhead = iteration - work; availability = 1 - overhead / base, in %.  `work_s`: the work of
/// the last step of the sweep, measured without communication.  [SMB]
[[nodiscard]] double availability_percent(double base_s, double iteration_s, double work_s);

}  // namespace plait::measure
