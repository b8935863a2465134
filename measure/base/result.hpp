// SPDX-License-Identifier: BSD-3-Clause
/// Result files of the schema plait-result/1, which applications and benchmarks share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "gather.hpp"
#include "limits.hpp"
#include "statistics.hpp"

namespace plait::measure {

/// {"median", "q1", "q3", "samples"}.
[[nodiscard]] json to_json(const summary& values);
[[nodiscard]] json to_json(const ledger_entry& entry, int rank);
/// One member of "trace_summary"; see docs/use/results.md.
[[nodiscard]] json to_json(const trace_summary& summary);
/// null where there is nothing.
[[nodiscard]] json to_json(const std::optional<double>& value);

/// Returns what every result says about where it was measured: commit, compiler, flags, MPI
/// library, ranks, hosts, time.
[[nodiscard]] json describe_environment(const environment& env);

/// Returns a result of this kind that has begun: `member` is the name by which the kind names
/// `program`.
[[nodiscard]] json new_result(std::string_view kind, std::string_view member,
                              std::string_view program, json parameters, json environment);

/// The mean over workers.
[[nodiscard]] breakdown mean_of(const std::vector<ledger_entry>& entries);

/// Events of all ranks as a timeline: {"rank", "lane", "name", "kind", "start_us", "end_us"}, of
/// messages "sent" and, for those on the critical path, "critical"; relative to `origin_s`, by rank
/// and start.
[[nodiscard]] json timeline_of(const std::vector<trace_event>& events, double origin_s);

/// Events of all ranks as a run whose critical path is known.
[[nodiscard]] traced_run traced(std::string name, std::vector<trace_event> events);

/// Writes a file that Perfetto opens.  Errors: plait::error.
void write_trace(const std::string& path, std::span<const traced_run> runs);

/// Writes the result, "-" to standard output, otherwise under another name first, so that nobody
/// reads half of it.  Errors: plait::error.
void write_result(const std::string& path, const json& result);

}  // namespace plait::measure
