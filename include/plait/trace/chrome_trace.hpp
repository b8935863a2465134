// SPDX-License-Identifier: BSD-3-Clause
/// A trace as a file that Perfetto and chrome://tracing open.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include <plait/trace/critical_path.hpp>
#include <plait/trace/event.hpp>

namespace plait {

/// Everything one run left: ids and sequence numbers mean something within it.
struct traced_run {
  std::string name;
  std::vector<trace_event> events;
  std::vector<path_step> path;
};

/// Writes the runs on one clock that starts at the first event.  One process a rank, one thread a
/// lane; messages, which may overlap each other, on as many threads as it takes, because arrows
/// point only to slices of threads.  Arrows (flow events): what released a task or message, and
/// from each send to its receive.  A process of its own shows the critical path of each run.
void write_chrome_trace(std::ostream& to, std::span<const traced_run> runs);

}  // namespace plait
