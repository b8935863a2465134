// SPDX-License-Identifier: BSD-3-Clause
/// Records the events of one rank.
#pragma once

#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>
#include <plait/trace/event.hpp>

namespace plait {

/// Each worker writes to its own list, messages go to a list of the token's holder: no locks.
class recorder final : public task_observer {
 public:
  recorder(int rank, int workers) : rank_(rank), workers_(static_cast<std::size_t>(workers)) {}

  void task_ran(int worker, const char* name, std::uint64_t, ticks begin, ticks end) override {
    at(worker).push_back({name, event_kind::compute, begin, end});
  }
  void worker_idled(int worker, ticks begin, ticks end, ticks exposed) override {
    if (exposed > 0) at(worker).push_back({"exposed", event_kind::exposed, begin, begin + exposed});
    if (begin + exposed < end)
      at(worker).push_back({"idle", event_kind::idle, begin + exposed, end});
  }
  void message_done(const char* name, ticks begin, ticks end) {
    messages_.push_back({name, event_kind::message, begin, end});
  }

  [[nodiscard]] std::vector<trace_event> events() const {
    std::vector<trace_event> all;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      append(all, "worker " + std::to_string(w), workers_[w].list);
    }
    append(all, "messages", messages_);
    return all;
  }

 private:
  struct entry {
    const char* name;
    event_kind kind;
    ticks begin;
    ticks end;
  };
  struct alignas(128) worker_list {
    std::vector<entry> list;
  };

  [[nodiscard]] std::vector<entry>& at(int worker) {
    return workers_[static_cast<std::size_t>(worker)].list;
  }
  void append(std::vector<trace_event>& all, const std::string& lane,
              const std::vector<entry>& list) const {
    for (const entry& e : list) {
      all.push_back(
          {rank_, lane, e.name, e.kind, ticks_to_seconds(e.begin), ticks_to_seconds(e.end)});
    }
  }

  const int rank_;
  std::vector<worker_list> workers_;
  std::vector<entry> messages_;
};

}  // namespace plait
