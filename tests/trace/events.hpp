// SPDX-License-Identifier: BSD-3-Clause
/// Events made by hand.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <plait/trace/event.hpp>

namespace plait::test {

inline trace_event on_worker(int rank, int worker, std::string name, event_kind kind,
                             double begin_s, double end_s) {
  trace_event e;
  e.rank = rank;
  e.lane = "worker " + std::to_string(worker);
  e.name = std::move(name);
  e.kind = kind;
  e.begin_s = begin_s;
  e.end_s = end_s;
  return e;
}

inline trace_event task(int rank, int worker, std::string name, double begin_s, double end_s,
                        std::uint64_t id, std::uint64_t released_by = 0) {
  trace_event e = on_worker(rank, worker, std::move(name), event_kind::compute, begin_s, end_s);
  e.id = id;
  e.released_by = released_by;
  return e;
}

/// The first message between two ranks, unless `place` says otherwise.
inline trace_event message(int rank, std::string name, bool sent, int peer, double begin_s,
                           double end_s, std::uint64_t id = 0, std::uint64_t released_by = 0,
                           std::uint64_t place = 0, int tag = 0) {
  trace_event e = task(rank, 0, std::move(name), begin_s, end_s, id, released_by);
  e.lane = "messages";
  e.kind = event_kind::message;
  e.message = message_side{sent, peer, tag, place, 8};
  return e;
}

}  // namespace plait::test
