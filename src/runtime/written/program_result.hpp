// SPDX-License-Identifier: BSD-3-Clause
/// A program's result file, as docs/use/results.md has it.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/written/program_record.hpp"

namespace plait {

/// Upper limit of the events of a result file.
inline constexpr std::size_t most_events_of_file = 20'000;

/// Returns the text of the file: schema plait-result/1, kind "program".  Of more than `most_events`
/// the timeline has those in the middle.
[[nodiscard]] std::string program_result(const program_record& record,
                                         std::size_t most_events = most_events_of_file);

}  // namespace plait
