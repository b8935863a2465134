// SPDX-License-Identifier: BSD-3-Clause
/// Ledgers and events of a whole program on rank 0, when its environment ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plait/comm/environment.hpp>
#include <plait/comm/windows_on.hpp>
#include <plait/task/ledger.hpp>
#include <plait/trace/chrome_trace.hpp>

namespace plait {

struct program_record {
  std::string program;
  std::string started_at;  ///< UTC, ISO 8601
  std::string mpi_version;
  std::string transport_settings;
  std::vector<std::string> hosts;  ///< of each rank
  int runtimes = 0;
  int workers = 0;  ///< of rank 0's first runtime, as are the next two
  std::string policy;
  std::string policy_reason;
  std::optional<window_choice> windows;  ///< of rank 0's first window
  std::vector<ledger> ledgers;           ///< of each rank, by worker, added up over its runtimes
  std::vector<ledger_entry> means;       ///< of each rank: over a runtime's workers, so added up
  std::vector<traced_run> runs;          ///< of each runtime
  std::uint64_t dropped_events = 0;

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(ledgers.size()); }
};

/// The mean over workers, or over ranks, as worker 0.
[[nodiscard]] ledger_entry mean_of(const std::vector<ledger_entry>& entries);
/// Adds the times of `one`, multiplied by `share`, to `to`, whose worker stays as it is.
void add_up(ledger_entry& to, const ledger_entry& one, double share = 1);

/// Returns the events of all ranks on rank 0, on its clock, by their beginnings; empty elsewhere.
/// `offset_s`: what rank 0's clock is ahead of this rank's.  Collective.
[[nodiscard]] std::vector<trace_event> gather_events(environment& env,
                                                     std::vector<trace_event> events,
                                                     double offset_s);

/// Consecutive events out of the middle of all runs, by their beginning.
struct timeline_stretch {
  std::vector<const trace_event*> events;
  double origin_s = 0;  ///< where the whole timeline begins
  double whole_s = 0;   ///< how long it is
  bool is_whole = true;
};
[[nodiscard]] timeline_stretch middle_of(const std::vector<traced_run>& runs, std::size_t most);

}  // namespace plait
