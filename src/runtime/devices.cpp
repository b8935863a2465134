// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/devices.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <plait/comm/environment.hpp>
#include <plait/core/error.hpp>
#include <plait/device/cuda.hpp>
#include <plait/device/emulated.hpp>
#include <plait/device/opencl.hpp>
#include <plait/model/staged.hpp>
#include <plait/runtime/device_tasks.hpp>
#include <plait/runtime/staged_message.hpp>
#include <plait/task/scheduler.hpp>

#include "core/environment_variable.hpp"
#include "device/device_state.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/submitted_operation.hpp"

namespace plait {
namespace {

using detail::device_state;
using detail::noted_place;

/// Kinds of devices that a node has or has not.
struct found_kind {
  std::string_view word;
  std::vector<device> (*find)(std::size_t share, std::size_t shares);
  const char* none;
};
constexpr found_kind found_kinds[] = {
    {"cuda", &cuda_devices, "CUDA has no device here; `nvidia-smi` shows what it has"},
    {"hip", &hip_devices, "HIP has no device here; `rocminfo` shows what it has"},
    {"opencl", &opencl_devices,
     "OpenCL has no device here with shared virtual memory; `clinfo` shows what it has"}};

/// Returns the devices that the environment variable PLAIT_DEVICE asks for, or else `option`.
/// Errors: usage_error for a text that is not understood.
[[nodiscard]] std::vector<device> devices_of(const std::vector<device>& option,
                                             const environment& env) {
  const std::string text = environment_variable("PLAIT_DEVICE");
  if (text.empty()) return option;
  const auto* const kind = std::ranges::find(found_kinds, text, &found_kind::word);
  if (kind == std::end(found_kinds)) return emulated_devices(emulated_options_of(text));
  std::vector<device> found = kind->find(static_cast<std::size_t>(env.node_rank()),
                                         static_cast<std::size_t>(env.node_size()));
  if (found.empty()) throw usage_error("PLAIT_DEVICE=" + text + ": " + kind->none);
  return found;
}

/// Releases a hold when a device has come so far, or fails it.
class held_until final : public detail::awaited {
 public:
  explicit held_until(hold until) noexcept : until_(std::move(until)) {}
  void ended(const std::exception_ptr& why) noexcept override {
    why != nullptr ? until_.fail(why) : until_.release();
  }

 private:
  hold until_;
};

template <class From, class To>
void enqueue_copy(const queue& to, From from, To here) {
  to.device().commands().copy(to, here.data(), from.data(), from.size());
}

void expect_same_size(task_name name, std::size_t from, std::size_t to) {
  if (from == to) return;
  throw usage_error(std::string("copy '") + name.c_str() + "': " + std::to_string(from) +
                    " bytes are to fill " + std::to_string(to));
}

[[nodiscard]] detail::on_device queue_of(const detail::device_memory& memory, device_queue which) {
  return {memory.home.get(), which};
}

/// `host` names what the second task keeps until the copy is done.  Both name the place of the
/// copy's end: what both read of the host would not order them.  In checked mode the first task
/// keeps it, too: between the two nobody may touch it.  `OfMessage`: they follow a message, which
/// may be for long, and so do not count against the in-flight limit.
template <bool OfMessage = false, class From, class To, class Host, class... Kept>
void submit_two(runtime_state& s, task_name name, const detail::on_device& where, From from, To to,
                const Host& host, const Kept&... kept) {
  const auto count = []([[maybe_unused]] auto&& submitted) {
    if constexpr (OfMessage) submitted.uncounted();
  };
  auto end = std::make_shared<std::atomic<std::uint64_t>>(0);
  auto enqueue = [](queue to_queue, From f, To t, const Kept&...) { enqueue_copy(to_queue, f, t); };
  count(s.tasks
            .task(name, detail::enqueued_call(enqueue, name.c_str(), {end, s.checked}), where,
                  in(from), out(to), kept...)
            .also(out(*end)));
  count(s.tasks
            .task(
                name,
                [](auto&&, const detail::on_device& at, const noted_place& number, const Kept&...,
                   hold until) {
                  at.where->when_done(at.which, number->load(std::memory_order_acquire),
                                      std::make_unique<held_until>(std::move(until)));
                },
                host, where, end, kept..., held)
            .also(in(*end)));
}

/// Memory of the host that a message goes through, which lives as long as a task or a message has
/// it.
using stage = std::shared_ptr<std::byte>;
[[nodiscard]] std::span<std::byte> staged_bytes(const stage& memory, std::size_t size) {
  return {memory.get(), size};
}

/// Errors: those of a message, and usage_error in a task.
void expect_may_travel(runtime_state& s, task_name name, const operation& message,
                       const communicator& among) {
  if (s.tasks.in_task() || among.is_lane()) {
    throw usage_error(label_of(name, message) +
                      ": the memory of a device is sent by the program, not in a task");
  }
  expect_may_communicate(s, name, message, among);
}

/// Calls each(part) for parts as equal as cache lines allow, of something or of nothing.  Both ends
/// of a message cut alike.
template <class Byte, class Each>
void for_each_part(const runtime_state& s, device_span<Byte> all, int parts, const Each& each) {
  constexpr std::size_t line = 64;
  if (parts == detail::parts_by_model)
    parts = model::cheapest_parts(s.agreed.way, static_cast<double>(all.size()));
  const auto count = static_cast<std::size_t>(parts);
  const std::size_t size = ((all.size() + count - 1) / count + line - 1) / line * line;
  std::size_t first = 0;
  do {
    const std::size_t rest = std::min(size, all.size() - first);
    each(all.part(first, rest));
    first += rest;
  } while (first < all.size());
}

}  // namespace

void detail::hold_until_room(const on_device& where) {
  constexpr bool counts = true;
  where.where->when_room(where.which, std::make_unique<held_until>(hold::of_calling_task(counts)));
}

void detail::hold_until_done(const on_device& where, std::uint64_t number) {
  where.where->when_done(where.which, number,
                         std::make_unique<held_until>(hold::of_calling_task()));
}

found_devices::found_devices(const std::vector<device>& option, const environment& env) {
  try {
    all_ = devices_of(option, env);
  } catch (...) {
    refused_ = std::current_exception();
  }
}

copy_cost found_devices::bus() const noexcept {
  return all_.empty() ? usual_bus : all_.front().state()->commands().bus();
}

std::vector<device> found_devices::take() {
  if (refused_ != nullptr) std::rethrow_exception(refused_);
  return std::move(all_);
}

joined_devices::joined_devices(std::vector<device> all, scheduler& tasks,
                               const std::function<ticks(ticks)>& in_flight_until)
    : all_(std::move(all)), tasks_(tasks) {
  std::size_t joined = 0;
  try {
    for (; joined < all_.size(); ++joined) all_[joined].state()->join();
  } catch (...) {
    while (joined > 0) all_[--joined].state()->leave();
    throw;
  }
  for (const device& one : all_) one.state()->times().set_messages(in_flight_until);
}

joined_devices::~joined_devices() {
  settle();
  observe({});
  for (const device& one : all_) {
    one.state()->times().set_messages({});
    one.state()->leave();
  }
}

void joined_devices::wait() {
  tasks_.wait();
  for (const device& one : all_) {
    if (one.state()->is_idle()) continue;
    tasks_.task(
        "device",
        [](device_state* of, hold until) {
          of->when_idle([&until] { return std::make_unique<held_until>(until.another()); });
          until.release();
        },
        one.state().get(), held);
  }
  if (!all_.empty()) tasks_.wait();
}

void joined_devices::settle() noexcept {
  for (const device& one : all_) {
    one.state()->drain();
    failure_was_told_ = failure_was_told_ || one.state()->has_failed();
  }
}

void joined_devices::finish() noexcept {
  if (all_.empty() || failure_was_told_ || std::uncaught_exceptions() > exceptions_at_start_)
    return;
  try {
    wait();
  } catch (...) {
    tasks_.fail(std::current_exception());
  }
}

void joined_devices::observe(const observer& told) {
  for (const device& one : all_) {
    one.state()->observe(!told ? device_state::observer{}
                               : [told, &one](device_queue queue, const char* task, ticks begin,
                                              ticks end) { told(one, queue, task, begin, end); });
  }
}

/// Two tasks, the second of which is finished when the copy is; so the next two.
void runtime::copy_bytes(task_name name, device_span<const std::byte> from,
                         std::span<std::byte> to) {
  expect_same_size(name, from.size(), to.size());
  submit_two(*self_, name, queue_of(from.memory(), device_queue::to_host), from, to, inout(to));
}

void runtime::copy_bytes(task_name name, std::span<const std::byte> from,
                         device_span<std::byte> to) {
  expect_same_size(name, from.size(), to.size());
  submit_two(*self_, name, queue_of(to.memory(), device_queue::to_device), from, to, in(from));
}

void runtime::copy_bytes(task_name name, device_span<const std::byte> from,
                         device_span<std::byte> to) {
  expect_same_size(name, from.size(), to.size());
  if (from.memory().home == to.memory().home) {
    const detail::on_device where = queue_of(to.memory(), device_queue::compute);
    tasks().task(
        name,
        detail::enqueued_call(enqueue_copy<device_span<const std::byte>, device_span<std::byte>>,
                              name.c_str()),
        where, in(from), out(to));
    return;
  }
  const stage between = from.memory().home->take_stage(from.size());
  const std::span<std::byte> bytes = staged_bytes(between, from.size());
  submit_two(*self_, name, queue_of(from.memory(), device_queue::to_host), from, bytes,
             inout(bytes), between);
  submit_two(*self_, name, queue_of(to.memory(), device_queue::to_device),
             std::span<const std::byte>(bytes), to, in(std::span<const std::byte>(bytes)), between);
}

void detail::expect_parts(task_name name, int parts) {
  if (parts >= 0) return;
  throw usage_error(std::string("message '") + name.c_str() + "' is to have " +
                    std::to_string(parts) + " parts; 0 lets the model choose");
}

void detail::submit_staged(runtime_state& s, task_name name, device_span<const std::byte> from,
                           int peer, int tag, const communicator& among, int parts) {
  const operation message{.what = operation::kind::send, .peer = peer, .tag = tag};
  expect_may_travel(s, name, message, among);
  if (is_no_rank(peer)) return;
  for_each_part(s, from, parts, [&](device_span<const std::byte> part) {
    const stage between = part.memory().home->take_stage(part.size());
    const std::span<std::byte> bytes = staged_bytes(between, part.size());
    submit_two(s, name, queue_of(part.memory(), device_queue::to_host), part, bytes, inout(bytes),
               between);
    begun_message own(s, name, message, between);
    submit_message(own, detail::bytes_of(bytes.data(), bytes.size()), among);
  });
}

void detail::submit_staged(runtime_state& s, task_name name, device_span<std::byte> to, int peer,
                           int tag, const communicator& among, int parts) {
  const operation message{.what = operation::kind::receive, .peer = peer, .tag = tag};
  expect_may_travel(s, name, message, among);
  if (is_no_rank(peer)) return;
  for_each_part(s, to, parts, [&](device_span<std::byte> part) {
    const stage between = part.memory().home->take_stage(part.size());
    const std::span<const std::byte> bytes = staged_bytes(between, part.size());
    begun_message own(s, name, message, between);
    submit_message(own, detail::bytes_of(bytes.data(), bytes.size()), among);
    submit_two<true>(s, name, queue_of(part.memory(), device_queue::to_device), bytes, part,
                     in(bytes), between);
  });
}

}  // namespace plait
