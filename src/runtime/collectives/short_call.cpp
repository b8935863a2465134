// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collectives/short_call.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <plait/core/exception_text.hpp>

#include "comm/matching/channel.hpp"
#include "runtime/collectives/collective_agreement.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/scratch.hpp"

namespace plait {
namespace {

using collective::action;

[[nodiscard]] bool is_message(action::kind what) noexcept {
  return what == action::kind::send || what == action::kind::receive;
}

/// Lowers a count of which each of its holders lowers one.  Returns whether it was the last: if so
/// nobody else touches the count, and it needs no locked instruction.
[[nodiscard]] bool lower(std::atomic<std::int32_t>& count) noexcept {
  if (count.load(std::memory_order_acquire) == 1) return true;
  return count.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

/// Returns whether the later of two actions waits for the other.
[[nodiscard]] bool conflict(const action& a, const action& b) noexcept {
  const auto share = [](const collective::slice& one, const collective::slice& other) {
    return one.where == other.where && one.begin < other.end && other.begin < one.end;
  };
  const auto writes = [](const action& one) { return one.what != action::kind::send; };
  const auto reads = [](const action& one) { return one.what != action::kind::receive; };
  return (writes(a) && writes(b) && share(a.to, b.to)) ||
         (writes(a) && reads(b) && share(a.to, b.from)) ||
         (reads(a) && writes(b) && share(a.from, b.to));
}

}  // namespace

bool short_call::suits(const collective::schedule& steps) noexcept {
  return steps.actions.size() <= most_steps &&
         std::ranges::all_of(steps.actions, [](const action& one) {
           return one.from.size() <= most_bytes && one.to.size() <= most_bytes;
         });
}

short_call::short_call(runtime_state& home, const collective::schedule& steps,
                       const operation& messages, schedule_memory memory,
                       std::shared_ptr<collective_agreement> agreement)
    : home_(home),
      shown_(messages),
      count_(steps.actions.size()),
      steps_(std::make_unique<step[]>(count_)),
      agreement_(std::move(agreement)) {
  if (steps.scratch_bytes > 0) scratch_ = make_scratch(steps.scratch_bytes);
  memory.scratch = reinterpret_cast<std::uintptr_t>(scratch_.get());
  shown_.what = operation::kind::collective;
  shown_.size_bytes = std::max(steps.send_bytes, steps.receive_bytes);
  for (std::size_t i = 0; i < count_; ++i) {
    const action& from = steps.actions[i];
    step& one = steps_[i];
    static_cast<operation&>(one) = messages;
    one.home = this;
    one.does = from.what;
    one.to_is_left = from.to_is_left;
    one.peer = from.peer;
    const bool sends = from.what == action::kind::send;
    one.what = sends ? operation::kind::send : operation::kind::receive;
    const byte_range bytes = memory.of(sends ? from.from : from.to);
    one.buffer = reinterpret_cast<void*>(bytes.begin);
    one.size_bytes = bytes.end - bytes.begin;
    if (!is_message(from.what))
      one.from = reinterpret_cast<const std::byte*>(memory.of(from.from).begin);
    one.completed = &completed;
  }
  connect(steps);
}

/// Steps wait for those that they conflict with, unless others say so for them.
void short_call::connect(const collective::schedule& steps) {
  static_assert(most_steps <= 64);
  std::vector<std::uint64_t> before(count_);  // of each step, by bits: all that come before it
  for (std::size_t later = 0; later < count_; ++later) {
    for (std::size_t i = later; i-- > 0;) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if ((before[later] & bit) != 0 || !conflict(steps.actions[i], steps.actions[later])) continue;
      before[later] |= before[i] | bit;
      steps_[i].successors.push_back(&steps_[later]);
      ++steps_[later].predecessors;
    }
  }
}

void short_call::take_places(const communicator& among) {
  for (step& one : std::span(steps_.get(), count_)) {
    one.unmet.store(one.predecessors, std::memory_order_relaxed);
    if (!is_message(one.does)) continue;
    one.name = shown_.name;
    if (one.via != nullptr) {
      one.sequence = one.via->take_sequences(1);
    } else {
      home_.messages.enqueue(one, among);
      shown_.via = one.via;
    }
  }
}

void short_call::submit(const description& call, const communicator& among) {
  scheduler& tasks = home_.tasks;
  shown_.name = call.name.c_str();
  combine_ = call.combine;
  take_places(among);
  left_.store(static_cast<std::int32_t>(count_) + 1, std::memory_order_relaxed);
  is_free_.store(false, std::memory_order_relaxed);
  node_ = nullptr;
  has_begun_ = is_with_node_ = false;
  const auto begins = [this] {
    begin();
    return left_.load(std::memory_order_acquire) == 1;
  };
  if (tasks.is_unused(call.writes) && tasks.start_without_node(call.reads, begins)) return end();

  detail::task_node& node = tasks.allocate(call.name, detail::node_kind::asynchronous);
  ::new (static_cast<void*>(node.storage)) short_call*(this);
  node.act = &act;
  node_ = &node;
  tasks.add_access(node, call.reads, access_mode::in);
  tasks.add_access(node, call.writes, access_mode::inout);
  tasks.submit(node);
}

void short_call::begin() noexcept {
  has_begun_ = true;
  for (step& one : std::span(steps_.get(), count_)) {
    if (one.predecessors == 0) start(one);
  }
}

/// After a failure nothing is sent or combined any more.
void short_call::start(step& one) noexcept {
  if (home_.tasks.failed()) return finish(one);
  if (!is_message(one.does)) {
    compute(one);
    return finish(one);
  }
  auto became = engine::at_once::later;
  try {
    if (may_start_at_once(one)) became = home_.messages.start_at_once(one, true);
  } catch (...) {
    home_.tasks.fail(std::current_exception());
    became = engine::at_once::over;
  }
  if (became == engine::at_once::over) finish(one);
  if (became == engine::at_once::later) home_.messages.post(one);
}

void short_call::compute(const step& one) noexcept try {
  if (one.does == action::kind::copy) {
    std::memcpy(one.buffer, one.from, one.size_bytes);
  } else {
    (*combine_)({one.from, one.size_bytes}, {static_cast<std::byte*>(one.buffer), one.size_bytes},
                one.to_is_left);
  }
} catch (...) {
  const auto failure = std::current_exception();
  note_origin(failure, std::string("task '") + shown_.name + "'");
  home_.tasks.fail(failure);
}

void short_call::completed(operation& self, const std::exception_ptr& failure) noexcept {
  auto& one = static_cast<step&>(self);
  runtime_state& home = one.home->home_;
  if (failure != nullptr) home.tasks.fail(failure);
  one.home->finish(one);
  // A worker may have found nothing in flight between this step and those that it has started, and
  // sleeps.
  if (!home.messages.chosen().proxy) home.tasks.wake_pollers();
}

void short_call::finish(step& one) noexcept {
  for (step* next : one.successors) {
    if (lower(next->unmet)) start(*next);
  }
  let_go_of_one();
}

void short_call::let_go_of_one() noexcept {
  if (lower(left_)) end();
}

/// Nobody else knows the call any more, but for its node.
void short_call::end() noexcept {
  if (agreement_ != nullptr && !home_.tasks.failed()) {
    if (const auto failure = agreement_->verdict(task_name::of(shown_.name)))
      home_.tasks.fail(failure);
  }
  node_ != nullptr ? home_.tasks.complete(*node_) : become_free();
}

void short_call::become_free() noexcept {
  combine_ = nullptr;
  is_free_.store(true, std::memory_order_release);
}

/// One that was never started, after a failure, leaves the call to those that know it.
void short_call::forget_node() noexcept {
  if (is_with_node_) return become_free();
  node_ = nullptr;
  has_begun_ ? let_go_of_one() : become_free();
}

short_call& short_call::in(const detail::task_node& node) noexcept {
  return **std::launder(reinterpret_cast<short_call* const*>(node.storage));
}

const operation* short_call::shown(const detail::task_node& node) noexcept {
  return node.act == &act ? &in(node).shown_ : nullptr;
}

void short_call::act(detail::task_node& node, detail::node_action action) {
  short_call& self = in(node);
  if (action == detail::node_action::destroy) return self.forget_node();
  if (!self.has_begun_) self.begin();
  self.is_with_node_ = true;
  self.let_go_of_one();
}

}  // namespace plait
