// SPDX-License-Identifier: BSD-3-Clause
// Tasks, and the ends that are waited for.
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/task/hold.hpp>

#include "c/calls.hpp"

namespace plait::c {
namespace {

using plain_function = int (*)(void*);
using held_function = int (*)(void*, plait_hold*);

void expect_zero(int code) {
  if (code != 0) throw task_failure("its function returned " + std::to_string(code));
}

void run_function(plain_function run, void* argument) {
  expect_zero(run(argument));
}

/// The function owns the hold, whatever it returns.
void run_function(held_function run, void* argument) {
  auto until = std::make_unique<plait_hold>(plait_hold{hold::of_calling_task()});
  expect_zero(run(argument, until.release()));
}

/// A function with the copy of its argument, as the task stores it.
template <class Function>
struct small_call {
  Function run;
  alignas(16) std::byte argument[96];

  static void run_it(void* at) {
    auto& self = *static_cast<small_call*>(at);
    run_function(self.run, self.argument);
  }
};
static_assert(sizeof(small_call<plain_function>) == task_call::small_argument_bytes);
constexpr std::size_t before_argument = offsetof(small_call<plain_function>, argument);
constexpr std::size_t most_in_task = sizeof(small_call<plain_function>::argument);

/// A function and an argument that it is pointed to.  As a small call, so that every small task is
/// stored alike.
template <class Function>
struct pointing_call {
  Function run;
  void* argument;

  static void run_it(void* at) {
    const auto& self = *static_cast<pointing_call*>(at);
    run_function(self.run, self.argument);
  }
};

/// A function with an argument that is large, or that has a `release`.
template <class Function>
struct large_call {
  large_call(Function run_, const plait_call& call)
      : run(run_), argument(const_cast<void*>(call.argument)) {
    if (call.argument_bytes > 0) {
      copy = std::make_unique<std::byte[]>(call.argument_bytes);
      std::memcpy(copy.get(), call.argument, call.argument_bytes);
      argument = copy.get();
    }
    release = call.release;  // from here on it is called
  }
  ~large_call() {
    if (release != nullptr) release(argument);
  }
  large_call(const large_call&) = delete;
  large_call& operator=(const large_call&) = delete;

  static void run_it(void* at) {
    const auto& self = *static_cast<large_call*>(at);
    run_function(self.run, self.argument);
  }
  static void end_it(void* at) { delete static_cast<large_call*>(at); }

  Function run;
  void* argument;
  void (*release)(void*) = nullptr;
  std::unique_ptr<std::byte[]> copy;
};

/// Accesses in plait's form: few of them without an allocation.
class translated {
 public:
  explicit translated(std::span<const plait_access> given) {
    if (given.size() > few_.all.size()) {
      many_.reserve(given.size());
      for (const plait_access& one : given) many_.push_back(access_of(one));
      all_ = many_;
      return;
    }
    for (std::size_t i = 0; i < given.size(); ++i)
      new (&few_.all[i]) data_access(access_of(given[i]));
    all_ = {few_.all.data(), given.size()};
  }
  translated(const translated&) = delete;
  translated& operator=(const translated&) = delete;
  [[nodiscard]] std::span<const data_access> all() const noexcept { return all_; }

 private:
  /// Made one by one: to set all six costs as much as the task.
  union room {
    room() noexcept {}
    std::array<data_access, 6> all;
  } few_;
  static_assert(std::is_trivially_destructible_v<data_access>);
  std::vector<data_access> many_;
  std::span<const data_access> all_;
};

[[nodiscard]] std::optional<priority> priority_of(const plait_call& call) {
  switch (call.priority) {
    case PLAIT_PRIORITY_CHOSEN:
      return std::nullopt;
    case PLAIT_PRIORITY_HIGH:
      return high;
    case PLAIT_PRIORITY_NORMAL:
      return normal;
    case PLAIT_PRIORITY_LOW:
      return low;
    default:
      throw usage_error(std::string("task '") + call.name + "': priority " +
                        std::to_string(call.priority) + " does not exist");
  }
}

void expect_whole(const plait_call& call) {
  if (call.name == nullptr) throw usage_error("the name is a null pointer");
  const auto refuse = [&call](const std::string& why) {
    throw usage_error(std::string("task '") + call.name + "': " + why);
  };
  if (call.run == nullptr && call.run_held == nullptr) refuse("it has no function");
  if (call.run != nullptr && call.run_held != nullptr)
    refuse("it has two functions, `run` and `run_held`");
  if (call.argument == nullptr && call.argument_bytes > 0) refuse("its argument is a null pointer");
  if (call.accesses == nullptr && call.access_count > 0) refuse("its accesses are a null pointer");
  if ((call.flags & ~PLAIT_FOR_ANYONE) != 0)
    refuse("flags " + std::to_string(call.flags) + " do not exist");
}

/// Submits with the argument as the call has it.  `erased(run, argument, bytes, release)` makes the
/// task; `keeps` is set once `release` is called by somebody else than the caller.
template <class Function, class Erased>
void submit_with(submitter& to, const Erased& erased, Function run, const plait_call& call,
                 bool& keeps) {
  if (call.release != nullptr || call.argument_bytes > most_in_task) {
    using stored = large_call<Function>;
    auto large = std::make_unique<stored>(run, call);
    keeps = true;
    to.task(erased(&stored::run_it, large.release(), 0, &stored::end_it));
  } else if (call.argument_bytes == 0) {
    pointing_call<Function> by_pointer{run, const_cast<void*>(call.argument)};
    to.task(erased(&pointing_call<Function>::run_it, &by_pointer, sizeof by_pointer, nullptr));
  } else {
    small_call<Function> small;
    small.run = run;
    std::memcpy(small.argument, call.argument, call.argument_bytes);
    to.task(erased(&small_call<Function>::run_it, &small, before_argument + call.argument_bytes,
                   nullptr));
  }
}

void submit(plait_runtime& rt, const plait_call& call, bool& keeps) {
  expect_whole(call);
  const translated accesses({call.accesses, call.access_count});
  const std::optional<priority> urgency = priority_of(call);
  std::optional<event<void>> end;
  std::unique_ptr<plait_event> handle;
  if (call.event != nullptr) {
    if (rt.to().in_program() && rt.to().recording()) {
      throw state_error(std::string("task '") + call.name +
                        "' is being recorded and will run many times: it has no event");
    }
    handle = std::make_unique<plait_event>(plait_event{number_of_living(), {}});
  }
  // In one expression: members set one after the other are first cleared as a block, slowly.
  const auto erased = [&](void (*run)(void*), void* argument, std::size_t bytes,
                          void (*release)(void*)) {
    return task_call{.name = task_name::of(call.name),
                     .run = run,
                     .argument = argument,
                     .argument_bytes = bytes,
                     .release = release,
                     .accesses = accesses.all(),
                     .urgency = urgency,
                     .where = call.resource != nullptr ? &call.resource->threads : nullptr,
                     .for_anyone = (call.flags & PLAIT_FOR_ANYONE) != 0,
                     .ended = handle != nullptr ? &end : nullptr};
  };
  if (call.run_held != nullptr) {
    submit_with(rt.to(), erased, call.run_held, call, keeps);
  } else {
    submit_with(rt.to(), erased, call.run, call, keeps);
  }
  if (handle == nullptr) return;
  handle->end = std::move(end);
  *call.event = handle.release();
}

}  // namespace
}  // namespace plait::c

using namespace plait::c;

int plait_submit(plait_runtime* rt, const plait_call* given) {
  plait_call own;
  if (given == nullptr) return fail(PLAIT_ERR_USAGE, "plait_submit: the call is a null pointer");
  if (given->struct_size != sizeof *given) {
    try {
      own = own_version(given, "plait_call");
    } catch (...) {
      return failed(false);
    }
    given = &own;
  }
  if (given->event != nullptr) *given->event = nullptr;
  bool keeps = false;
  const int code = call(rt, "plait_submit", from::anywhere, [&] { submit(*rt, *given, keeps); });
  if (code != PLAIT_SUCCESS && !keeps && given->release != nullptr)
    given->release(const_cast<void*>(given->argument));
  return code;
}

int plait_event_wait(plait_event* one) {
  if (one == nullptr) return fail(PLAIT_ERR_USAGE, "plait_event_wait: the event is a null pointer");
  if (one->end->done()) return PLAIT_SUCCESS;
  if (one->owner != number_of_living())
    return fail(PLAIT_ERR_TASK, "plait_event_wait: the task has failed, or was dropped");
  return call(living(), "plait_event_wait", from::waiting, [one] { one->end->get(); });
}

int plait_event_test(plait_event* one, int* done) {
  if (one == nullptr || done == nullptr)
    return fail(PLAIT_ERR_USAGE, "plait_event_test: a null pointer");
  *done = one->end->done() || one->end->dropped() ? 1 : 0;
  return PLAIT_SUCCESS;
}

int plait_event_free(plait_event** one) {
  if (one == nullptr) return fail(PLAIT_ERR_USAGE, "plait_event_free: a null pointer");
  delete *one;
  *one = nullptr;
  return PLAIT_SUCCESS;
}
