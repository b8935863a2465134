// SPDX-License-Identifier: BSD-3-Clause
/// Compared runs take turns (A B C A B C …), so that a slow phase of the machine hits all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

namespace plait::measure {

/// One of the things that take turns.  What is empty is skipped.
struct contestant {
  std::string label;
  /// Whether this rank does.  One that does not prepares and finishes with the others, and sleeps
  /// while they run.
  bool takes_part = true;
  std::function<void(int round)> prepare;  ///< not timed
  std::function<void()> run;               ///< timed, after a barrier
  /// Not timed.  `total_s`: the run's time, maximum over ranks that take part, the same on every
  /// rank.
  std::function<void(int round, double total_s)> finish;
};

/// The round before those that count.
inline constexpr int warm_up = -1;

/// Lines for whoever shows progress, on standard error of rank 0:
/// `@progress {"done":3,"total":20,"label":"base 1/5"}`.
class progress_lines {
 public:
  progress_lines(const environment& env, bool on, int total);
  void step(const std::string& label);

 private:
  bool on_;
  int total_;
  int done_ = 0;
};

/// One warm-up round, then `repeat` rounds.  Collective.
void take_turns(environment& env, const std::vector<contestant>& contestants, int repeat,
                progress_lines& progress);

/// One turn of one contestant.  Collective.
void take_turn(environment& env, const contestant& one, int round);

}  // namespace plait::measure
