// SPDX-License-Identifier: BSD-3-Clause
/// Joins the parts of a runtime: the engine, the scheduler, and who is told of events.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <plait/comm/environment.hpp>
#include <plait/core/error.hpp>
#include <plait/model/staged.hpp>
#include <plait/runtime/runtime.hpp>

#include "runtime/collectives/collective_schedules.hpp"
#include "runtime/collectives/prepared_call.hpp"
#include "runtime/devices.hpp"
#include "runtime/end_of_run.hpp"
#include "runtime/engine_source.hpp"
#include "runtime/task_suspender.hpp"
#include "runtime/written/recorder.hpp"

namespace plait {

/// Says of which collective calls ranks compare the sizes they name.
enum class size_comparison : char { none = 'n', some = 's', all = 'a' };

/// Choices of rank 0 that all ranks follow.
struct agreement {
  size_comparison sizes;  ///< for all must leave out the same messages; the first byte, and no 'e'
  std::optional<model::parameters> network = {};
  model::staged_way way;  ///< of messages between devices, which both ends cut alike
};

/// Returns rank 0's on every rank.  Collective.  Errors: usage_error, the same on every rank.
[[nodiscard]] inline agreement agreed_on(environment& env, const runtime_options& options,
                                         copy_cost bus) {
  agreement own{.sizes = !options.compare_sizes  ? size_comparison::none
                         : options.tasks.checked ? size_comparison::all
                                                 : size_comparison::some,
                .way = {.copy_latency_s = bus.latency_s, .copy_per_byte_s = bus.per_byte_s}};
  static_assert(std::is_trivially_copyable_v<agreement>);
  std::string bytes;
  try {
    if (env.rank() == 0) own.network = named_network(options.network);
    own.way.network = own.network.value_or(model::usual_network());
    bytes.assign(reinterpret_cast<const char*>(&own), sizeof own);
  } catch (const usage_error& refused) {  // the others wait for an answer
    bytes = std::string("e") + refused.what();
  }
  bytes = env.broadcast(bytes);
  if (bytes[0] == 'e') throw usage_error(bytes.substr(1));
  std::memcpy(static_cast<void*>(&own), bytes.data(), sizeof own);
  return own;
}

struct runtime_state {
  /// Precondition: `options` are settled.
  runtime_state(environment& env_, const runtime_options& options)
      : runtime_state(env_, options, {options.devices, env_}) {}
  runtime_state(environment& env_, const runtime_options& options, found_devices found)
      : env(env_),
        messages(env_, options.engine),
        source(messages, options.tasks.oversubscribed),
        checked(options.tasks.checked),
        stall_aborts(options.stall_aborts),
        stall_sink(options.stall_sink),
        agreed(agreed_on(env_, options, found.bus())),
        schedules(agreed.network),
        devices(found.take(), tasks, [this](ticks when) { return messages.in_flight_until(when); }),
        tasks(joined_to_messages(options.tasks)) {
    // MPI writes what other tasks wait for.
    if (checked) mpi_token::watch(&scheduler::pause_checks);
    if (blocking_calls::linked) suspender.emplace(messages, tasks, record);
  }

  [[nodiscard]] scheduler_options joined_to_messages(scheduler_options how) {
    how.progress = &source;
    how.settle = [this] { devices.settle(); };
    how.stalled = [this](const stall& found) { report(found); };
    return how;
  }

  void report(const stall& found);

  // What environment variables ask for; see end_of_run.hpp.
  void begin_keeping() {
    kept = end_of_run::of(env);
    if (kept == nullptr) return;
    place = kept->add_runtime(tasks.workers(), messages.chosen());
    if (kept->wants_recorder()) start_recording(&kept->budget());
  }
  void keep_ledger() {
    if (kept != nullptr) kept->add(tasks.ledger());
  }
  void keep_events() {
    devices.observe({});
    if (kept != nullptr && record.has_value()) kept->add(place, *record, !program_traces);
  }
  void start_recording(trace_budget* budget) {
    record.emplace(env.rank(), tasks.workers(), budget,
                   kept != nullptr && kept->wants_dependences());
    messages.want_exact_times(true);
    tasks.observe(&*record);
    devices.observe([this](const device& on, device_queue queue, const char* task, ticks begin,
                           ticks end) { record->device_ran(on, queue, task, begin, end); });
  }
  void stop_recording() {
    tasks.observe(nullptr);
    devices.observe({});
    messages.want_exact_times(false);
    record.reset();
  }

  /// Lets the proxy run short tasks after its looks, if there is a proxy.  All workers may be in
  /// long tasks when the proxy completes what a short one waits for, or when a source that was
  /// added is to be polled.
  void let_proxy_help() {
    messages.serve_owner(&tasks);
    if (!messages.chosen().proxy) return;
    tasks.add_helper("proxy", [this] { messages.wake_proxy(); });
    messages.beside_looks([this] { return tasks.help_and_poll(); });
    messages.after_looks([this] {
      while (tasks.help()) continue;
    });
  }

  /// Errors: `error` when a failure has ended it.
  void expect_communication() {
    if (!messages.cancelled()) return;
    tasks.wait();  // rethrows the failure, if nobody has seen it yet
    throw error("communication was given up when a task failed; make a new runtime");
  }

  environment& env;
  engine messages;
  engine_source source;
  const bool checked;
  const bool stall_aborts;
  const std::function<void(const std::string&)> stall_sink;
  prepared_calls calls;  ///< of collectives; nodes of tasks refer to them
  const agreement agreed;
  collective_schedules schedules;
  joined_devices devices;  ///< settled by the end of tasks
  scheduler tasks;
  std::optional<recorder> record;
  std::optional<task_suspender> suspender;
  bool program_traces = false;
  std::shared_ptr<end_of_run> kept;
  std::size_t place = 0;  ///< in `kept`
  submitter submits{*this};
};

}  // namespace plait
