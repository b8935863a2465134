// SPDX-License-Identifier: BSD-3-Clause
/// Writes the parts that all files of the schema plait-result/1 share, as text of JSON: see
/// docs/use/results.md.  Not here: what a program measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/trace/event.hpp>
#include <plait/trace/summary.hpp>

namespace plait {

/// Says on what and when a result was measured.
struct result_origin {
  bool is_library_only = false;  ///< the program was compiled by somebody else, its flags unknown
  std::string mpi_version = {};  ///< empty: the program calls no MPI
  std::optional<std::string> transport_settings = std::nullopt;
  int ranks = 0;  ///< 0: the program has none
  std::vector<std::string> hosts = {};
  std::string started_at = {};  ///< UTC as ISO 8601 has it; empty: now
};

/// Returns the time in UTC as ISO 8601 has it.
[[nodiscard]] std::string utc_now();

/// Returns the object that begins every result: "schema", "kind", and `program` as the member that
/// this kind names its program by.
[[nodiscard]] std::string result_head(std::string_view kind, std::string_view member,
                                      std::string_view program);

/// Returns the object "environment": version, commit, compiler, flags and MPI library, and `origin`
/// as far as it is known.
[[nodiscard]] std::string environment_json(const result_origin& origin);

/// Returns a member of "trace_summary".
[[nodiscard]] std::string trace_summary_json(const trace_summary& summary);

/// Returns a member of "timeline": the events by rank and start, in µs since `origin_s`.
[[nodiscard]] std::string timeline_json(std::vector<const trace_event*> events, double origin_s);

}  // namespace plait
