// SPDX-License-Identifier: BSD-3-Clause
#include "attach/written/result_files.hpp"

#include <cstdio>
#include <string>

#include <plait/core/exception_text.hpp>
#include <plait/core/text_file.hpp>

#include "attach/written/trace_file.hpp"

namespace plait::attach {
namespace {

/// Says how large a trace is, unless nothing is to be said, and always that it was cut.
void tell_of(const written_trace& trace, const analysis& run, const settings& asked) {
  const double mb = 1e-6 * static_cast<double>(trace.text.size());
  if (trace.until_s) {
    std::fprintf(stderr,
                 "plait: trace: the first %.3g s of %.3g s, %.1f MB in %s\n"
                 "plait:   PLAIT_ATTACH_TRACE_MB=%llu is the limit, and can be changed\n",
                 *trace.until_s, run.wall_s, mb, asked.trace.c_str(),
                 static_cast<unsigned long long>(asked.trace_bytes / 1'000'000));
  } else if (!asked.quiet) {
    std::fprintf(stderr, "plait: trace: %.1f MB in %s\n", mb, asked.trace.c_str());
  }
}

}  // namespace

void write_results(const std::vector<rank_profile>& ranks, const settings& asked) {
  write_results(analyse(ranks), ranks, asked);
}

void write_results(const analysis& found, const std::vector<rank_profile>& traced,
                   const settings& asked) {
  if (!asked.quiet) {
    const std::string text = plain_text(summary_text(found));
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (!asked.json.empty()) write_text_file(asked.json, result_json(found));
  if (!asked.trace.empty() && asked.has(switch_trace)) {
    const written_trace trace = trace_of(traced, found, asked.trace_bytes);
    write_text_file(asked.trace, trace.text);
    tell_of(trace, found, asked);
  }
}

}  // namespace plait::attach
