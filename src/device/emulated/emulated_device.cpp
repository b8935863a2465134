// SPDX-License-Identifier: BSD-3-Clause
// A device that is not there: one thread for its kernels and one for each direction of copies.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <exception>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/device/emulated.hpp>
#include <sys/prctl.h>

#include "core/short_slices.hpp"
#include "device/back_end.hpp"
#include "device/device_state.hpp"

namespace plait {
namespace {

using detail::back_end;
using detail::device_listener;

/// Works on the commands of some queues, of which it takes the first that has one.
struct engine {
  explicit engine(std::initializer_list<device_queue> of) : queues(of) {}

  const std::vector<device_queue> queues;
  std::condition_variable changed;
  std::int64_t free_ns = 0;  ///< when its last command ended, as a device counts
  ticks woke = 0;            ///< and when its thread saw that
};

/// Returns the processor time of the calling thread: what a kernel's work takes, whoever else wants
/// the core.
[[nodiscard]] std::int64_t processor_ns() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

void sleep_until(std::int64_t monotonic_ns) noexcept {
  constexpr std::int64_t second = 1'000'000'000;
  timespec at{};
  at.tv_sec = monotonic_ns / second;
  at.tv_nsec = monotonic_ns % second;
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) continue;
}

/// A device does not sleep: what its threads, which do, see late is late for nobody else.  A
/// command begins, as the device counts, when it is enqueued, its waits are over and its engine is
/// free, and ends so many seconds later; a thread that wakes after that moment goes on at once.
class emulated_device final : public back_end {
 public:
  emulated_device(const emulated_options& how, int index)
      : how_(how), random_(how.seed * 64 + static_cast<std::uint64_t>(index)) {}
  ~emulated_device() override {
    {
      std::lock_guard lock(mutex_);
      ends_ = true;
    }
    for (engine& one : engines_) one.changed.notify_all();
    for (std::thread& one : threads_) one.join();
  }
  emulated_device(const emulated_device&) = delete;
  emulated_device& operator=(const emulated_device&) = delete;

  void listen(device_listener& to) override {
    listener_ = &to;
    for (engine& one : engines_) threads_.emplace_back([this, &one] { serve(one); });
  }

  [[nodiscard]] std::byte* allocate(std::size_t size_bytes) override {
    return detail::allocate_on_host(size_bytes);
  }
  void release(std::byte* memory) noexcept override { detail::release_on_host(memory); }
  [[nodiscard]] std::byte* allocate_pinned(std::size_t size_bytes) override {
    return detail::allocate_on_host(size_bytes);
  }
  void release_pinned(std::byte* memory) noexcept override { detail::release_on_host(memory); }

  [[nodiscard]] copy_cost bus() const noexcept override {
    return {how_.latency_s, 1 / how_.bus_bytes_per_s};
  }
  void copy(queue in, void* to, const void* from, std::size_t size_bytes) override {
    const double seconds = bus().latency_s + static_cast<double>(size_bytes) * bus().per_byte_s;
    work(in, seconds, [to, from, size_bytes] {
      std::copy_n(static_cast<const std::byte*>(from), size_bytes, static_cast<std::byte*>(to));
    });
  }
  void work(const queue& in, double seconds, std::function<void()> what) {
    enqueue(in.which(), {.kind = command::kinds::work,
                         .task = in.task(),
                         .seconds = seconds,
                         .what = std::move(what)});
  }
  void wait(device_queue queue, device_queue other, std::uint64_t number) override {
    enqueue(queue, {.kind = command::kinds::wait, .other = other, .number = number});
  }
  std::uint64_t mark(device_queue queue, std::unique_ptr<detail::open_turn>) override {
    std::lock_guard lock(mutex_);
    const std::uint64_t number = ++at(queue).marks;
    push(queue, {.kind = command::kinds::mark, .number = number});
    return number;
  }
  [[nodiscard]] std::uint64_t passed(device_queue queue) const noexcept override {
    return at(queue).passed.load(std::memory_order_acquire);
  }

  [[nodiscard]] std::string failure() const override {
    std::lock_guard lock(mutex_);
    return failure_;
  }
  void await(device_queue queue, std::uint64_t number) noexcept override {
    std::unique_lock lock(mutex_);
    passed_.wait(lock,
                 [&] { return passed(queue) >= number || (!failure_.empty() && running_ == 0); });
  }

 private:
  struct command {
    enum class kinds : std::uint8_t { work, wait, mark };
    kinds kind;
    const char* task = "";
    double seconds = 0;
    std::function<void()> what = {};
    device_queue other = device_queue::compute;
    std::uint64_t number = 0;
    std::int64_t enqueued_ns = 0;
  };
  struct one_queue {
    std::deque<command> commands;
    std::uint64_t marks = 0;
    std::atomic<std::uint64_t> passed{0};
    std::int64_t now_ns = 0;  ///< when what was before the first command was over
    /// When the last marks were passed.
    std::array<std::int64_t, 256> passed_ns{};

    /// Returns when a mark was passed, or for an old one something later.
    [[nodiscard]] std::int64_t& when(std::uint64_t number) noexcept {
      const std::uint64_t oldest =
          passed.load(std::memory_order_relaxed) >= passed_ns.size()
              ? passed.load(std::memory_order_relaxed) - passed_ns.size() + 1
              : 0;
      return passed_ns[std::max(number, oldest) % passed_ns.size()];
    }
  };

  [[nodiscard]] one_queue& at(device_queue queue) noexcept {
    return queues_[static_cast<std::size_t>(queue)];
  }
  [[nodiscard]] const one_queue& at(device_queue queue) const noexcept {
    return queues_[static_cast<std::size_t>(queue)];
  }

  void enqueue(device_queue queue, command one) {
    std::lock_guard lock(mutex_);
    push(queue, std::move(one));
  }
  void push(device_queue queue, command one) {
    if (!failure_.empty()) return;
    one.enqueued_ns = detail::monotonic_ns();
    one_queue& q = at(queue);
    q.commands.push_back(std::move(one));
    if (q.commands.size() == 1) of(queue).changed.notify_one();
  }

  [[nodiscard]] engine& of(device_queue queue) noexcept {
    return *std::ranges::find_if(engines_, [queue](const engine& one) {
      return std::ranges::find(one.queues, queue) != one.queues.end();
    });
  }

  /// Passes marks and waits at the head of a queue.  Returns whether a mark was among them.
  [[nodiscard]] bool pass(one_queue& q) {
    bool marks = false;
    while (!q.commands.empty()) {
      const command& head = q.commands.front();
      if (head.kind == command::kinds::work) break;
      if (head.kind == command::kinds::wait && passed(head.other) < head.number) break;
      q.now_ns = std::max(q.now_ns, head.enqueued_ns);
      if (head.kind == command::kinds::wait) {
        q.now_ns = std::max(q.now_ns, at(head.other).when(head.number));
      } else {
        q.passed.store(head.number, std::memory_order_release);
        q.when(head.number) = q.now_ns;
        marks = true;
      }
      q.commands.pop_front();
    }
    return marks;
  }
  [[nodiscard]] bool can_work(const one_queue& q) const noexcept {
    return !q.commands.empty() && q.commands.front().kind == command::kinds::work;
  }

  /// Wakes who waits for marks of a queue.
  void tell_of_marks(device_queue queue) {
    passed_.notify_all();
    for (engine& one : engines_) {
      const auto waits = [&](device_queue other) {
        const std::deque<command>& all = at(other).commands;
        return !all.empty() && all.front().kind == command::kinds::wait &&
               all.front().other == queue;
      };
      if (std::ranges::any_of(one.queues, waits)) one.changed.notify_one();
    }
  }

  void serve(engine& me) {
    ::prctl(PR_SET_TIMERSLACK, 1UL);  // ns: a device is not late by the 50 us of the default
    ask_for_short_slices();           // nor by the slice of a host thread that polls
    std::unique_lock lock(mutex_);
    while (!ends_) {
      bool marks = false;
      for (const device_queue q : me.queues) {
        if (!pass(at(q))) continue;
        marks = true;
        tell_of_marks(q);
      }
      if (marks) {
        tell_moved(lock);
        continue;
      }
      const auto next =
          std::ranges::find_if(me.queues, [this](device_queue q) { return can_work(at(q)); });
      if (next == me.queues.end()) {
        me.changed.wait(lock);
        continue;
      }
      run_first_of(*next, me, lock);
    }
  }

  void tell_moved(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    listener_->moved();
    lock.lock();
  }

  /// Drops what was enqueued, without the lock: a kernel may own something.
  void fail(const std::string& why, const char* task, std::unique_lock<std::mutex>& lock) {
    if (failure_.empty()) failure_ = why + " in '" + task + "'";
    std::array<std::deque<command>, device_queue_count> dropped;
    for (std::size_t i = 0; i < dropped.size(); ++i) dropped[i].swap(queues_[i].commands);
    lock.unlock();
    for (auto& one : dropped) one.clear();
    lock.lock();
    passed_.notify_all();
    tell_moved(lock);
  }

  void run_first_of(device_queue queue, engine& me, std::unique_lock<std::mutex>& lock) {
    one_queue& q = at(queue);
    command now = std::move(q.commands.front());
    q.commands.pop_front();
    if (how_.faults > 0 && std::bernoulli_distribution(how_.faults)(random_))
      return fail("injected fault", now.task, lock);
    double seconds = now.seconds;
    if (how_.delay_s > 0) seconds += std::uniform_real_distribution(0.0, how_.delay_s)(random_);
    const std::int64_t begin_ns = std::max({q.now_ns, now.enqueued_ns, me.free_ns});
    ++running_;
    lock.unlock();
    const std::int64_t awake_ns = detail::monotonic_ns();
    const ticks late = seconds_to_ticks(1e-9 * static_cast<double>(awake_ns - begin_ns));
    const ticks begin = std::max(now_ticks() - late, me.woke);
    listener_->began(queue, begin);
    const std::int64_t processor_then_ns = processor_ns();
    std::string why;
    try {
      if (now.what) now.what();
    } catch (...) {
      why = exception_text(std::current_exception());
    }
    now.what = nullptr;
    const std::int64_t worked_ns = processor_ns() - processor_then_ns;
    const std::int64_t end_ns =
        begin_ns + std::max(static_cast<std::int64_t>(seconds * 1e9), worked_ns);
    sleep_until(end_ns);
    me.woke = now_ticks();
    listener_->ran(queue, now.task, begin, me.woke);
    lock.lock();
    me.free_ns = q.now_ns = end_ns;
    --running_;
    if (!failure_.empty()) passed_.notify_all();
    if (!why.empty()) fail(why, now.task, lock);
  }

  const emulated_options how_;
  device_listener* listener_ = nullptr;
  mutable std::mutex mutex_;
  std::condition_variable passed_;  ///< a mark, or a failure
  std::array<one_queue, device_queue_count> queues_;
  std::array<engine, 3> engines_{engine{device_queue::urgent, device_queue::compute},
                                 engine{device_queue::to_host}, engine{device_queue::to_device}};
  std::mt19937_64 random_;
  std::string failure_;  ///< of the first command that failed
  int running_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

constexpr int most_devices = 64;

}  // namespace

std::vector<device> emulated_devices(const emulated_options& options) {
  if (options.count < 1 || options.count > most_devices || !(options.bus_bytes_per_s > 0) ||
      !(options.latency_s >= 0) || !(options.delay_s >= 0) || !(options.faults >= 0) ||
      !(options.faults <= 1)) {
    throw usage_error("emulated devices: count is 1 to " + std::to_string(most_devices) +
                      ", bus more than 0 bytes/s, latency and delay 0 s or more, faults 0 to 1");
  }
  std::vector<device> all;
  for (int i = 0; i < options.count; ++i) {
    all.emplace_back(std::make_shared<detail::device_state>(
        i, "emulated", std::make_unique<emulated_device>(options, i)));
  }
  return all;
}

emulated_options emulated_options_of(const std::string& text, const std::string& named) {
  const auto refuse = [&](const std::string& word) {
    return usage_error(named + "='" + text + "': '" + word + "' is not understood; it is " +
                       (named == "PLAIT_DEVICE" ? "cuda, hip, opencl, " : "") +
                       "emulated, or emulated:count=2,bus=1e9 with "
                       "count, bus (bytes/s), latency, delay (s), faults and seed");
  };
  constexpr std::string_view kind = "emulated";
  emulated_options options;
  if (text == kind) return options;
  if (!text.starts_with(std::string(kind) + ":")) throw refuse(text);
  std::size_t at = kind.size() + 1;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw refuse(word);
    const std::string key = word.substr(0, equals);
    std::size_t used = 0;
    double value = 0;
    try {
      value = std::stod(word.substr(equals + 1), &used);
    } catch (const std::exception&) {
      throw refuse(word);
    }
    if (used != word.size() - equals - 1) throw refuse(word);
    if (key == "bus") {
      options.bus_bytes_per_s = value;
    } else if (key == "latency") {
      options.latency_s = value;
    } else if (key == "delay") {
      options.delay_s = value;
    } else if (key == "faults") {
      options.faults = value;
    } else if (key == "count" && value >= 1 && value <= most_devices && value == int(value)) {
      options.count = static_cast<int>(value);
    } else if (key == "seed" && value >= 0 && value < 1e15) {
      options.seed = static_cast<std::uint64_t>(value);
    } else {
      throw refuse(word);
    }
    at = end + 1;
  }
  return options;
}

void emulated::launch(queue to, double seconds, std::function<void()> work) {
  auto* const here = dynamic_cast<emulated_device*>(&to.device().commands());
  PLAIT_EXPECTS(here != nullptr, "the queue is of an emulated device");
  PLAIT_EXPECTS(seconds >= 0, "a kernel takes no negative time");
  here->work(to, seconds, std::move(work));
}

}  // namespace plait
