// SPDX-License-Identifier: BSD-3-Clause
/// Records the events of one rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <plait/task/scheduler.hpp>
#include <plait/trace/event.hpp>

namespace plait {

/// Each worker writes to its own lists, messages and what they release go to lists of the token's
/// holder: no locks.
class recorder final : public task_observer {
 public:
  recorder(int rank, int workers) : rank_(rank), workers_(static_cast<std::size_t>(workers)) {}

  void task_ran(int worker, const char* name, std::uint64_t id, ticks begin, ticks end) override {
    at(worker).events.push_back({name, event_kind::compute, begin, end, id});
  }
  void worker_idled(int worker, ticks begin, ticks end, ticks exposed) override {
    auto& list = at(worker).events;
    if (exposed > 0) list.push_back({"exposed", event_kind::exposed, begin, begin + exposed, 0});
    if (begin + exposed < end) list.push_back({"idle", event_kind::idle, begin + exposed, end, 0});
  }
  void task_released(int worker, std::uint64_t id, std::uint64_t by) override {
    (worker >= 0 ? at(worker) : outside_).releases.push_back({id, by});
  }
  void replay_began(std::uint64_t first_id, std::uint64_t tasks,
                    std::uint64_t iterations) override {
    replays_.push_back({first_id, tasks, iterations});
  }
  /// `among`: a communicator's name, which stays in place; empty of all ranks.
  void message_done(const char* name, std::uint64_t id, const std::optional<message_side>& side,
                    std::string_view among, ticks begin, ticks end) {
    outside_.events.push_back({name, event_kind::message, begin, end, id});
    sides_.push_back({side, among});
  }

  [[nodiscard]] std::vector<trace_event> events() const {
    std::vector<trace_event> all;
    const release_map releases = released_by();
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      append(all, "worker " + std::to_string(w), workers_[w].events, releases);
    }
    const std::size_t first_message = all.size();
    append(all, "messages", outside_.events, releases);
    for (std::size_t m = 0; m < sides_.size(); ++m) {
      trace_event& message = all[first_message + m];
      message.message = sides_[m].message;
      if (!sides_[m].among.empty()) message.lane += " of " + std::string(sides_[m].among);
    }
    return all;
  }

 private:
  struct entry {
    const char* name;
    event_kind kind;
    ticks begin;
    ticks end;
    std::uint64_t id;
  };
  struct release {
    std::uint64_t id;
    std::uint64_t by;
  };
  struct noted_side {
    std::optional<message_side> message;
    std::string_view among;
  };
  struct replay {
    std::uint64_t first_id;
    std::uint64_t tasks;
    std::uint64_t iterations;
  };
  struct alignas(128) writer {
    std::vector<entry> events;
    std::vector<release> releases;
  };
  using release_map = std::unordered_map<std::uint64_t, std::uint64_t>;

  [[nodiscard]] writer& at(int worker) { return workers_[static_cast<std::size_t>(worker)]; }

  [[nodiscard]] release_map released_by() const {
    release_map result;
    const auto add = [&result](const writer& from) {
      for (const release& one : from.releases) result.emplace(one.id, one.by);
    };
    for (const writer& worker : workers_) add(worker);
    add(outside_);
    return result;
  }

  [[nodiscard]] std::int64_t iteration_of(std::uint64_t id) const {
    for (const replay& one : replays_) {
      if (id >= one.first_id && id - one.first_id < one.tasks * one.iterations) {
        return static_cast<std::int64_t>((id - one.first_id) / one.tasks);
      }
    }
    return trace_event::not_replayed;
  }

  void append(std::vector<trace_event>& all, const std::string& lane,
              const std::vector<entry>& list, const release_map& releases) const {
    for (const entry& e : list) {
      trace_event& event = all.emplace_back();
      event.rank = rank_;
      event.lane = lane;
      event.name = e.name;
      event.kind = e.kind;
      event.begin_s = ticks_to_seconds(e.begin);
      event.end_s = ticks_to_seconds(e.end);
      if (e.id == 0) continue;
      event.id = e.id;
      const auto released = releases.find(e.id);
      if (released != releases.end()) event.released_by = released->second;
      event.iteration = iteration_of(e.id);
    }
  }

  const int rank_;
  std::vector<writer> workers_;
  writer outside_;                 ///< the token's holder: messages, and what they released
  std::vector<noted_side> sides_;  ///< of `outside_.events`
  std::vector<replay> replays_;    ///< the submitting thread's
};

}  // namespace plait
