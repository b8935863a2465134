// SPDX-License-Identifier: BSD-3-Clause
/// A program's result as a file, as docs/use/results.md has it, and on the page that `plait report`
/// shows results on.
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

/// Returns the page python/plait/views/html/page, filled with the result: one file of HTML that
/// needs nothing else.
[[nodiscard]] std::string report_page(const program_record& record);

}  // namespace plait
