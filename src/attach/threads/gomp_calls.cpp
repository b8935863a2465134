// SPDX-License-Identifier: BSD-3-Clause
// GCC's runtime of OpenMP has no OMPT.  Its entries stand here in front of it: those that form a
// team are told to run another function, which notes when each thread begins and ends, and those
// that wait for the team note when.  [GCC: libgomp_g.h]
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

#include "attach/calls/call.hpp"
#include "attach/threads/ompt_tool.hpp"
#include "attach/threads/teams.hpp"

#define PLAIT_GOMP extern "C" __attribute__((visibility("default")))

namespace plait::attach {
namespace {

/// The next function of that name, of whichever runtime the program has loaded.
[[nodiscard]] void* find_next(const char* name) noexcept {
  void* found = dlsym(RTLD_NEXT, name);
  for (const char* runtime : {"libgomp.so.1", "libomp.so.5", "libiomp5.so"}) {
    if (found != nullptr) break;
    void* const opened = dlopen(runtime, RTLD_NOLOAD | RTLD_LAZY);
    if (opened != nullptr) found = dlsym(opened, name);
  }
  if (found != nullptr) return found;
  std::fprintf(stderr, "plait attach: no library of the program has %s\n", name);
  std::abort();
}
template <class Function>
[[nodiscard]] Function* next_of(Function*, const char* name) noexcept {
  return reinterpret_cast<Function*>(find_next(name));
}
#define PLAIT_NEXT_OF(name) static const auto next = plait::attach::next_of(&name, #name)

using team_function = void (*)(void*);

struct team_work {
  team_function function;
  void* data;
};

void work_in_team(void* of) {
  const team_work& work = *static_cast<const team_work*>(of);
  join_team(next_place());
  work.function(work.data);
  leave_team();
}

/// The next function returns once all threads have left their work.
template <class Next, class... Rest>
auto form_team(Next next, team_function function, void* data, Rest... rest) {
  struct ending {
    ~ending() { end_team(); }
  };
  if (has_ompt.load(std::memory_order_relaxed) || !begin_team(team_runtime::gcc)) {
    return next(function, data, rest...);
  }
  const ending at_return;
  team_work work{function, data};
  return next(work_in_team, &work, rest...);
}

template <class Next>
auto wait_in_team(Next next) {
  struct ending {
    ~ending() { end_team_part(); }
  };
  if (has_ompt.load(std::memory_order_relaxed)) return next();
  begin_team_wait();
  const ending at_return;
  return next();
}

/// Tasks whose function is not replaced run at barriers, too, where they are not told from waiting.
void note_task() noexcept {
  if (has_ompt.load(std::memory_order_relaxed) || !is_attached.load(std::memory_order_relaxed))
    return;
  std::atomic_ref(attached.notes.header().teams.tasks).fetch_add(1, std::memory_order_relaxed);
}

using copy_function = void (*)(void* to, void* from);

/// Stands before the data that a task's function takes, in memory that the runtime copies.
struct task_work {
  team_function function;
  copy_function copy;  ///< of the data, where the program has one
  void* data;          ///< the program's own, for `copy`
  std::size_t size;    ///< of this, up to the data
};

void work_in_task(void* of) {
  const task_work work = *static_cast<const task_work*>(of);
  struct ending {
    ~ending() { end_team_part(); }
  };
  begin_team_task();
  const ending at_return;
  work.function(static_cast<std::byte*>(of) + work.size);
}

void copy_task(void* to, void* from) {
  const task_work& work = *static_cast<const task_work*>(from);
  std::memcpy(to, &work, sizeof work);
  work.copy(static_cast<std::byte*>(to) + work.size, work.data);
}

constexpr std::size_t most_task_bytes = 4096;
constexpr unsigned detach_flag = 1U << 13;  ///< the runtime writes to the data then
}  // namespace
}  // namespace plait::attach

using plait::attach::team_function;

PLAIT_GOMP void GOMP_parallel(team_function function, void* data, unsigned threads,
                              unsigned flags) {
  PLAIT_NEXT_OF(GOMP_parallel);
  plait::attach::form_team(next, function, data, threads, flags);
}
PLAIT_GOMP unsigned GOMP_parallel_reductions(team_function function, void* data, unsigned threads,
                                             unsigned flags) {
  PLAIT_NEXT_OF(GOMP_parallel_reductions);
  return plait::attach::form_team(next, function, data, threads, flags);
}
PLAIT_GOMP void GOMP_parallel_sections(team_function function, void* data, unsigned threads,
                                       unsigned count, unsigned flags) {
  PLAIT_NEXT_OF(GOMP_parallel_sections);
  plait::attach::form_team(next, function, data, threads, count, flags);
}

/// Loops that begin with their team, with a size of chunks or without.
#define PLAIT_GOMP_LOOP(name)                                                                      \
  PLAIT_GOMP void name(team_function function, void* data, unsigned threads, long begin, long end, \
                       long step, long chunk, unsigned flags) {                                    \
    PLAIT_NEXT_OF(name);                                                                           \
    plait::attach::form_team(next, function, data, threads, begin, end, step, chunk, flags);       \
  }
PLAIT_GOMP_LOOP(GOMP_parallel_loop_static)
PLAIT_GOMP_LOOP(GOMP_parallel_loop_dynamic)
PLAIT_GOMP_LOOP(GOMP_parallel_loop_guided)
PLAIT_GOMP_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PLAIT_GOMP_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define PLAIT_GOMP_RUNTIME_LOOP(name)                                                              \
  PLAIT_GOMP void name(team_function function, void* data, unsigned threads, long begin, long end, \
                       long step, unsigned flags) {                                                \
    PLAIT_NEXT_OF(name);                                                                           \
    plait::attach::form_team(next, function, data, threads, begin, end, step, flags);              \
  }
PLAIT_GOMP_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
PLAIT_GOMP_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
PLAIT_GOMP_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define PLAIT_GOMP_WAIT(result, name)         \
  PLAIT_GOMP result name() {                  \
    PLAIT_NEXT_OF(name);                      \
    return plait::attach::wait_in_team(next); \
  }
PLAIT_GOMP_WAIT(void, GOMP_barrier)
PLAIT_GOMP_WAIT(bool, GOMP_barrier_cancel)
PLAIT_GOMP_WAIT(void, GOMP_loop_end)
PLAIT_GOMP_WAIT(bool, GOMP_loop_end_cancel)
PLAIT_GOMP_WAIT(void, GOMP_sections_end)
PLAIT_GOMP_WAIT(bool, GOMP_sections_end_cancel)

PLAIT_GOMP_WAIT(void, GOMP_taskwait)
PLAIT_GOMP_WAIT(void, GOMP_taskgroup_end)

/// Later versions have more parameters, and each version takes those that it knows.
PLAIT_GOMP void GOMP_task(team_function function, void* data, void (*copy)(void*, void*), long size,
                          long alignment, bool is_deferred, unsigned flags, void** depend,
                          int priority, void* detach) {
  using namespace plait::attach;
  PLAIT_NEXT_OF(GOMP_task);
  const auto bytes = static_cast<std::size_t>(size);
  const auto steps = static_cast<std::size_t>(alignment);
  const bool is_usual = size >= 0 && bytes <= most_task_bytes && alignment > 0 && alignment <= 64 &&
                        (flags & detach_flag) == 0;
  if (!is_usual || !is_in_counted_team()) {
    if (!is_usual) note_task();
    return next(function, data, copy, size, alignment, is_deferred, flags, depend, priority,
                detach);
  }
  alignas(64) std::byte all[sizeof(task_work) + 64 + most_task_bytes];
  const std::size_t before = (sizeof(task_work) + steps - 1) / steps * steps;
  const task_work work{function, copy, data, before};
  std::memcpy(all, &work, sizeof work);
  if (copy == nullptr && bytes > 0) std::memcpy(all + before, data, bytes);
  next(work_in_task, all, copy == nullptr ? nullptr : copy_task, static_cast<long>(before + bytes),
       std::max<long>(alignment, alignof(task_work)), is_deferred, flags, depend, priority, detach);
}

/// The runtime writes the bounds of each task's part to its data.
PLAIT_GOMP void GOMP_taskloop(team_function function, void* data, void (*copy)(void*, void*),
                              long size, long alignment, unsigned flags, unsigned long tasks,
                              int priority, long begin, long end, long step) {
  PLAIT_NEXT_OF(GOMP_taskloop);
  plait::attach::note_task();
  next(function, data, copy, size, alignment, flags, tasks, priority, begin, end, step);
}
