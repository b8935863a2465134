// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <plait/core/error.hpp>
#include <plait/trace/event.hpp>

namespace plait {
namespace {

constexpr std::array<std::string_view, 6> kind_names{"compute",  "posting", "exposed",
                                                     "overhead", "idle",    "message"};

/// The fixed part of a packed event; the two texts follow.
struct packed_header {
  double begin_s;
  double end_s;
  std::int32_t rank;
  std::uint16_t lane_length;
  std::uint16_t name_length;
  event_kind kind;
};

[[nodiscard]] std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

[[nodiscard]] std::uint16_t text_length(const std::string& text) {
  return static_cast<std::uint16_t>(
      std::min<std::size_t>(text.size(), std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

std::string_view to_string(event_kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string pack_events(std::span<const trace_event> events) {
  std::string packed;
  for (const trace_event& e : events) {
    packed_header header{};
    header.begin_s = e.begin_s;
    header.end_s = e.end_s;
    header.rank = e.rank;
    header.lane_length = text_length(e.lane);
    header.name_length = text_length(e.name);
    header.kind = e.kind;
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
    events.push_back({header.rank, packed.substr(at, header.lane_length),
                      packed.substr(at + header.lane_length, header.name_length), header.kind,
                      header.begin_s, header.end_s});
    at += texts;
  }
  return events;
}

void write_chrome_trace(std::ostream& to, std::span<const trace_event> events) {
  double origin = std::numeric_limits<double>::max();
  std::map<std::pair<int, std::string>, int> threads;
  for (const trace_event& e : events) {
    origin = std::min(origin, e.begin_s);
    threads.try_emplace({e.rank, e.lane}, 0);
  }
  int next = 0;
  for (auto& [lane, thread] : threads) thread = next++;

  const char* separator = "\n";
  const auto comma = [&separator] { return std::exchange(separator, ",\n"); };
  to << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  for (const auto& [lane, thread] : threads) {
    fmt::print(
        to,
        "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"rank {}\"}}}}",
        comma(), lane.first, lane.first);
    fmt::print(to,
               "{}{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{"
               "\"name\":{}}}}}",
               comma(), lane.first, thread, json_text(lane.second));
  }
  int message = 0;
  for (const trace_event& e : events) {
    const std::string name = json_text(e.name);
    const int thread = threads.at({e.rank, e.lane});
    const double begin_us = (e.begin_s - origin) * 1e6;
    const double length_us = (e.end_s - e.begin_s) * 1e6;
    if (e.kind == event_kind::message) {
      ++message;
      for (const char phase : {'b', 'e'}) {
        fmt::print(
            to,
            "{}{{\"ph\":\"{}\",\"cat\":\"message\",\"id\":{},\"name\":{},\"pid\":{},\"tid\":{},"
            "\"ts\":{:.3f}}}",
            comma(), phase, message, name, e.rank, thread,
            phase == 'b' ? begin_us : begin_us + length_us);
      }
    } else {
      fmt::print(to,
                 "{}{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{:.3f},"
                 "\"dur\":{:.3f}}}",
                 comma(), to_string(e.kind), name, e.rank, thread, begin_us, length_us);
    }
  }
  to << "\n]}\n";
}

}  // namespace plait
