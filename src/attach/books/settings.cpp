// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <system_error>

#include "core/filled.hpp"

namespace plait::attach {
namespace {

[[nodiscard]] std::string text_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? std::string{} : std::string(text);
}

}  // namespace

settings read_settings(std::string& wrong) {
  settings found;
  std::string names = text_of("PLAIT_ATTACH");
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t comma = std::min(names.find(',', at), names.size());
    const std::string name = names.substr(at, comma - at);
    const auto* const known = std::ranges::find(switch_names, name);
    if (known != std::end(switch_names)) {
      found.switches |= 1U << (known - switch_names);
    } else if (!name.empty()) {
      wrong = filled("PLAIT_ATTACH names '{}'; it can be profile, progress, trace or verify", name);
    }
    at = comma + 1;
  }
  if (found.switches != 0) found.switches |= switch_profile;
  found.json = text_of("PLAIT_ATTACH_JSON");
  found.trace = text_of("PLAIT_ATTACH_TRACE");
  found.folder = text_of("PLAIT_ATTACH_FOLDER");
  if (found.folder.empty()) found.folder = "/dev/shm";
  if (const std::string limit = text_of("PLAIT_ATTACH_TRACE_MB"); !limit.empty()) {
    std::uint64_t mb = 0;
    const auto end = std::from_chars(limit.data(), limit.data() + limit.size(), mb);
    if (end.ec != std::errc{} || *end.ptr != '\0' || mb < 1 || mb > 1'000'000) {
      wrong = filled("PLAIT_ATTACH_TRACE_MB is '{}'; it can be 1 to 1000000", limit);
    }
    found.trace_bytes = 1'000'000 * mb;
  }
  found.quiet = text_of("PLAIT_ATTACH_QUIET") == "1";
  if (found.has(switch_trace) && found.trace.empty()) {
    wrong = "PLAIT_ATTACH asks for a trace, and PLAIT_ATTACH_TRACE names no file for it";
  }
  return found;
}

}  // namespace plait::attach
