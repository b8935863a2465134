// SPDX-License-Identifier: BSD-3-Clause
#include "attach/result_files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <unistd.h>

#include "attach/analysis.hpp"
#include "attach/trace_file.hpp"

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

}  // namespace

void write_results(const std::vector<rank_profile>& ranks, const settings& asked) {
  const analysis found = analyse(ranks);
  if (!asked.quiet) {
    const std::string text = summary_text(ranks, found);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (!asked.json.empty()) write_file(asked.json, result_json(ranks, found));
  if (!asked.trace.empty() && asked.has(switch_trace)) {
    write_file(asked.trace, trace_text(ranks, found));
  }
}

}  // namespace plait::attach
