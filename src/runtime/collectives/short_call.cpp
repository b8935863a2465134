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

/// Returns whether the later of two actions waits for the other.
[[nodiscard]] bool conflict(const action& a, const action& b) noexcept {
  const auto share = [](const collective::slice& one, const collective::slice& other) {
    return one.where == other.where && one.begin < other.end && other.begin < one.end;
  };
  return share(a.to, b.to) || share(a.to, b.from) || share(a.from, b.to);
}

}  // namespace

bool short_call::suits(const collective::schedule& steps) noexcept {
  return steps.actions.size() <= most_steps &&
         std::ranges::all_of(steps.actions, [](const action& one) {
           return one.from.size() <= most_bytes && one.to.size() <= most_bytes;
         });
}

short_call::short_call(runtime_state& home, const collective::schedule& steps,
                       const operation& messages, schedule_memory memory, const accesses& touched,
                       std::shared_ptr<collective_agreement> agreement)
    : begun_operation{[](begun_operation& self) noexcept {
                        auto& call = static_cast<short_call&>(self);
                        if (call.open_.load(std::memory_order_acquire) != (all_begun | with_node))
                          return false;
                        return call.end(), true;
                      },
                      [](begun_operation& self) { static_cast<short_call&>(self).submit_node(); }},
      home_(home),
      shown_(messages),
      count_(steps.actions.size()),
      steps_(std::make_unique<step[]>(count_)),
      touched_(touched),
      agreement_(std::move(agreement)) {
  static_assert(most_steps <= 61, "a bit each, beside the three others");
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
    one.completed = &completed;
    if (sends || from.what == action::kind::receive) {
      one.bit = std::uint64_t{1} << i;
      messages_ |= one.bit;
    } else {
      one.from = reinterpret_cast<const std::byte*>(memory.of(from.from).begin);
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (conflict(steps.actions[before], from)) one.waits_for |= steps_[before].bit;
    }
  }
}

void short_call::submit(task_name name, const std::shared_ptr<const combine_bytes>& combine,
                        const communicator& among, bool may_begin,
                        std::unique_lock<engine>&& together) {
  shown_.name = name.c_str();
  combine_ = combine;
  for (step& one : std::span(steps_.get(), count_)) {
    if (one.bit == 0) continue;
    one.name = shown_.name;
    if (one.via != nullptr) {
      one.sequence = one.via->take_sequences(1);
    } else {
      home_.messages.enqueue(one, among);
      shown_.via = one.via;
    }
  }
  next_ = 0;
  over_ = 0;
  open_.store(messages_ | with_node, std::memory_order_relaxed);
  is_free_.store(false, std::memory_order_relaxed);
  node_ = nullptr;
  has_begun_ = false;
  const auto ends_at_once = [this] {
    has_begun_ = true;
    if (!go_on()) return false;
    if ((open_.load(std::memory_order_acquire) & ~over_) == with_node) return true;
    all_have_begun();
    return false;
  };
  if (may_begin && home_.tasks.start_without_node(touched_.first, ends_at_once)) return end();
  if (has_begun_) return home_.tasks.follow(*this);
  if (together.owns_lock()) together.unlock();  // to submit may wait for room
  submit_node();
}

void short_call::submit_node() {
  scheduler& tasks = home_.tasks;
  detail::task_node& node =
      tasks.allocate(task_name::of(shown_.name), detail::node_kind::asynchronous);
  ::new (static_cast<void*>(node.storage)) short_call*(this);
  node.act = &act;
  node_ = &node;
  tasks.add_access(node, touched_.first, access_mode::in);
  tasks.add_access(node, touched_.second, access_mode::inout);
  tasks.submit(node);
}

/// Leaves the end of the call to who clears the last bit, if there is one.
void short_call::all_have_begun() noexcept {
  const std::uint64_t over = over_;  // whoever clears the last bit may begin another call
  std::uint64_t open = open_.load(std::memory_order_acquire);
  while (!open_.compare_exchange_weak(open, (open & ~over) | all_begun, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
  }
  if ((open & ~over) == 0) end();
}

void short_call::let_go_of_node() noexcept {
  if (open_.fetch_and(~with_node, std::memory_order_acq_rel) == (all_begun | with_node)) end();
}

/// Returns false if the step is over at once.  After a failure nothing is sent or combined any
/// more.
[[gnu::always_inline]] inline bool short_call::start(step& one) noexcept {
  if (home_.tasks.failed()) return false;
  if (one.bit == 0) return compute(one), false;
  try {
    if (may_start_at_once(one)) {
      const auto became = home_.messages.start_at_once(one);
      if (became != engine::at_once::later) return became != engine::at_once::over;
    }
  } catch (...) {
    home_.tasks.fail(std::current_exception());
    return false;
  }
  home_.messages.post(one);
  return true;
}

/// Begins the steps in turn.  Returns false at one that waits for an earlier one: whoever clears
/// `stopped` goes on there.
bool short_call::go_on() noexcept {
  for (; next_ < count_; ++next_) {
    step& one = steps_[next_];
    const std::uint64_t waits_for = one.waits_for & ~over_;
    std::uint64_t open = waits_for != 0 ? open_.load(std::memory_order_acquire) : 0;
    while ((open & waits_for) != 0) {
      if (open_.compare_exchange_weak(open, open | stopped, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
        return false;
    }
    if (!start(one)) over_ |= one.bit;
  }
  return true;
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
  const auto& one = static_cast<const step&>(self);
  short_call& call = *one.home;
  runtime_state& home = call.home_;
  if (failure != nullptr) home.tasks.fail(failure);
  const std::uint64_t bit = one.bit;
  const std::uint64_t before = call.open_.fetch_and(~(bit | stopped), std::memory_order_acq_rel);
  if (before == (all_begun | bit)) return call.end();
  if ((before & stopped) == 0) return;
  bool goes_on = true;
  if (call.go_on()) {
    goes_on = (call.open_.load(std::memory_order_relaxed) & call.messages_ & ~call.over_) != 0;
    call.all_have_begun();
  }
  // A worker may have found nothing in flight between this step and those that it has started, and
  // sleeps.
  if (goes_on && !home.messages.chosen().proxy) home.tasks.wake_pollers();
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
  if (!has_begun_ || (open_.load(std::memory_order_relaxed) & with_node) == 0) return become_free();
  node_ = nullptr;
  let_go_of_node();
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
  if (!std::exchange(self.has_begun_, true) && self.go_on()) self.all_have_begun();
  self.let_go_of_node();
}

}  // namespace plait
