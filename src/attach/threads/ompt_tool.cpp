// SPDX-License-Identifier: BSD-3-Clause
// The tool of OpenMP runtimes that have OMPT, such as LLVM's and Intel's.  The runtime finds it by
// its name when the program first uses OpenMP.
#include "attach/threads/ompt_tool.hpp"

#include <cstdlib>

#include <dlfcn.h>

#include "attach/calls/call.hpp"
#include "attach/threads/ompt_interface.hpp"
#include "attach/threads/teams.hpp"

namespace plait::attach {

std::atomic<bool> has_ompt{false};

namespace {

/// Marks the counted team by its address.
int counted;

void on_parallel_begin(ompt::data*, const void*, ompt::data* parallel, unsigned, int flags,
                       const void*) {
  const bool is_league = (static_cast<unsigned>(flags) & ompt::league_of_teams) != 0;
  if (!is_league && begin_team(team_runtime::ompt)) parallel->pointer = &counted;
}

void on_parallel_end(ompt::data* parallel, ompt::data*, int, const void*) {
  if (parallel->pointer == &counted) end_team();
}

/// A worker's task may end long after its team: nothing is booked then but on the thread that
/// formed the team.
void on_implicit_task(int endpoint, ompt::data* parallel, ompt::data* task, unsigned,
                      unsigned index, int flags) {
  if ((flags & ompt::initial_task) != 0) return;
  if (endpoint == ompt::scope_begin) {
    if (parallel == nullptr || parallel->pointer != &counted) return;
    task->pointer = &counted;
    join_team(static_cast<int>(index));
  } else if (task->pointer == &counted) {
    own_thread.is_main ? leave_team() : forget_team();
  }
}

/// Barriers, and waits for tasks.
void on_sync_region(int kind, int endpoint, ompt::data*, ompt::data*, const void*) {
  if (kind == ompt::sync_reduction) return;
  if (endpoint == ompt::scope_begin) {
    begin_team_wait();
  } else if (endpoint == ompt::scope_end) {
    end_team_part();
  }
}

/// A task that begins interrupts what its thread did, and gives the thread back when it is
/// complete.
void on_task_schedule(ompt::data*, int status, ompt::data*) {
  if (status == ompt::task_switch) {
    begin_team_task();
  } else if (status == ompt::task_complete || status == ompt::task_cancel ||
             status == ompt::task_detach) {
    end_team_part();
  }
}

int begin_tool(ompt::look_up find, int, ompt::data*) {
  const auto set = reinterpret_cast<ompt::set_callback>(find("ompt_set_callback"));
  if (set == nullptr) return 0;
  const auto take = [&](ompt::event of, auto* call) {
    set(of, reinterpret_cast<ompt::any_function>(call));
  };
  take(ompt::parallel_begin, &on_parallel_begin);
  take(ompt::parallel_end, &on_parallel_end);
  take(ompt::implicit_task, &on_implicit_task);
  take(ompt::sync_region, &on_sync_region);
  take(ompt::task_schedule, &on_task_schedule);
  has_ompt.store(true, std::memory_order_relaxed);
  return 1;
}

void end_tool(ompt::data*) {
  has_ompt.store(false, std::memory_order_relaxed);
}

ompt::tool own_tool{begin_tool, end_tool, {}};

}  // namespace
}  // namespace plait::attach

/// A tool of the user's goes first, and then this one has no part.
extern "C" __attribute__((visibility("default"))) plait::attach::ompt::tool* ompt_start_tool(
    unsigned version, const char* runtime) {
  using start = decltype(&ompt_start_tool);
  if (const auto other = reinterpret_cast<start>(dlsym(RTLD_NEXT, "ompt_start_tool"))) {
    if (plait::attach::ompt::tool* const found = other(version, runtime)) return found;
  }
  const bool is_wanted = std::getenv("PLAIT_ATTACH") != nullptr;
  const bool has_users = std::getenv("OMP_TOOL_LIBRARIES") != nullptr;
  return is_wanted && !has_users ? &plait::attach::own_tool : nullptr;
}
