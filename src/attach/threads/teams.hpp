// SPDX-License-Identifier: BSD-3-Clause
/// Times of the threads of OpenMP's teams.  A team is counted if the thread that started MPI forms
/// it, outside any other team.
#pragma once

#include <plait/core/clock.hpp>

namespace plait::attach {

/// Runtimes that tell of teams, a bit each.
enum class team_runtime : int { ompt = 1, gcc = 2 };

/// Returns true if the team that this thread is about to form is counted.  Then `end_team` follows,
/// once all its threads have left what they run in it.
[[nodiscard]] bool begin_team(team_runtime by) noexcept;
void end_team() noexcept;

/// Called by each thread of a counted team, around the code that it runs there.  `place`: from 0
/// on.
void join_team(int place) noexcept;
void leave_team() noexcept;
/// Ends a thread's part without a time: of one that says so when the team may be over.
void forget_team() noexcept;
/// Returns a place that no other thread of the team has, where the runtime names none.
[[nodiscard]] int next_place() noexcept;

/// Returns true on a thread between the two.
[[nodiscard]] bool is_in_counted_team() noexcept;

/// Notes what a thread does from here on, until the matching end: it waits for others of its team,
/// or runs a task meanwhile.  Nothing happens on threads outside a counted team.
void begin_team_wait() noexcept;
void begin_team_task() noexcept;
void end_team_part() noexcept;

}  // namespace plait::attach
