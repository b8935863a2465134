// SPDX-License-Identifier: BSD-3-Clause
#include "timeline.hpp"

namespace plait::measure {

namespace {

event_kind kind_of(activity what) noexcept {
  static_assert(static_cast<int>(event_kind::compute) == static_cast<int>(activity::compute));
  static_assert(static_cast<int>(event_kind::posting) == static_cast<int>(activity::posting));
  static_assert(static_cast<int>(event_kind::exposed) == static_cast<int>(activity::exposed));
  static_assert(static_cast<int>(event_kind::overhead) == static_cast<int>(activity::overhead));
  static_assert(static_cast<int>(event_kind::idle) == static_cast<int>(activity::idle));
  return what == activity::on_hold ? event_kind::idle : static_cast<event_kind>(what);
}

}  // namespace

void stopwatch::start() noexcept {
  sums_ = {};
  events_.clear();
  recording_ = false;
  began_ = last_ = now_ticks();
}

void stopwatch::begin_step(int step, const step_range& recorded) noexcept {
  recording_ = recorded.contains(step);
  if (step == recorded.first) recorded_from_ = now_ticks();
}

void stopwatch::lap(activity what, const char* name) {
  const ticks now = now_ticks();
  sums_[static_cast<std::size_t>(what)] += now - last_;
  if (recording_)
    events_.push_back({.lane = "worker 0",
                       .name = name,
                       .kind = kind_of(what),
                       .begin_s = ticks_to_seconds(last_),
                       .end_s = ticks_to_seconds(now)});
  last_ = now;
}

void stopwatch::add_message(std::string name, const message_side& side, ticks posted,
                            ticks completed) {
  events_.push_back({.lane = "messages",
                     .name = std::move(name),
                     .kind = event_kind::message,
                     .begin_s = ticks_to_seconds(posted),
                     .end_s = ticks_to_seconds(completed),
                     .message = side});
}

const ledger_entry& stopwatch::stop() noexcept {
  const ticks now = now_ticks();
  const auto seconds = [&](activity what) {
    return ticks_to_seconds(sums_[static_cast<std::size_t>(what)]);
  };
  ledger_entry& result = account_;
  result = {};
  result.compute_s = seconds(activity::compute);
  result.posting_s = seconds(activity::posting);
  result.exposed_s = seconds(activity::exposed);
  result.overhead_s = seconds(activity::overhead) + ticks_to_seconds(now - last_);
  result.idle_s = seconds(activity::idle);
  result.wall_s = ticks_to_seconds(now - began_);
  return result;
}

run_report stopwatch::report() {
  run_report result;
  result.ledger = {account_};
  result.events = std::move(events_);
  result.recorded_from_s = ticks_to_seconds(recorded_from_);
  return result;
}

}  // namespace plait::measure
