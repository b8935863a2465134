// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <plait/core/exception_text.hpp>
#include <plait/runtime/runtime.hpp>

#include "device/device_state.hpp"
#include "runtime/devices.hpp"
#include "runtime/end_of_run.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/settled_options.hpp"
#include "runtime/submitted_operation.hpp"
#include "runtime/written/recorder.hpp"
#include "runtime/written/stall_report.hpp"

namespace plait {

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

}  // namespace plait
