// SPDX-License-Identifier: BSD-3-Clause
/// The messages of a program without its computation, in the turns of a session: how long they
/// take, and what the transport takes from the processor meanwhile.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/compare/turns.hpp"

namespace plait::measure {

/// The messages of `base`, and nothing else; also beside work, to see what they take from it.
struct communication_alone {
  /// Says whether this rank has some.  Where it is false, none of the functions is called.
  bool takes_part = true;
  std::function<void()> prepare;  ///< before either
  std::function<void()> run;      ///< as many exchanges as a run of `base` has
  int exchanges = 0;              ///< in a run; the same on every rank
  /// See transport_probe: one exchange that leaves the processor alone, and what is counted
  /// meanwhile.  No work: what the transport takes is not known.
  std::function<void(std::chrono::microseconds)> exchange_sparsely;
  std::function<void()> work;
};

/// Bytes that a step of this rank sends to another one.
struct sent_bytes {
  int peer = 0;
  double bytes = 0;
};

/// Returns the seconds in which the busiest host's link carries what its ranks send to other hosts
/// (`sent`: of this rank); nothing where that is nothing, or `rate` (bytes a second) is 0, not
/// known. Collective.
[[nodiscard]] std::optional<double> wire_s(environment& env, const std::vector<sent_bytes>& sent,
                                           double rate);

/// Seconds of a run.  Samples are on rank 0.
struct measured_messages {
  std::vector<double> communication_s = {};
  std::vector<double> transport_cpu_s = {};    ///< of the rank it costs most, by the cheapest look
  std::chrono::microseconds transport_look{};  ///< the interval between these looks
  /// Says what must cross the links between hosts, in seconds of the busiest host's link; none
  /// where nothing does, or the rate is not known.
  std::optional<double> wire_bound_s = {};
};

/// The two turns of some messages, and what they give.
class messages_alone {
 public:
  /// `what` and `env` outlive it.  `label`: whose messages, in a word, or empty.
  messages_alone(environment& env, const communication_alone& what, std::string label);

  /// Returns the turn that times a run of them.  It takes place before the other one.
  [[nodiscard]] turn communication();
  /// Returns the turn that measures the transport's processor time.
  [[nodiscard]] turn transport();

  /// Sums up.  `sent`: of a step, on this rank; `rate`: of a link, bytes a second, 0 = not known.
  /// Collective.
  [[nodiscard]] measured_messages found(const std::vector<sent_bytes>& sent, int steps,
                                        double rate) const;
  /// Forgets all rounds up to now.
  void forget();

 private:
  /// Says whether exchanges are long enough for it.  `run_s`: of a run of them, the same on every
  /// rank.
  [[nodiscard]] bool is_measurable(double run_s) const;

  environment& env_;
  const communication_alone& what_;
  std::string label_;
  double last_s_ = 0;
  std::vector<double> communication_s_;
  /// Of this rank, by the interval between looks.
  std::vector<std::vector<double>> transport_s_;
};

}  // namespace plait::measure
