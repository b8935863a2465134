// SPDX-License-Identifier: BSD-3-Clause
/// The windows that an engine serves, and this rank's operations on them.  Runs in the holder of
/// the token.
#pragma once

#include <cstddef>
#include <vector>

#include <plait/comm/served_window.hpp>

#include "comm/engine/completer.hpp"

namespace plait {

/// Holder of the token only.
class served_windows {
 public:
  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
  /// Operations on windows that were started and have not completed.
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
  [[nodiscard]] const std::vector<served_window*>& list() const noexcept { return list_; }

  void add(served_window& window) { list_.push_back(&window); }
  /// Returns whether it was served.
  [[nodiscard]] bool remove(served_window& window) { return std::erase(list_, &window) > 0; }

  /// Starts `op`.  Returns what has completed by then, `op` itself perhaps: for `end`.
  [[nodiscard]] one_sided_service::finished_list start(operation& op);
  void end(const one_sided_service::finished_list& done, completer& tell) {
    in_flight_ -= done.size();
    for (const auto& [op, failure] : done) tell.complete(*op, failure);
  }
  /// Answers other ranks, and ends what has completed.  Returns whether anything moved.
  [[nodiscard]] bool look(completer& tell) { return !list_.empty() && look_at_all(tell); }
  /// After a failure.
  void give_up(completer& tell);
  void abandon(served_window& window, completer& tell);

 private:
  [[nodiscard]] bool look_at_all(completer& tell);

  std::vector<served_window*> list_;
  std::size_t in_flight_ = 0;
};

}  // namespace plait
