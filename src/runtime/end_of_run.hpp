// SPDX-License-Identifier: BSD-3-Clause
/// The data that PLAIT_LEDGER, PLAIT_TRACE, PLAIT_REPORT, PLAIT_RESULT and PLAIT_RECORD ask a
/// program for: kept while its runtimes live, written when the environment ends, by rank 0 all but
/// recordings, of which each rank writes its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <plait/comm/engine.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/windows_on.hpp>
#include <plait/task/ledger.hpp>

#include "runtime/written/program_record.hpp"
#include "runtime/written/program_recording.hpp"
#include "runtime/written/trace_budget.hpp"

namespace plait {

class recorder;

/// One an environment.  Main thread.
class end_of_run {
 public:
  struct wishes {
    bool ledger = false;
    bool events = false;
    std::string recording = {};  ///< folder; empty: not asked for
    // Rank 0's; empty: not asked for.
    std::string trace = {};
    std::string report = {};
    std::string result = {};
    std::size_t most_events = 200'000;  ///< of all ranks
  };

  /// Null if nothing is asked for, by rank 0's variables.  The first call for an environment is
  /// collective.  Ends the job, with one line and exit code 2, where a variable is wrong or names a
  /// file that cannot be written.
  [[nodiscard]] static std::shared_ptr<end_of_run> of(environment& env);

  end_of_run(environment& env, wishes wanted);

  [[nodiscard]] bool wants_recorder() const noexcept { return wanted_.events || recording_; }
  [[nodiscard]] bool wants_dependences() const noexcept { return recording_.has_value(); }
  [[nodiscard]] trace_budget& budget() noexcept { return budget_; }
  /// Returns the recording, or null.
  [[nodiscard]] program_recording* recording() noexcept {
    return recording_.has_value() ? &*recording_ : nullptr;
  }

  /// Returns the place of a new runtime.
  [[nodiscard]] std::size_t add_runtime(int workers, const engine::choice& policy);
  /// Notes what a window runs on; that of the first one is told.
  void add_window(const window_choice& chosen);
  void add(const ledger& workers);
  /// Adds the events that `from` has recorded of a runtime.  Without a budget, as many as there is
  /// room for.
  void add(std::size_t runtime, const recorder& from, bool had_budget);

 private:
  /// Collective.
  void finish() noexcept;
  void gather_and_write();

  environment& env_;
  const wishes wanted_;
  trace_budget budget_;      ///< of recorders
  trace_budget trace_room_;  ///< of the trace, beside a recording
  program_record record_;    ///< this rank's part, on rank 0 in the end of all
  ledger ledger_;
  ledger_entry mean_;
  std::optional<program_recording> recording_;
};

}  // namespace plait
