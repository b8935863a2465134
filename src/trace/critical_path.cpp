// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <plait/trace/arrow.hpp>
#include <plait/trace/critical_path.hpp>

namespace plait {
namespace {

using event_index = std::size_t;
using maybe_event = std::optional<event_index>;
using event_list = std::vector<event_index>;

[[nodiscard]] bool is_wait(event_kind kind) noexcept {
  return kind == event_kind::exposed || kind == event_kind::idle;
}

/// Order of the events: predecessors of each on its worker, on other ranks and in the program.
class history {
 public:
  explicit history(std::span<const trace_event> events);

  [[nodiscard]] const trace_event& at(event_index i) const { return events_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return events_.size(); }
  [[nodiscard]] maybe_event releaser(event_index i) const { return released_by_[i]; }
  [[nodiscard]] maybe_event other_side(event_index i) const { return other_side_[i]; }

  /// Returns the event that the worker of `i` ran before it, waits left out.
  [[nodiscard]] maybe_event work_before(event_index i) const;
  /// Returns the waits of the worker between `work_before(i)` and `i`, the latest first.
  [[nodiscard]] event_list waits_before(event_index i) const;
  /// Returns the event of a rank's submitting thread at a time, or the last one before it.
  [[nodiscard]] maybe_event program_at(int rank, double time_s) const;
  /// Returns the work of another worker of the rank of `i`, or the message of that rank, that ended
  /// last in (from_s, to_s].
  [[nodiscard]] maybe_event end_of_wait(event_index i, double from_s, double to_s) const;
  /// Returns the message of a rank that ended last in (from_s, to_s].
  [[nodiscard]] maybe_event arrival(int rank, double from_s, double to_s) const;
  /// Returns the event at which the path ends: the last one of any worker or, if that is a wait,
  /// the work or message of its rank that ended last.
  [[nodiscard]] maybe_event last() const;

 private:
  [[nodiscard]] maybe_event later(maybe_event a, maybe_event b) const {
    if (!a || !b) return a ? a : b;
    return at(*a).end_s >= at(*b).end_s ? a : b;
  }
  [[nodiscard]] maybe_event last_of(int rank, double until_s) const;

  std::span<const trace_event> events_;
  std::map<std::pair<int, std::string>, event_list> lanes_;  ///< of workers, by beginning
  std::map<int, event_list> messages_;                       ///< of a rank, by end
  std::vector<const event_list*> lane_of_;
  std::vector<std::size_t> place_;  ///< in its lane
  std::vector<maybe_event> released_by_;
  std::vector<maybe_event> other_side_;
};

history::history(std::span<const trace_event> events)
    : events_(events),
      lane_of_(events.size(), nullptr),
      place_(events.size(), 0),
      released_by_(events.size()),
      other_side_(events.size()) {
  for (event_index i = 0; i < events.size(); ++i) {
    const trace_event& e = events[i];
    auto& list = e.kind == event_kind::message ? messages_[e.rank] : lanes_[{e.rank, e.lane}];
    list.push_back(i);
  }
  for (auto& [lane, list] : lanes_) {
    std::ranges::stable_sort(list, {}, [&](event_index i) { return at(i).begin_s; });
    for (std::size_t k = 0; k < list.size(); ++k) {
      lane_of_[list[k]] = &list;
      place_[list[k]] = k;
    }
  }
  for (const trace_arrow& arrow : find_arrows(events)) {
    if (arrow.kind == arrow_kind::dependence) {
      released_by_[arrow.to] = arrow.from;
    } else {
      other_side_[arrow.to] = arrow.from;
      other_side_[arrow.from] = arrow.to;
    }
  }
  // Of messages that one look found complete, the last to be under way is the one that took so
  // long.
  const auto complete = [&](event_index i) {
    const double posted_s = other_side_[i] ? at(*other_side_[i]).begin_s : at(i).begin_s;
    return std::pair(at(i).end_s, std::max(at(i).begin_s, posted_s));
  };
  for (auto& [rank, list] : messages_) std::ranges::stable_sort(list, {}, complete);
}

maybe_event history::work_before(event_index i) const {
  const event_list& lane = *lane_of_[i];
  for (std::size_t k = place_[i]; k-- > 0;) {
    if (!is_wait(at(lane[k]).kind)) return lane[k];
  }
  return std::nullopt;
}

event_list history::waits_before(event_index i) const {
  event_list waits;
  const event_list& lane = *lane_of_[i];
  for (std::size_t k = place_[i]; k-- > 0 && is_wait(at(lane[k]).kind);) waits.push_back(lane[k]);
  return waits;
}

maybe_event history::program_at(int rank, double time_s) const {
  const auto lane = lanes_.lower_bound({rank, "worker"});  // "worker 0" comes first
  if (lane == lanes_.end() || lane->first.first != rank) return std::nullopt;
  const event_list& list = lane->second;
  auto at_or_before =
      std::ranges::upper_bound(list, time_s, {}, [&](event_index i) { return at(i).begin_s; });
  while (at_or_before != list.begin()) {
    if (!is_wait(at(*--at_or_before).kind)) return *at_or_before;
  }
  return std::nullopt;
}

maybe_event history::arrival(int rank, double from_s, double to_s) const {
  const auto list = messages_.find(rank);
  if (list == messages_.end()) return std::nullopt;
  const auto end =
      std::ranges::upper_bound(list->second, to_s, {}, [&](event_index i) { return at(i).end_s; });
  if (end == list->second.begin() || at(*std::prev(end)).end_s <= from_s) return std::nullopt;
  return *std::prev(end);
}

maybe_event history::end_of_wait(event_index i, double from_s, double to_s) const {
  const int rank = at(i).rank;
  maybe_event found = arrival(rank, from_s, to_s);
  for (auto lane = lanes_.lower_bound({rank, ""}); lane != lanes_.end(); ++lane) {
    if (lane->first.first != rank) break;
    const event_list& list = lane->second;
    if (&list == lane_of_[i]) continue;
    auto end = std::ranges::upper_bound(list, to_s, {}, [&](event_index k) { return at(k).end_s; });
    while (end != list.begin() && is_wait(at(*std::prev(end)).kind)) --end;
    if (end == list.begin() || at(*std::prev(end)).end_s <= from_s) continue;
    found = later(found, *std::prev(end));
  }
  return found;
}

maybe_event history::last_of(int rank, double until_s) const {
  maybe_event found;
  for (event_index i = 0; i < size(); ++i) {
    const trace_event& e = at(i);
    if (e.rank == rank && !is_wait(e.kind) && e.end_s <= until_s) found = later(found, i);
  }
  return found;
}

maybe_event history::last() const {
  maybe_event work;
  maybe_event any;
  for (event_index i = 0; i < size(); ++i) {
    if (at(i).kind != event_kind::message) work = later(work, i);
    any = later(any, i);
  }
  if (!work || !is_wait(at(*work).kind)) return work ? work : any;
  const maybe_event awaited = last_of(at(*work).rank, at(*work).end_s);
  return awaited ? awaited : work;
}

/// Goes back from step to step; `now_s_` is where it has come to.
class path_finder {
 public:
  explicit path_finder(std::span<const trace_event> events)
      : past_(events), seen_(events.size(), false) {}

  [[nodiscard]] std::vector<path_step> find() {
    maybe_event at = past_.last();
    if (at) now_s_ = past_.at(*at).end_s;
    // Clocks that are apart by more than a message takes could lead in a circle.
    while (at && !seen_[*at]) {
      seen_[*at] = true;
      at = past_.at(*at).kind == event_kind::message ? before_message(*at) : before_work(*at);
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

 private:
  [[nodiscard]] maybe_event before_work(event_index i) {
    const trace_event& e = past_.at(i);
    add(e.name, e.kind, e.rank, e.begin_s, i);
    const maybe_event before = past_.work_before(i);
    maybe_event awaited = past_.releaser(i);
    if (e.id == 0) {
      const double free_s = before ? past_.at(*before).end_s : e.begin_s;
      awaited = past_.end_of_wait(i, free_s, e.begin_s);
    }
    const bool was_awaited =
        awaited && (!before || past_.at(*awaited).end_s >= past_.at(*before).end_s);
    const maybe_event next = was_awaited ? awaited : before;
    if (!next) return next;
    const double reached_s = past_.at(*next).end_s;
    for (const event_index wait : past_.waits_before(i)) add_wait(past_.at(wait), reached_s);
    add_overhead(e.rank, reached_s);
    return next;
  }

  [[nodiscard]] maybe_event before_message(event_index i) {
    const trace_event& e = past_.at(i);
    event_index origin = i;
    if (const maybe_event other = past_.other_side(i)) {
      // A send may be complete before the receive is posted, a receive not before the send is.
      const double posted_s = past_.at(*other).begin_s;
      const bool waited_for = e.message->sent ? posted_s < e.end_s : true;
      if (posted_s > e.begin_s && waited_for) origin = *other;
    }
    const trace_event& posted = past_.at(origin);
    add(e.name, e.kind, e.rank, posted.begin_s, i);
    if (origin != i) steps_.back().posted = origin;
    const maybe_event next = posted.released_by != 0
                                 ? past_.releaser(origin)
                                 : past_.program_at(posted.rank, posted.begin_s);
    if (next) add_overhead(posted.rank, past_.at(*next).end_s);
    return next;
  }

  void add(std::string name, event_kind kind, int rank, double begin_s, event_index event) {
    begin_s = std::min(begin_s, now_s_);
    steps_.push_back({std::move(name), kind, rank, begin_s, std::exchange(now_s_, begin_s), event,
                      path_step::no_event});
  }

  /// Adds the part of a wait that lies between `from_s` and now.
  void add_wait(const trace_event& wait, double from_s) {
    add_overhead(wait.rank, std::max(wait.end_s, from_s));
    const double begin_s = std::max(wait.begin_s, from_s);
    if (begin_s >= now_s_) return;
    add(std::string(to_string(wait.kind)), wait.kind, wait.rank, begin_s, path_step::no_event);
  }

  void add_overhead(int rank, double from_s) {
    if (from_s >= now_s_) return;
    add("between tasks", event_kind::overhead, rank, from_s, path_step::no_event);
  }

  const history past_;
  std::vector<bool> seen_;
  std::vector<path_step> steps_;
  double now_s_ = 0;
};

}  // namespace

std::vector<path_step> critical_path(std::span<const trace_event> events) {
  return path_finder(events).find();
}

void mark_critical(std::span<trace_event> events, std::span<const path_step> path) {
  for (const path_step& step : path) {
    for (const std::size_t event : {step.event, step.posted}) {
      if (event != path_step::no_event) events[event].critical = true;
    }
  }
}

}  // namespace plait
