// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/core/event_count.hpp>
#include <plait/mover/mover.hpp>
#include <sched.h>

namespace plait {
namespace {

using detail::moved_message;

/// A message of the plan on its way.
struct flight : operation {
  ~flight() { engine::detach(*this); }

  const moved_message* message = nullptr;
  event_count* arrivals = nullptr;
  std::exception_ptr failure;
  /// Written by whoever holds the token, with what `failure` says; seq_cst, as `event_count` wants.
  std::atomic<bool> landed{true};
  bool seen = true;  ///< by the program, which has unpacked it
};

void land(operation& op, const std::exception_ptr& failure) noexcept {
  auto& self = static_cast<flight&>(op);
  self.failure = failure;
  event_count& arrivals = *self.arrivals;
  self.landed.store(true, std::memory_order_seq_cst);
  arrivals.notify_one();  // still there: the destructor waits for the token
}

}  // namespace

struct mover::implementation {
  implementation(move_plan plan_, engine& messages_)
      : plan(std::move(plan_)),
        parts(*plan.parts()),
        messages(messages_),
        flights(parts.receives.size() + parts.sends.size()) {
    std::size_t next = 0;
    for (const moved_message& m : parts.receives) prepare(flights[next++], m, false);
    for (const moved_message& m : parts.sends) prepare(flights[next++], m, true);
  }

  void prepare(flight& one, const moved_message& m, bool sending) {
    one.what = sending ? operation::kind::send : operation::kind::receive;
    one.of = operation::origin::move;
    one.name = m.name.c_str();
    one.peer = m.peer;
    one.buffer = m.bytes.data();
    one.size_bytes = m.bytes.size();
    one.completed = &land;
    one.message = &m;
    one.arrivals = &arrivals;
    messages.attach(one);
    all.push_back(&one);
  }

  [[nodiscard]] std::span<flight> receives() noexcept {
    return std::span(flights).first(parts.receives.size());
  }
  [[nodiscard]] std::span<flight> sends() noexcept {
    return std::span(flights).subspan(parts.receives.size());
  }

  void post(flight& one) {
    one.failure = nullptr;
    one.seen = false;
    one.landed.store(false, std::memory_order_seq_cst);
    one.sequence += one.stride;
    ++under_way;
    messages.post(one);
  }

  void copy_groups(std::uint32_t first, std::uint32_t last) const noexcept {
    for (std::uint32_t g = first; g < last; ++g) parts.run(g);
  }

  void apply_touches(bool that_need_messages) const {
    for (const detail::finishing_touch& touch : parts.touches)
      if (touch.needs_messages == that_need_messages) touch.apply();
  }

  bool take_arrivals();
  void finish();
  void drive();
  void give_up() noexcept;
  void end() noexcept;

  const move_plan plan;
  const detail::move_parts& parts;
  engine& messages;
  event_count arrivals;
  std::vector<flight> flights;  ///< receives, then sends; they stay in place
  std::vector<operation*> all;
  std::size_t under_way = 0;  ///< not seen
  bool started = false;
  const int exceptions_at_start = std::uncaught_exceptions();
  std::exception_ptr failure;
};

/// Unpacks what has come.  Returns whether anything had landed.
bool mover::implementation::take_arrivals() {
  bool some = false;
  for (flight& one : flights) {
    if (one.seen || !one.landed.load(std::memory_order_seq_cst)) continue;
    one.seen = true;
    some = true;
    --under_way;
    if (one.failure != nullptr && failure == nullptr) failure = one.failure;
    if (one.what == operation::kind::receive && failure == nullptr && !parts.adds) {
      copy_groups(one.message->first_group, one.message->last_group);
    }
  }
  return some;
}

/// After the last message.
void mover::implementation::finish() {
  started = false;
  parts.in_a_mover.store(false);
  if (failure != nullptr) std::rethrow_exception(std::exchange(failure, nullptr));
  if (messages.cancelled()) throw error("move: communication was given up on this rank");
  if (parts.adds) {
    for (const flight& one : receives())
      copy_groups(one.message->first_group, one.message->last_group);
  }
  apply_touches(true);
}

/// Something may have landed when it returns, and all has if communication was given up.  Where
/// nobody else looks, this thread does without pause.  Where a proxy does, it sleeps until it is
/// told, but for the time that the proxy, which may be asleep itself, lets pass.
void mover::implementation::drive() {
  if (messages.cancelled()) return give_up();
  if (messages.poll(true)) return;
  if (!messages.chosen().proxy) {
    sched_yield();  // on a full machine what it waits for needs the core
    return;
  }
  const auto key = arrivals.prepare();
  const bool landed = std::any_of(flights.begin(), flights.end(), [](const flight& one) {
    return !one.seen && one.landed.load(std::memory_order_seq_cst);
  });
  if (landed) {
    arrivals.cancel();
    return;
  }
  constexpr double longest_nap_s = 1e-3;
  constexpr double shortest_nap_s = 10e-6;
  const ticks next = messages.next_poll();
  const ticks nap = next == engine::never ? 0 : next - now_ticks();
  arrivals.wait(key,
                std::clamp(nap, seconds_to_ticks(shortest_nap_s), seconds_to_ticks(longest_nap_s)));
}

/// All has landed when it returns.
void mover::implementation::give_up() noexcept {
  if (messages.cancel()) return;
  // The program would free cells that messages still use.
  std::fprintf(stderr, "plait: %s: move: communication in flight cannot be given up\n",
               process_label().c_str());
  detail::abort_job();
}

void mover::implementation::end() noexcept {
  if (under_way > 0 && std::uncaught_exceptions() > exceptions_at_start) give_up();
  while (under_way > 0) {
    if (!take_arrivals()) drive();
  }
  if (started) parts.in_a_mover.store(false);
  // A thread that has just landed the last message may still be in `land`.
  messages.lock();
  messages.unlock();
}

mover::mover(move_plan plan, engine& messages)
    : self_(std::make_unique<implementation>(std::move(plan), messages)) {}

mover::mover(mover&&) noexcept = default;

mover::~mover() {
  if (self_ != nullptr) self_->end();
}

void mover::start() {
  implementation& s = *self_;
  PLAIT_EXPECTS(!s.started, "wait() for what was started before");
  if (s.messages.cancelled()) throw error("move: communication was given up on this rank");
  PLAIT_EXPECTS(!s.parts.in_a_mover.exchange(true),
                "a mover made from a copy of this plan is under way, and they share buffers");
  s.started = true;
  s.messages.enqueue_repeated(s.all, 1);
  for (flight& one : s.receives()) s.post(one);
  for (flight& one : s.sends()) {
    s.copy_groups(one.message->first_group, one.message->last_group);
    s.post(one);
  }
  s.copy_groups(s.parts.first_local, s.parts.last_local);
  s.apply_touches(false);
}

bool mover::test() {
  implementation& s = *self_;
  if (!s.started) return true;
  (void)s.messages.poll();
  if (s.messages.cancelled()) s.give_up();
  (void)s.take_arrivals();
  if (s.under_way > 0) return false;
  s.finish();
  return true;
}

void mover::wait() {
  implementation& s = *self_;
  while (s.started) {
    if (!s.take_arrivals() && s.under_way > 0) s.drive();
    if (s.under_way == 0) s.finish();
  }
}

const move_plan& mover::plan() const noexcept {
  return self_->plan;
}

}  // namespace plait
