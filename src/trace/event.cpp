// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/trace/event.hpp>

namespace plait {
namespace {

constexpr std::array<std::string_view, event_kind_count> kind_names{
    "compute", "posting", "exposed", "overhead", "idle", "message"};

/// The fixed part of a packed event; the two texts follow.
struct packed_header {
  double begin_s;
  double end_s;
  std::uint64_t id;
  std::uint64_t released_by;
  std::int64_t iteration;
  std::uint64_t place;
  std::uint64_t size_bytes;
  std::int32_t rank;
  std::int32_t peer;
  std::int32_t tag;
  std::int32_t communicator;
  std::uint16_t lane_length;
  std::uint16_t name_length;
  event_kind kind;
  std::uint8_t flags;
};
constexpr std::uint8_t is_message = 1;
constexpr std::uint8_t is_sent = 2;
constexpr std::uint8_t is_critical = 4;
constexpr std::uint8_t is_collective = 8;

[[nodiscard]] std::uint16_t text_length(const std::string& text) {
  return static_cast<std::uint16_t>(
      std::min<std::size_t>(text.size(), std::numeric_limits<std::uint16_t>::max()));
}

[[nodiscard]] packed_header header_of(const trace_event& e) {
  packed_header header{};
  header.begin_s = e.begin_s;
  header.end_s = e.end_s;
  header.id = e.id;
  header.released_by = e.released_by;
  header.iteration = e.iteration;
  header.rank = e.rank;
  header.lane_length = text_length(e.lane);
  header.name_length = text_length(e.name);
  header.kind = e.kind;
  header.flags = e.critical ? is_critical : 0;
  if (e.message) {
    header.flags |= is_message;
    if (e.message->sent) header.flags |= is_sent;
    header.peer = e.message->peer;
    header.tag = e.message->tag;
    header.communicator = e.message->communicator;
    header.place = e.message->place;
    header.size_bytes = e.message->size_bytes;
  } else if (e.collective) {
    header.flags |= is_collective;
    header.peer = e.collective->root;
    header.communicator = e.collective->communicator;
    header.place = e.collective->place;
    header.size_bytes = e.collective->size_bytes;
  }
  return header;
}

[[nodiscard]] trace_event event_of(const packed_header& header, std::string lane,
                                   std::string name) {
  trace_event e;
  e.rank = header.rank;
  e.lane = std::move(lane);
  e.name = std::move(name);
  e.kind = header.kind;
  e.begin_s = header.begin_s;
  e.end_s = header.end_s;
  e.id = header.id;
  e.released_by = header.released_by;
  e.iteration = header.iteration;
  e.critical = (header.flags & is_critical) != 0;
  if ((header.flags & is_message) != 0) {
    e.message = message_side{(header.flags & is_sent) != 0,
                             header.peer,
                             header.tag,
                             header.place,
                             header.size_bytes,
                             header.communicator};
  }
  if ((header.flags & is_collective) != 0) {
    e.collective =
        collective_part{header.peer, header.place, header.size_bytes, header.communicator};
  }
  return e;
}

}  // namespace

std::string_view to_string(event_kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string pack_events(std::span<const trace_event> events) {
  std::string packed;
  for (const trace_event& e : events) {
    const packed_header header = header_of(e);
    packed.append(reinterpret_cast<const char*>(&header), sizeof header);
    packed.append(e.lane, 0, header.lane_length);
    packed.append(e.name, 0, header.name_length);
  }
  return packed;
}

std::vector<trace_event> unpack_events(const std::string& packed) {
  std::vector<trace_event> events;
  for (std::size_t at = 0; at < packed.size();) {
    packed_header header{};
    if (packed.size() - at < sizeof header) throw error("packed events end in mid-event");
    std::memcpy(&header, packed.data() + at, sizeof header);
    at += sizeof header;
    const std::size_t texts = std::size_t{header.lane_length} + header.name_length;
    if (packed.size() - at < texts || static_cast<std::size_t>(header.kind) >= kind_names.size()) {
      throw error("packed events are damaged");
    }
    events.push_back(event_of(header, packed.substr(at, header.lane_length),
                              packed.substr(at + header.lane_length, header.name_length)));
    at += texts;
  }
  return events;
}

}  // namespace plait
