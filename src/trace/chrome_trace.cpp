// SPDX-License-Identifier: BSD-3-Clause
// The format: "Trace Event Format", Google 2016.  What Perfetto makes of it decides two details: a
// slice must not reach into the next one of its thread, not even by rounding; and a flow event
// belongs to the slice of its thread that began last at its time.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>

#include <plait/trace/arrow.hpp>
#include <plait/trace/chrome_trace.hpp>

#include "core/filled.hpp"
#include "trace/json_text.hpp"

namespace plait {
namespace {

/// Nanoseconds as the format's microseconds.
[[nodiscard]] std::string us_text(std::int64_t ns) {
  return filled("{}.{}", ns / 1000, std::to_string(1000 + ns % 1000).substr(1));
}

/// Sorts as tracks shall be shown: by rank, workers before messages.
struct track_key {
  int rank = 0;
  bool messages = false;
  std::string lane;
  int row = 0;

  [[nodiscard]] auto operator<=>(const track_key&) const = default;
  [[nodiscard]] std::string name() const {
    return row == 0 ? lane : filled("{} {}", lane, row + 1);
  }
};

/// The row of each event of a run: 0, but for messages that overlap others of their rank.
[[nodiscard]] std::vector<int> rows_of(std::span<const trace_event> events) {
  std::vector<std::size_t> messages;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == event_kind::message) messages.push_back(i);
  }
  std::ranges::stable_sort(messages, {}, [&](std::size_t i) { return events[i].begin_s; });
  std::vector<int> rows(events.size(), 0);
  std::map<std::pair<int, std::string>, std::vector<double>> ends;
  for (const std::size_t i : messages) {
    auto& end_of_row = ends[{events[i].rank, events[i].lane}];
    auto row =
        std::ranges::find_if(end_of_row, [&](double end_s) { return end_s <= events[i].begin_s; });
    if (row == end_of_row.end()) row = end_of_row.insert(row, 0.0);
    *row = events[i].end_s;
    rows[i] = static_cast<int>(row - end_of_row.begin());
  }
  return rows;
}

class chrome_writer {
 public:
  chrome_writer(std::ostream& to, std::span<const traced_run> runs) : to_(to), runs_(runs) {
    for (const traced_run& run : runs_) lay_out(run);
    int next = 0;
    for (auto& [key, thread] : threads_) thread = next++;
  }

  void write() {
    to_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    write_track_names();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      for (std::size_t i = 0; i < runs_[r].events.size(); ++i) write_slice(r, i);
      write_path(runs_[r]);
      for (const trace_arrow& arrow : find_arrows(runs_[r].events)) write_arrow(r, arrow);
    }
    to_ << "\n]}\n";
  }

 private:
  void lay_out(const traced_run& run) {
    rows_.push_back(rows_of(run.events));
    for (std::size_t i = 0; i < run.events.size(); ++i) {
      const trace_event& e = run.events[i];
      origin_s_ = std::min(origin_s_, e.begin_s);
      path_process_ = std::max(path_process_, e.rank + 1);
      threads_.try_emplace(key_of(e, rows_.back()[i]), 0);
    }
  }

  [[nodiscard]] static track_key key_of(const trace_event& e, int row) {
    return {e.rank, e.kind == event_kind::message, e.lane, row};
  }
  [[nodiscard]] int path_thread() const { return static_cast<int>(threads_.size()); }
  [[nodiscard]] int thread_of(std::size_t run, std::size_t event) const {
    return threads_.at(key_of(runs_[run].events[event], rows_[run][event]));
  }
  [[nodiscard]] std::int64_t ns(double at_s) const {
    return std::llround((at_s - origin_s_) * 1e9);
  }

  /// One event of the format; `rest` are its other members, each after a comma.
  void write_event(std::string_view phase, std::string_view name, int process, int thread,
                   const std::string& rest) {
    to_ << filled(R"({}{"ph":"{}","name":{},"pid":{},"tid":{}{}})",
                  std::exchange(separator_, ",\n"), phase, json_text(name), process, thread, rest);
  }
  void write_label(std::string_view what, int process, int thread, const std::string& value) {
    write_event("M", what, process, thread, filled(R"(,"args":{{}})", value));
  }

  void write_track_names() {
    if (threads_.empty()) return;
    for (const auto& [key, thread] : threads_) {
      write_label("process_name", key.rank, thread, filled("\"name\":\"rank {}\"", key.rank));
      write_label("thread_name", key.rank, thread, "\"name\":" + json_text(key.name()));
      write_label("thread_sort_index", key.rank, thread, filled("\"sort_index\":{}", thread));
    }
    const bool has_path = std::ranges::any_of(runs_, [](auto& run) { return !run.path.empty(); });
    if (!has_path) return;
    write_label("process_name", path_process_, path_thread(), "\"name\":\"critical path\"");
    write_label("thread_name", path_process_, path_thread(), "\"name\":\"critical path\"");
    write_label("process_sort_index", path_process_, path_thread(), "\"sort_index\":-1");
  }

  void write_slice(std::size_t run, std::size_t event) {
    const trace_event& e = runs_[run].events[event];
    std::string args = "\"run\":" + json_text(runs_[run].name);
    if (e.id != 0) args += filled(",\"task\":{}", e.id);
    if (e.released_by != 0) args += filled(",\"released_by\":{}", e.released_by);
    if (e.iteration != trace_event::not_replayed) {
      args += filled(",\"iteration\":{}", e.iteration);
    }
    if (e.message) args += message_text(*e.message);
    if (e.collective) args += collective_text(*e.collective);
    if (e.critical) args += ",\"critical\":true";
    write_event("X", e.name, e.rank, thread_of(run, event),
                extent_text(e.kind, e.begin_s, e.end_s, args));
  }

  [[nodiscard]] static std::string message_text(const message_side& side) {
    return filled(",\"peer\":{},\"tag\":{},\"place\":{},\"bytes\":{}{}{}", side.peer, side.tag,
                  side.place, side.size_bytes, communicator_text(side.communicator),
                  side.sent ? ",\"sent\":true" : "");
  }
  [[nodiscard]] static std::string collective_text(const collective_part& part) {
    return filled(",\"collective\":{},\"root\":{},\"bytes\":{}{}", part.place, part.root,
                  part.size_bytes, communicator_text(part.communicator));
  }
  [[nodiscard]] static std::string communicator_text(int number) {
    return number == 0 ? std::string() : filled(",\"communicator\":{}", number);
  }

  /// Exposed communication stands out, where the viewer heeds colours (chrome://tracing).
  [[nodiscard]] std::string extent_text(event_kind kind, double begin_s, double end_s,
                                        const std::string& args) const {
    const char* colour = kind == event_kind::exposed ? ",\"cname\":\"terrible\""
                         : kind == event_kind::idle  ? ",\"cname\":\"grey\""
                                                     : "";
    return filled(",\"cat\":\"{}\",\"ts\":{},\"dur\":{}{},\"args\":{{}}", to_string(kind),
                  us_text(ns(begin_s)), us_text(ns(end_s) - ns(begin_s)), colour, args);
  }

  void write_path(const traced_run& run) {
    for (const path_step& step : run.path) {
      const std::string args =
          filled("\"run\":{},\"rank\":{},\"critical\":true", json_text(run.name), step.rank);
      write_event("X", step.name, path_process_, path_thread(),
                  extent_text(step.kind, step.begin_s, step.end_s, args));
    }
  }

  /// A dependence leaves where its first end ends and arrives where the other begins; a message
  /// leaves when it is posted and arrives when it has been received.
  void write_arrow(std::size_t run, const trace_arrow& arrow) {
    const trace_event& from = runs_[run].events[arrow.from];
    const trace_event& to = runs_[run].events[arrow.to];
    const bool is_message = arrow.kind == arrow_kind::message;
    ++arrows_;
    write_flow("s", arrow, from.rank, thread_of(run, arrow.from),
               is_message ? ns(from.begin_s) : before_end(from));
    write_flow("f", arrow, to.rank, thread_of(run, arrow.to),
               is_message ? before_end(to) : ns(to.begin_s));
  }

  /// The last moment at which only this slice can be meant.
  [[nodiscard]] std::int64_t before_end(const trace_event& e) const {
    return std::max(ns(e.begin_s), ns(e.end_s) - 1);
  }

  void write_flow(std::string_view phase, const trace_arrow& arrow, int process, int thread,
                  std::int64_t at_ns) {
    const char* name = arrow.kind == arrow_kind::message ? "message" : "dependence";
    write_event(phase, name, process, thread,
                filled(",\"cat\":\"{}\",\"id\":{},\"ts\":{}{}", name, arrows_, us_text(at_ns),
                       phase == "f" ? ",\"bp\":\"e\"" : ""));
  }

  std::ostream& to_;
  const std::span<const traced_run> runs_;
  std::vector<std::vector<int>> rows_;  ///< by run and event
  std::map<track_key, int> threads_;
  double origin_s_ = std::numeric_limits<double>::max();
  int path_process_ = 0;
  std::uint64_t arrows_ = 0;
  const char* separator_ = "\n";
};

}  // namespace

void write_chrome_trace(std::ostream& to, std::span<const traced_run> runs) {
  chrome_writer(to, runs).write();
}

}  // namespace plait
