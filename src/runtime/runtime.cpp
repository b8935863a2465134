// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <plait/comm/blocking_calls.hpp>
#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/core/fair_share.hpp>
#include <plait/model/service_core.hpp>
#include <plait/runtime/runtime.hpp>

#include "device/device_state.hpp"
#include "runtime/devices.hpp"
#include "runtime/end_of_run.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/submitted_operation.hpp"
#include "runtime/task_suspender.hpp"
#include "runtime/written/recorder.hpp"
#include "runtime/written/stall_report.hpp"

namespace plait {
namespace {

void check(const runtime_options& options, int cores) {
  if (options.engine.cores < 0)
    throw usage_error("runtime_options: cores is " + std::to_string(options.engine.cores) +
                      "; it must be 0 or more");
  if (options.service == service_core::never) return;
  if (options.tasks.workers != 0)
    throw usage_error(
        "runtime_options: a service core takes the number of workers from the cores; leave workers "
        "0");
  if (options.service == service_core::always && cores < 2)
    throw usage_error("runtime_options: a service core needs 2 cores, and this rank has 1");
}

[[nodiscard]] bool gives_up_a_worker(const runtime_options& options, int cores) {
  if (options.service == service_core::always) return true;
  return options.service == service_core::where_it_pays && options.step && cores >= 2 &&
         model::forecast_service(*options.step).pays();
}

/// Returns `options` with what environment variables say, the number of workers, and what the
/// engine and the scheduler are told of each other and of the node.  Errors: usage_error for
/// options that contradict each other.
[[nodiscard]] runtime_options settled(const environment& env, runtime_options options) {
  scheduler_options& tasks = options.tasks;
  tasks.checked = scheduler::checks_accesses(tasks.checked);
  if (tasks.checked) {  // nobody else may touch the data of a task meanwhile
    if (tasks.workers > 0) tasks.workers = 1;
    options.engine.policy = progress::none;
    options.service = service_core::never;
  }
  const int share = fair_share(env.node_units(), env.node_rank());
  const int cores = options.engine.cores != 0 ? options.engine.cores : share;
  check(options, cores);
  if (tasks.workers == 0) tasks.workers = cores - (gives_up_a_worker(options, cores) ? 1 : 0);
  const auto& units = env.node_units()[static_cast<std::size_t>(env.node_rank())];
  tasks.oversubscribed = share < tasks.workers || env.node_size() > static_cast<int>(units.size());
  constexpr std::size_t usual_stack_bytes = std::size_t{1} << 20;
  if (!blocking_calls::linked) {
    tasks.task_stack_bytes = 0;
  } else if (tasks.task_stack_bytes == 0) {
    tasks.task_stack_bytes = usual_stack_bytes;
  }
  tasks.stall_report_s = stall_report_seconds(tasks.stall_report_s);
  options.engine.workers = tasks.workers;
  if (options.step) options.engine.remark = model::service_sentence(*options.step);
  return options;
}

}  // namespace

void runtime_state::report(const stall& found) {
  const std::string text = stall_report(found, messages.survey(&name_of), &operation_in);
  if (stall_sink != nullptr) {
    stall_sink(text);
  } else {
    std::fputs(plain_text(text).c_str(), stderr);  // in one piece: other ranks write too
  }
  if (!stall_aborts) return;
  constexpr double for_other_ranks_s = 1;  // they stand still too, and have something to say
  std::this_thread::sleep_for(
      std::chrono::duration<double>(std::min(for_other_ranks_s, found.quiet_s)));
  env.abort("nothing moves, and stall_aborts is set");
}

runtime::runtime(environment& env, const runtime_options& options)
    : runtime(std::make_unique<runtime_state>(env, settled(env, options))) {}

runtime::runtime(std::unique_ptr<runtime_state> self)
    : collective_calls(self->submits), one_sided_calls(self->submits), self_(std::move(self)) {
  self_->begin_keeping();
  self_->let_proxy_help();
}

runtime::~runtime() {
  self_->devices.finish();
  self_->tasks.close();
  self_->messages.after_looks(nullptr);
  self_->messages.beside_looks(nullptr);
  self_->suspender.reset();
  // A thread that has just completed the last message may still be in the scheduler's call; it
  // holds the token until it is out.
  { mpi_token_guard last_callback_is_over(self_->env.token()); }
  self_->keep_ledger();
  self_->keep_events();
}

runtime& runtime::replay(graph& recorded, std::uint64_t iterations) {
  const std::vector<operation*> messages = operations_of(recorded);
  if (!messages.empty()) self_->expect_communication();
  tasks().replay(recorded, iterations,
                 [&] { self_->messages.enqueue_repeated(messages, iterations); });
  return *this;
}

void runtime::wait() {
  self_->devices.wait();
}

const std::vector<device>& runtime::devices() const noexcept {
  return self_->devices.all();
}
device_ledger runtime::ledger(const device& of) const {
  return of.state()->times().ledger();
}
void runtime::copy_bytes(task_name name, device_span<const std::byte> from,
                         std::span<std::byte> to) {
  submit_copy(*self_, name, from, to);
}
void runtime::copy_bytes(task_name name, std::span<const std::byte> from,
                         device_span<std::byte> to) {
  submit_copy(*self_, name, from, to);
}
void runtime::copy_bytes(task_name name, device_span<const std::byte> from,
                         device_span<std::byte> to) {
  submit_copy(*self_, name, from, to);
}

plait::submitter& runtime::submitter() noexcept {
  return self_->submits;
}
scheduler& runtime::tasks() noexcept {
  return self_->tasks;
}
environment& runtime::env() noexcept {
  return self_->env;
}
int runtime::workers() const noexcept {
  return self_->tasks.workers();
}
std::size_t runtime::peak_tasks() const noexcept {
  return self_->tasks.peak_tasks();
}
plait::ledger runtime::ledger() const {
  return self_->tasks.ledger();
}
plait::ledger runtime::ledger(const plait::resource& of) const {
  return self_->tasks.ledger(of);
}
void runtime::reset_ledger() {
  self_->keep_ledger();
  self_->tasks.reset_ledger();
  for (const device& one : devices()) one.state()->times().reset();
}

const engine::choice& runtime::progress_choice() const noexcept {
  return self_->messages.chosen();
}
engine_statistics runtime::progress_statistics() const {
  return self_->messages.statistics();
}

const std::optional<model::parameters>& runtime::network() const noexcept {
  return self_->agreed.network;
}
void runtime::start_trace() {
  if (self_->record.has_value()) self_->tasks.observe(nullptr);  // the rest of dependences is told
  self_->keep_events();
  self_->program_traces = true;
  self_->start_recording(nullptr);
}

std::vector<trace_event> runtime::stop_trace() {
  runtime_state& s = *self_;
  if (!s.program_traces) return {};
  s.devices.observe({});
  auto events = s.record->events();
  s.tasks.observe(nullptr);
  s.keep_events();
  s.program_traces = false;
  s.stop_recording();
  if (s.kept != nullptr && s.kept->wants_recorder()) s.start_recording(&s.kept->budget());
  return events;
}

std::vector<trace_event> collect_events(environment& env, std::vector<trace_event> events) {
  const double offset_s = env.measure_clock_offset().offset_s;
  for (trace_event& e : events) {
    e.begin_s += offset_s;
    e.end_s += offset_s;
  }
  std::vector<trace_event> all;
  for (const std::string& packed : env.gather(pack_events(events))) {
    auto some = unpack_events(packed);
    all.insert(all.end(), std::make_move_iterator(some.begin()),
               std::make_move_iterator(some.end()));
  }
  std::stable_sort(all.begin(), all.end(), [](const trace_event& a, const trace_event& b) {
    return std::tie(a.begin_s, a.rank) < std::tie(b.begin_s, b.rank);
  });
  return all;
}

}  // namespace plait
