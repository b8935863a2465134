// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/settings.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

#include "core/environment_variable.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

template <class Number>
void read_number(const char* variable, Number least, Number most, Number& to, std::string& wrong) {
  const std::string text = environment_variable(variable);
  if (text.empty()) return;
  Number value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || *end.ptr != '\0' || value < least || value > most) {
    wrong = filled("{} is '{}'; it can be {} to {}", variable, text, least, most);
    return;
  }
  to = value;
}

}  // namespace

settings read_settings(std::string& wrong) {
  settings found;
  std::string names = environment_variable("PLAIT_ATTACH");
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
  found.json = environment_variable("PLAIT_ATTACH_JSON");
  found.trace = environment_variable("PLAIT_ATTACH_TRACE");
  found.folder = environment_variable("PLAIT_ATTACH_FOLDER");
  if (found.folder.empty()) found.folder = "/dev/shm";
  std::uint64_t mb = found.trace_bytes / 1'000'000;
  read_number<std::uint64_t>("PLAIT_ATTACH_TRACE_MB", 1, 1'000'000, mb, wrong);
  found.trace_bytes = 1'000'000 * mb;
  read_number("PLAIT_ATTACH_GATHERS", 1, 1'000'000, found.gathers, wrong);
  found.quiet = environment_variable("PLAIT_ATTACH_QUIET") == "1";
  found.counts_clock = environment_variable("PLAIT_ATTACH_COUNTERS") == "clock";
  if (found.has(switch_trace) && found.trace.empty()) {
    wrong = "PLAIT_ATTACH asks for a trace, and PLAIT_ATTACH_TRACE names no file for it";
  }
  return found;
}

}  // namespace plait::attach
