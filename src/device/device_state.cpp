// SPDX-License-Identifier: BSD-3-Clause
#include "device/device_state.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>
#include <utility>

#include <plait/core/error.hpp>
#include <sys/mman.h>

namespace plait::detail {
namespace {

constexpr std::array all_queues{device_queue::compute, device_queue::urgent, device_queue::to_host,
                                device_queue::to_device};
constexpr std::align_val_t alignment{256};  // as of CUDA's memory

}  // namespace

device_state::device_state(int index, std::string kind, std::unique_ptr<back_end> by)
    : index_(index),
      name_(std::move(kind) + " device " + std::to_string(index)),
      by_(std::move(by)) {
  by_->listen(*this);
}

device_state::~device_state() {
  drain();
  for (const auto& [size, free] : stages_) {
    for (std::byte* const one : free) by_->release_pinned(one);
  }
}

void device_state::begin(queue_turn& turn) {
  std::array<std::uint64_t, device_queue_count> needed{};
  std::lock_guard lock(mutex_);
  if (!is_joined_) {
    throw usage_error(std::string("task '") + turn.name_ + "': " + name_ +
                      " is none of its runtime's, rt.devices()");
  }
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  for (const queue_turn::touched& t : turn.touched_) {
    if (t.memory->home.get() != this) {
      throw usage_error(std::string("task '") + turn.name_ + "' of " + name_ + " names memory of " +
                        t.memory->home->name() + ": copy it there first");
    }
    std::vector<use>& uses = uses_[t.memory];
    std::erase_if(uses, [&](const use& u) { return u.number <= by_->passed(u.queue); });
    for (const use& u : uses) {
      if (u.queue == turn.where_.which || (!u.wrote && !t.writes)) continue;
      if (u.begin >= t.end || t.begin >= u.end) continue;
      std::uint64_t& number = needed[static_cast<std::size_t>(u.queue)];
      number = std::max(number, u.number);
    }
  }
  try {
    for (const device_queue other : all_queues) {
      const std::uint64_t number = needed[static_cast<std::size_t>(other)];
      if (number != 0) by_->wait(turn.where_.which, other, number);
    }
    turn.begun_ = by_->begin(turn.to());
  } catch (const error&) {
    note_failure();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    throw;
  }
}

/// The mark is enqueued under the lock: `last` is the newest.
ended_turn device_state::end(queue_turn& turn) {
  std::lock_guard lock(mutex_);
  const std::uint64_t number = last(turn.where_.which) =
      by_->mark(turn.where_.which, std::move(turn.begun_));
  for (const queue_turn::touched& t : turn.touched_)
    note_use(uses_[t.memory], {t.begin, t.end, turn.where_.which, number, t.writes});
  return {number, is_full(turn.where_.which)};
}

/// One that follows the same in its queue stands for it.
void device_state::note_use(std::vector<use>& known, const use& added) {
  const auto before = std::ranges::find_if(known, [&](const use& u) {
    return u.begin == added.begin && u.end == added.end && u.queue == added.queue &&
           u.wrote == added.wrote;
  });
  if (before == known.end()) {
    known.push_back(added);
  } else {
    before->number = added.number;
  }
}

std::uint64_t device_state::mark(device_queue queue) {
  std::lock_guard lock(mutex_);
  return last(queue) = by_->mark(queue, nullptr);
}

/// A queue may have room that `passed` does not know of.
bool device_state::is_full(device_queue queue) {
  const std::uint64_t ahead = last(queue) - by_->passed(queue);
  if (failure_ != nullptr || ahead <= full) return false;
  return ahead > most_marks || !by_->has_done(queue, last(queue) - full);
}

void device_state::when_room(device_queue queue, std::unique_ptr<awaited> then) {
  std::uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = last(queue) - std::min(last(queue), full / 2);
  }
  when_done(queue, number, std::move(then));
}

void device_state::when_done(device_queue queue, std::uint64_t number,
                             std::unique_ptr<awaited> then) {
  std::exception_ptr why;
  {
    std::lock_guard lock(mutex_);
    if (by_->passed(queue) < number) {
      if (failure_ == nullptr) {
        waiting_.push_back({queue, number, std::move(then)});
        by_->arm(queue, number);
        return;
      }
      why = failure_;
    }
  }
  then->ended(why);
}

bool device_state::is_idle() {
  std::lock_guard lock(mutex_);
  return failure_ == nullptr && std::ranges::all_of(all_queues, [this](device_queue q) {
           return by_->passed(q) == last(q);
         });
}

bool device_state::has_failed() {
  std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

void device_state::expect_no_failure() {
  std::lock_guard lock(mutex_);
  if (failure_ == nullptr) note_failure();
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void device_state::when_idle(const std::function<std::unique_ptr<awaited>()>& make) {
  std::lock_guard lock(mutex_);
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  for (const device_queue q : all_queues) {
    if (by_->passed(q) >= last(q)) continue;
    waiting_.push_back({q, last(q), make()});
    by_->arm(q, last(q));
  }
}

void device_state::moved() noexcept {
  std::vector<waiting> ended;
  std::exception_ptr why;
  {
    std::lock_guard lock(mutex_);
    if (failure_ == nullptr) note_failure();
    why = failure_;
    const auto over = [&](const waiting& w) {
      return why != nullptr || w.number <= by_->passed(w.queue);
    };
    const auto rest = std::ranges::partition(waiting_, [&](const waiting& w) { return !over(w); });
    std::ranges::move(rest, std::back_inserter(ended));
    waiting_.erase(rest.begin(), rest.end());
    arm_again();
  }
  for (const waiting& one : ended)
    one.then->ended(one.number <= by_->passed(one.queue) ? nullptr : why);
}

/// For the first mark of each queue that somebody waits for.
void device_state::arm_again() {
  std::array<std::uint64_t, device_queue_count> first{};
  for (const waiting& one : waiting_) {
    std::uint64_t& number = first[static_cast<std::size_t>(one.queue)];
    if (number == 0 || one.number < number) number = one.number;
  }
  for (const device_queue q : all_queues) {
    const std::uint64_t number = first[static_cast<std::size_t>(q)];
    if (number != 0) by_->arm(q, number);
  }
}

void device_state::note_failure() {
  const std::string what = by_->failure();
  if (!what.empty()) failure_ = std::make_exception_ptr(error(name_ + ": " + what));
}

void device_state::ran(device_queue queue, const char* task, ticks begin, ticks end) noexcept {
  times_.ended(queue, end);
  if (task == nullptr || !is_observed()) return;
  std::lock_guard lock(mutex_);
  if (observer_) observer_(queue, task, begin, end);
}

void device_state::observe(observer told) {
  std::lock_guard lock(mutex_);
  observer_ = std::move(told);
  is_observed_.store(static_cast<bool>(observer_), std::memory_order_release);
}

std::shared_ptr<std::byte> device_state::take_stage(std::size_t size_bytes) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(size_bytes, 64));
  std::byte* memory = nullptr;
  {
    std::lock_guard lock(mutex_);
    std::vector<std::byte*>& free = stages_[size];
    if (!free.empty()) {
      memory = free.back();
      free.pop_back();
    }
  }
  if (memory == nullptr) memory = memory_or_failure([&] { return by_->allocate_pinned(size); });
  return {memory, [home = shared_from_this(), size](std::byte* back) {
            std::lock_guard lock(home->mutex_);
            home->stages_[size].push_back(back);
          }};
}

void device_state::drain() noexcept {
  std::array<std::uint64_t, device_queue_count> until{};
  {
    std::lock_guard lock(mutex_);
    until = last_;
  }
  for (const device_queue q : all_queues) by_->await(q, until[static_cast<std::size_t>(q)]);
}

void device_state::forget(const device_memory& memory) noexcept {
  std::vector<use> uses;
  {
    std::lock_guard lock(mutex_);
    const auto known = uses_.find(&memory);
    if (known == uses_.end()) return;
    uses = std::move(known->second);
    uses_.erase(known);
  }
  for (const use& one : uses) by_->await(one.queue, one.number);
}

void device_state::join() {
  std::lock_guard lock(mutex_);
  if (std::exchange(is_joined_, true))
    throw usage_error(name_ + " belongs to another runtime, which has not ended");
}

void device_state::leave() noexcept {
  std::vector<std::shared_ptr<const void>> freed;  // without the lock
  std::lock_guard lock(mutex_);
  is_joined_ = false;
  freed.swap(kept_);
}

void device_state::keep(std::shared_ptr<const void> memory) noexcept {
  std::lock_guard lock(mutex_);
  if (is_joined_) kept_.push_back(std::move(memory));
}

// --- turns -----------------------------------------------------------------------------------

queue_turn::~queue_turn() {
  if (has_begun_) static_cast<void>(where_.where->end(*this));
}

void queue_turn::begin() {
  where_.where->begin(*this);
  has_begun_ = true;
}

ended_turn queue_turn::end() {
  has_begun_ = false;
  return where_.where->end(*this);
}

void queue_turn::give_up() {
  static_cast<void>(end());
  where_.where->expect_no_failure();
}

// --- memory ----------------------------------------------------------------------------------

std::byte* allocate_on_host(std::size_t size_bytes) {
  try {
    return static_cast<std::byte*>(::operator new(size_bytes, alignment));
  } catch (const std::bad_alloc&) {
    throw error("there is no room for " + std::to_string(size_bytes) +
                " bytes of the host for a device");
  }
}
void release_on_host(std::byte* memory) noexcept {
  ::operator delete(memory, alignment);
}

std::shared_ptr<const device_memory> allocate_on(const device& where, std::size_t size_bytes) {
  const std::shared_ptr<device_state>& home = where.state();
  const std::size_t names = std::max<std::size_t>(size_bytes, 1);
  void* const name =
      ::mmap(nullptr, names, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (name == MAP_FAILED) {
    throw error(home->name() + ": no addresses for " + std::to_string(size_bytes) +
                " bytes of its memory");
  }
  const auto free = [home, name, names](const device_memory* one) {
    home->forget(*one);
    if (one->data != nullptr) home->commands().release(one->data);
    ::munmap(name, names);
    delete one;
  };
  std::shared_ptr<device_memory> made(
      new device_memory{nullptr, reinterpret_cast<std::uintptr_t>(name), home}, free);
  made->data = home->memory_or_failure([&] { return home->commands().allocate(size_bytes); });
  return made;
}

std::shared_ptr<std::byte> allocate_pinned(const device& where, std::size_t size_bytes) {
  const std::shared_ptr<device_state>& home = where.state();
  return {home->memory_or_failure([&] { return home->commands().allocate_pinned(size_bytes); }),
          [home](std::byte* memory) {
            home->drain();
            home->commands().release_pinned(memory);
          }};
}

void keep_for_tasks(device_state& home, std::shared_ptr<const void> memory) noexcept {
  home.keep(std::move(memory));
}

}  // namespace plait::detail

namespace plait {

const std::shared_ptr<detail::device_state>& device::state() const {
  PLAIT_EXPECTS(exists(), "there is a device");
  return state_;
}
int device::index() const {
  return state()->index();
}
const std::string& device::name() const {
  return state()->name();
}

}  // namespace plait
