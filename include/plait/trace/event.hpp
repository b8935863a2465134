// SPDX-License-Identifier: BSD-3-Clause
/// Declares the events of a trace, and how they travel.  Not here: tracing them, and the results
/// that follow from them (arrow.hpp, critical_path.hpp, summary.hpp, chrome_trace.hpp).
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plait {

/// Says what happened during an event.
enum class event_kind : std::uint8_t { compute, posting, exposed, overhead, idle, message };
inline constexpr std::size_t event_kind_count = 6;

[[nodiscard]] std::string_view to_string(event_kind kind) noexcept;

/// One side of a message.  On one communicator, a send to (peer, tag) and a receive from (peer,
/// tag) with the same sequence number are the two sides of one message.
struct message_side {
  bool sent = false;
  int peer = 0;
  int tag = 0;
  std::uint64_t place = 0;  ///< sequence number in matching
  std::uint64_t size_bytes = 0;
  int communicator = 0;  ///< by number; 0: all ranks.  The peer is one of all ranks anyway.
};

/// One rank's part of a collective operation.  Parts with the same communicator and sequence number
/// are of one operation.
struct collective_part {
  int root = -1;            ///< one of all ranks; -1: the operation has none
  std::uint64_t place = 0;  ///< sequence number on the communicator
  std::uint64_t size_bytes = 0;
  int communicator = 0;  ///< by number
};

/// Begins the name of a lane of a thread that is no worker.
inline constexpr std::string_view resource_lane = "resource ";
/// Names the lane of tasks that others finish, from the return of their functions until they are
/// finished.  Such an event has the id of its task, and is released by the event with the same id.
inline constexpr std::string_view held_lane = "held";
/// Names the program's own computation between its calls of plait, which is no task.
inline constexpr std::string_view programs_own = "the program";

/// Something that lasted from `begin_s` to `end_s`, in seconds of one clock.
struct trace_event {
  static constexpr std::int64_t not_replayed = -1;

  int rank = 0;
  std::string lane;  ///< "worker 0", "messages", "messages of row", "resource io"
  std::string name;
  event_kind kind = event_kind::compute;
  double begin_s = 0;
  double end_s = 0;
  std::uint64_t id = 0;  ///< of a task or message, unique on its rank; 0: none, or not known
  /// The last to finish of what it waited for, on its rank; 0: it was ready when submitted.
  std::uint64_t released_by = 0;
  std::int64_t iteration = not_replayed;
  std::optional<message_side> message = std::nullopt;
  bool critical = false;  ///< on the critical path
  std::optional<collective_part> collective = std::nullopt;
};

/// Packs events into one string that `unpack_events` turns back, for sending events to another
/// rank.
[[nodiscard]] std::string pack_events(std::span<const trace_event> events);
/// Errors: `error` when the text was not made by `pack_events`.
[[nodiscard]] std::vector<trace_event> unpack_events(const std::string& packed);

}  // namespace plait
