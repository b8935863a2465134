// SPDX-License-Identifier: BSD-3-Clause
/// The part of OMPT, OpenMP's interface for tools, that is used here: GCC has no header of it.
/// [OpenMP 5.0, sections 4.4 and 4.5]
#pragma once

#include <cstdint>

namespace plait::attach::ompt {

union data {
  std::uint64_t value;
  void* pointer;
};

enum event : int {
  parallel_begin = 3,
  parallel_end = 4,
  task_schedule = 6,
  implicit_task = 7,
  sync_region = 23,
};
enum endpoint : int { scope_begin = 1, scope_end = 2, scope_beginend = 3 };
enum sync_kind : int { sync_reduction = 7 };
enum task_status : int {
  task_complete = 1,
  task_yield = 2,
  task_cancel = 3,
  task_detach = 4,
  task_early_fulfill = 5,
  task_late_fulfill = 6,
  task_switch = 7,
};
constexpr int initial_task = 1;                 ///< a flag of implicit tasks
constexpr unsigned league_of_teams = 1U << 30;  ///< a flag of parallel regions

using any_function = void (*)();
using look_up = any_function (*)(const char* name);
using set_callback = int (*)(int event, any_function call);

struct tool {
  int (*initialize)(look_up find, int device, data* own);
  void (*finalize)(data* own);
  data own;
};

}  // namespace plait::attach::ompt
