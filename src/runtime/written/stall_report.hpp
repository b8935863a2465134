// SPDX-License-Identifier: BSD-3-Clause
/// Says in words what a rank waits for when nothing moves.
#pragma once

#include <string>

#include <plait/comm/engine.hpp>
#include <plait/task/stall.hpp>

namespace plait {

/// The message that an asynchronous task stands for.  Only what it is, its peer, tag and size, and
/// unless it is recorded its place, may be read.
using message_of = const operation& (*)(const detail::task_node&);

/// Lines that each begin with the name of this rank.
[[nodiscard]] std::string stall_report(const stall& tasks, const message_survey& messages,
                                       message_of message);

/// `option`, unless the environment variable PLAIT_STALL_REPORT_S says something else.
/// Errors: usage_error.
[[nodiscard]] double stall_report_seconds(double option);

}  // namespace plait
