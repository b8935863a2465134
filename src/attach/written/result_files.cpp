// SPDX-License-Identifier: BSD-3-Clause
#include "attach/written/result_files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <unistd.h>

#include "attach/after/analysis.hpp"
#include "attach/written/trace_file.hpp"

namespace plait::attach {
namespace {

void write_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return;
  }
  // What a link leads to is replaced, and no device or pipe: those are written to.
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
  const bool is_replaced =
      !std::filesystem::exists(target, failed) || std::filesystem::is_regular_file(target, failed);
  std::filesystem::path written = target;
  if (is_replaced) written += fmt::format(".partial-{}", getpid());
  std::ofstream file(written, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file && is_replaced) std::filesystem::rename(written, target, failed);
  if (!file || failed)
    throw error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

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
  const analysis found = analyse(ranks);
  if (!asked.quiet) {
    const std::string text = plain_text(summary_text(ranks, found));
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (!asked.json.empty()) write_file(asked.json, result_json(ranks, found));
  if (!asked.trace.empty() && asked.has(switch_trace)) {
    const written_trace trace = trace_of(ranks, found, asked.trace_bytes);
    write_file(asked.trace, trace.text);
    tell_of(trace, found, asked);
  }
}

}  // namespace plait::attach
