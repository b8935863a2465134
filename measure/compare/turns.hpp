// SPDX-License-Identifier: BSD-3-Clause
/// Compared runs take turns (A B C A B C …), so that a slow phase of the machine hits all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

namespace plait::measure {

/// The round before those that count.
inline constexpr int warm_up = -1;

/// One of the things that take turns.
struct turn {
  std::string label;
  std::function<void(int round)> take;
};

struct repetition_options {
  int repeat = 5;
  bool progress = false;  ///< `@progress {…}` lines on standard error
  bool warm_up = false;   ///< one round before those that count
  std::function<void()> after_warm_up = {};
};

/// Takes the turns of each round: the round `warm_up` where it is wanted, then 0 to `repeat` - 1.
/// Collective where the turns are.
void take_turns(const std::vector<turn>& turns, const repetition_options& options);

/// Lines for whoever shows progress, on standard error:
/// `@progress {"done":3,"total":20,"label":"base 1/5"}`.
class progress_lines {
 public:
  progress_lines(bool on, int total) : on_(on), total_(total) {}
  void step(const std::string& label);

 private:
  bool on_;
  int total_;
  int done_ = 0;
};

/// A run of all ranks that is timed.  What is empty is skipped.
struct timed_run {
  std::string name = "run";  ///< of the region that `plait attach` sees while it is timed
  /// Says whether this rank runs it.  One that does not prepares and finishes with the others, and
  /// sleeps while they run.
  bool takes_part = true;
  std::function<void(int round)> prepare;  ///< not timed
  std::function<void()> run;               ///< timed, after a barrier
  /// Not timed.  `total_s`: the run's time, maximum over ranks that take part, the same on every
  /// rank.
  std::function<void(int round, double total_s)> finish;
};

/// Prepares, runs and finishes.  Collective.
void run_timed(environment& env, const timed_run& one, int round);

}  // namespace plait::measure
