// SPDX-License-Identifier: BSD-3-Clause
/// Records the events of one rank.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plait/comm/blocking_calls.hpp>
#include <plait/comm/operation.hpp>
#include <plait/device/device.hpp>
#include <plait/task/scheduler.hpp>
#include <plait/trace/event.hpp>

#include "runtime/written/trace_budget.hpp"

namespace plait {

/// Each worker writes to its own lists, messages and what they release go to lists of the token's
/// holder: no locks.  With a budget it keeps the first events only, and counts the rest.  Keeps
/// dependences too, if asked to.
class recorder final : public task_observer {
 public:
  recorder(int rank, int workers, trace_budget* budget = nullptr, bool dependences = false)
      : rank_(rank),
        budget_(budget),
        dependences_(dependences),
        workers_(static_cast<std::size_t>(workers)) {}
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder() override {
    if (budget_ == nullptr) return;
    budget_->give_back(outside_.room);
    for (const writer& worker : workers_) budget_->give_back(worker.room);
    for (const device_lane& one : devices_) budget_->give_back(one.events.room);
    for_each_added([this](const added_thread& one) { budget_->give_back(one.events.room); });
  }

  /// Threads are added by the submitting thread, and each writes to its own list afterwards.
  void thread_added(int worker, std::string label) override {
    auto& place = added_[static_cast<std::size_t>(worker) - workers_.size()];
    place = std::make_unique<added_thread>();
    place->label = std::move(label);
  }

  void task_ran(int worker, const char* name, std::uint64_t id, ticks begin, ticks end) override {
    keep(at(worker), {name, event_kind::compute, begin, end, id});
  }
  /// Drawn in a lane of their own, since the worker runs others meanwhile.
  void task_held(int worker, const char* name, std::uint64_t id, ticks begin, ticks end) override {
    writer& list = at(worker);
    if (list.dropped == 0) list.on_hold.push_back({name, event_kind::message, begin, end, id});
  }
  /// Shorter spells, of which there is one before each submission, would crowd out the rest.
  void program_ran(ticks begin, ticks end) override {
    if (end - begin < shortest_spell_) return;
    keep(workers_.front(), {programs_own.data(), event_kind::compute, begin, end, 0});
  }
  void worker_idled(int worker, ticks begin, ticks end, ticks exposed) override {
    writer& list = at(worker);
    if (exposed > 0) keep(list, {"exposed", event_kind::exposed, begin, begin + exposed, 0});
    if (begin + exposed < end) keep(list, {"idle", event_kind::idle, begin + exposed, end, 0});
  }
  void task_released(int worker, std::uint64_t id, std::uint64_t by) override {
    writer& list = worker >= 0 ? at(worker) : outside_;
    if (list.dropped == 0) list.releases.push_back({id, by});
  }
  void replay_began(std::uint64_t first_id, std::uint64_t tasks,
                    std::uint64_t iterations) override {
    if (workers_.front().dropped == 0) replays_.push_back({first_id, tasks, iterations});
  }
  [[nodiscard]] bool wants_dependences() const override { return dependences_; }
  void submitted(submitted_part part) override { parts_.push_back(std::move(part)); }

  /// Any thread.
  void device_ran(const device& on, device_queue queue, const char* task, ticks begin, ticks end) {
    std::lock_guard lock(devices_mutex_);
    const auto lane =
        static_cast<std::size_t>(on.index()) * device_queue_count + static_cast<std::size_t>(queue);
    if (devices_.size() <= lane) devices_.resize(lane + 1);
    devices_[lane].name = on.name() + ", " + to_string(queue);
    keep(devices_[lane].events, {task, event_kind::compute, begin, end, 0});
  }

  /// Facts of a message beside its times.
  struct noted_side {
    std::optional<message_side> message;
    std::string_view among;  ///< a communicator's name, which stays in place; empty of all ranks
    operation::kind what;
    std::optional<collective::operation> called;  ///< of a collective's message
  };
  void message_done(const char* name, std::uint64_t id, const noted_side& side, ticks begin,
                    ticks end) {
    if (keep(outside_, {name, event_kind::message, begin, end, id})) sides_.push_back(side);
  }

  /// One side of a message for which a task has called blocking MPI.
  struct blocking_side {
    std::uint64_t task;
    blocking_message side;
    ticks end;
  };
  /// With the token, as the next two.
  void task_messaged(std::uint64_t task, const blocking_message& one, ticks end) {
    if (budget_ != nullptr && budget_->take(1) == 0) {
      ++outside_.dropped;
      return;
    }
    blocking_.push_back({task, one, end});
  }
  /// Notes kinds of calls whose messages are not recorded.
  void not_told(std::string_view calls) { not_told_.emplace(calls); }
  [[nodiscard]] const std::vector<blocking_side>& blocking() const noexcept { return blocking_; }
  [[nodiscard]] const std::set<std::string, std::less<>>& not_told() const noexcept {
    return not_told_;
  }

  /// Returns the number of events that found no room.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    std::uint64_t all = outside_.dropped;
    for (const writer& worker : workers_) all += worker.dropped;
    for_each_added([&all](const added_thread& one) { all += one.events.dropped; });
    for (const device_lane& one : devices_) all += one.events.dropped;
    return all;
  }

  /// Returns how many tasks others have finished.
  [[nodiscard]] std::size_t held() const noexcept {
    std::size_t all = 0;
    for (const writer& worker : workers_) all += worker.on_hold.size();
    for_each_added([&all](const added_thread& one) { all += one.events.on_hold.size(); });
    return all;
  }

  [[nodiscard]] const std::vector<submitted_part>& parts() const noexcept { return parts_; }
  /// Calls `use(thread, id, begin, end)` for each run of a task.
  template <class Use>
  void for_each_run(Use use) const {
    const auto runs_of = [&use](std::size_t thread, const writer& list) {
      for (const entry& e : list.events) {
        if (e.kind == event_kind::compute && e.id != 0) use(thread, e.id, e.begin, e.end);
      }
    };
    for (std::size_t w = 0; w < workers_.size(); ++w) runs_of(w, workers_[w]);
    for (std::size_t i = 0; i < added_.size(); ++i) {
      if (added_[i] != nullptr) runs_of(workers_.size() + i, added_[i]->events);
    }
  }
  /// Calls `use(id, side, begin, end)` for each message.
  template <class Use>
  void for_each_message(Use use) const {
    for (std::size_t m = 0; m < sides_.size(); ++m) {
      const entry& e = outside_.events[m];
      use(e.id, sides_[m], e.begin, e.end);
    }
  }

  [[nodiscard]] std::vector<trace_event> events() const {
    std::vector<trace_event> all;
    const release_map releases = released_by();
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      append(all, "worker " + std::to_string(w), workers_[w].events, releases);
    }
    for_each_added([&](const added_thread& one) {
      append(all, std::string(resource_lane) + one.label, one.events.events, releases);
    });
    for (const device_lane& one : devices_)
      append(all, std::string(resource_lane) + one.name, one.events.events, {});
    const auto append_held = [&](const writer& from) {
      const std::size_t first = all.size();
      append(all, std::string(held_lane), from.on_hold, {});
      // It follows the task's function.
      for (std::size_t i = first; i < all.size(); ++i) all[i].released_by = all[i].id;
    };
    for (const writer& worker : workers_) append_held(worker);
    for_each_added([&](const added_thread& one) { append_held(one.events); });
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
  struct replay {
    std::uint64_t first_id;
    std::uint64_t tasks;
    std::uint64_t iterations;
  };
  struct alignas(128) writer {
    std::vector<entry> events;
    std::vector<release> releases;
    std::vector<entry> on_hold;
    std::size_t room = 0;  ///< taken out of the budget and not used
    std::uint64_t dropped = 0;
  };
  struct added_thread {
    std::string label;
    writer events;
  };
  struct device_lane {
    std::string name;
    writer events;
  };
  using release_map = std::unordered_map<std::uint64_t, std::uint64_t>;

  [[nodiscard]] writer& at(int worker) {
    const auto place = static_cast<std::size_t>(worker);
    return place < workers_.size() ? workers_[place] : added_[place - workers_.size()]->events;
  }
  template <class Use>
  void for_each_added(Use use) const {
    for (const auto& one : added_) {
      if (one != nullptr) use(*one);
    }
  }

  /// False if there is no room.
  bool keep(writer& to, const entry& event) {
    constexpr std::size_t at_once = 64;
    if (budget_ != nullptr) {
      if (to.dropped == 0 && to.room == 0) to.room = budget_->take(at_once);
      if (to.room == 0) {
        ++to.dropped;
        return false;
      }
      --to.room;
    }
    to.events.push_back(event);
    return true;
  }

  [[nodiscard]] release_map released_by() const {
    release_map result;
    const auto add = [&result](const writer& from) {
      for (const release& one : from.releases) result.emplace(one.id, one.by);
    };
    for (const writer& worker : workers_) add(worker);
    for_each_added([&add](const added_thread& one) { add(one.events); });
    add(outside_);
    return result;
  }

  [[nodiscard]] std::int64_t iteration_of(std::uint64_t id) const {
    auto one = std::ranges::upper_bound(replays_, id, {}, &replay::first_id);
    if (one == replays_.begin()) return trace_event::not_replayed;
    --one;  // ids grow: the last that began before
    if (id - one->first_id >= one->tasks * one->iterations) return trace_event::not_replayed;
    return static_cast<std::int64_t>((id - one->first_id) / one->tasks);
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

  const ticks shortest_spell_ = seconds_to_ticks(1e-6);
  const int rank_;
  trace_budget* const budget_;
  const bool dependences_;
  std::vector<writer> workers_;
  /// Threads of resources, by their number behind the workers'.
  std::array<std::unique_ptr<added_thread>, scheduler::most_added_threads> added_;
  std::mutex devices_mutex_;
  std::vector<device_lane> devices_;  ///< a queue each, of device after device
  writer outside_;                    ///< the token's holder: messages, and what they released
  std::vector<noted_side> sides_;     ///< of `outside_.events`
  std::vector<blocking_side> blocking_;
  std::set<std::string, std::less<>> not_told_;
  std::vector<replay> replays_;  ///< the submitting thread's, as is the next
  std::vector<submitted_part> parts_;
};

}  // namespace plait
