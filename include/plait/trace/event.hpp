// SPDX-License-Identifier: BSD-3-Clause
/// What happened when: the events of a trace, and how they travel and are written.  Not here:
/// recording.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plait {

enum class event_kind : std::uint8_t { compute, posting, exposed, overhead, idle, message };

[[nodiscard]] std::string_view to_string(event_kind kind) noexcept;

/// Something that lasted from `begin_s` to `end_s`, in seconds of one clock.
struct trace_event {
  int rank = 0;
  std::string lane;  ///< "worker 0", "messages"
  std::string name;
  event_kind kind = event_kind::compute;
  double begin_s = 0;
  double end_s = 0;
};

/// One string that `unpack_events` turns back, for sending events to another rank.
[[nodiscard]] std::string pack_events(std::span<const trace_event> events);
/// Errors: `error` when the text was not made by `pack_events`.
[[nodiscard]] std::vector<trace_event> unpack_events(const std::string& packed);

/// Writes a file that Perfetto and chrome://tracing open: one process a rank, one thread a lane;
/// messages, which may overlap each other, as asynchronous slices.  Times start at the first event.
void write_chrome_trace(std::ostream& to, std::span<const trace_event> events);

}  // namespace plait
