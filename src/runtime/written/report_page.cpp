// SPDX-License-Identifier: BSD-3-Clause
// The colours are those of the plait command's reports (python/plait/views/html/page.css).
#include "runtime/written/report_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <plait/trace/summary.hpp>

#include "runtime/written/ledger_table.hpp"
#include "trace/json_text.hpp"

namespace plait {
namespace {

/// Upper limit of the events of a page: so many a browser draws without a pause, and a page of some
/// megabytes holds.
constexpr std::size_t most_events = 100'000;

constexpr const char* style = R"css(
:root { color-scheme: light dark;
  --paper: #fbfbf9; --card: #ffffff; --ink: #1d2126; --quiet: #626a74; --rule: #dfe1de;
  --compute: #0a6ab0; --posting: #58b0e3; --exposed: #d2560a; --overhead: #e0a000; --idle: #b8bdc4;
  --message: #12936b; --receive: #7d5bb5; --critical: #1d2126; --track: #eceeed; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171a; --card: #1c2024; --ink: #e7e9eb; --quiet: #99a2ac; --rule: #30363c;
  --compute: #3f97dd; --posting: #86caf2; --exposed: #f07f3a; --overhead: #edbb45; --idle: #59616a;
  --message: #35b68b; --receive: #a98ae0; --critical: #e7e9eb; --track: #262b30; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 32px 24px 48px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 0 0 12px; }
.quiet { color: var(--quiet); font-size: 13px; }
.meaning { font-size: 17px; max-width: 76ch; margin: 18px 0 6px; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 18px 22px 20px; margin-top: 22px; overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; width: 100%; }
th, td { text-align: right; padding: 3px 10px; white-space: nowrap; }
th { color: var(--quiet); font-weight: 500; border-bottom: 1px solid var(--rule); white-space: normal;
  vertical-align: bottom; }
td:last-child { width: 24%; }
td:first-child, th:first-child { text-align: left; padding-left: 0; }
td small { color: var(--quiet); font-size: 12px; display: inline-block; width: 4.2em; }
tr.mean td { border-top: 1px solid var(--rule); font-weight: 600; }
.bar { display: flex; min-width: 100px; height: 12px; border-radius: 3px; overflow: hidden;
  background: var(--track); }
.bar i { display: block; height: 100%; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 10px;
  padding: 0; font-size: 13px; }
.legend li { display: flex; align-items: center; gap: 7px; }
.legend i { width: 14px; height: 14px; border-radius: 3px; display: inline-block; }
.k-compute { background: var(--compute); } .k-posting { background: var(--posting); }
.k-exposed { background: var(--exposed); } .k-overhead { background: var(--overhead); }
.k-idle { background: var(--idle); } .k-message { background: var(--message); }
.k-receive { background: var(--receive); } .k-track { background: var(--track); }
.k-critical { border: 2px solid var(--critical); }
.tools { display: flex; gap: 8px; align-items: center; margin-bottom: 8px; }
button { font: inherit; font-size: 13px; color: var(--ink); background: var(--paper);
  border: 1px solid var(--rule); border-radius: 6px; padding: 2px 12px; cursor: pointer; }
.scroll { max-height: 72vh; overflow-y: auto; }
canvas { display: block; width: 100%; touch-action: none; cursor: grab; }
#tip { position: fixed; pointer-events: none; background: var(--ink); color: var(--paper);
  font-size: 12px; line-height: 1.4; padding: 6px 10px; border-radius: 6px; white-space: pre; z-index: 1; }
)css";

// Lanes below each other, a rank's workers before its messages; messages that overlap in rows.
constexpr const char* script = R"js(
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("events").textContent);
  const canvas = document.getElementById("timeline"), tip = document.getElementById("tip");
  if (!canvas) return;
  const KIND = ["compute", "posting", "exposed", "overhead", "idle", "message", "receive"];
  const LEFT = 118, TOP = 24, LANE = 20, ROW = 8, GAP = 10, ROWS = 8;
  const lanes = data.lanes.map(([rank, name, messages]) => ({rank, name, messages, events: [], rows: 1}));
  for (const e of data.events) lanes[e[0]].events.push({name: data.names[e[1]], kind: e[2], from: e[3],
    to: e[3] + e[4], critical: e[5] & 1, row: 0});
  let begin = Infinity, end = -Infinity;
  for (const lane of lanes) {
    const ends = [];
    for (const e of lane.events) {
      begin = Math.min(begin, e.from); end = Math.max(end, e.to);
      if (!lane.messages) continue;
      let row = ends.findIndex(at => at <= e.from);
      if (row < 0) row = ends.length < ROWS ? ends.length : ends.indexOf(Math.min(...ends));
      ends[row] = Math.max(ends[row] ?? 0, e.to);
      e.row = row;
    }
    lane.rows = Math.max(1, ends.length);
    lane.longest = lane.events.reduce((most, e) => Math.max(most, e.to - e.from), 0);
  }
  let y = TOP;
  lanes.forEach((lane, i) => {
    if (i && lane.rank !== lanes[i - 1].rank) y += GAP;
    lane.y = y;
    lane.height = lane.messages ? Math.max(LANE - 4, lane.rows * ROW) : LANE;
    y += lane.height + 2;
  });
  const height = y + 6;
  if (!(end > begin)) { begin = 0; end = 1; }
  const whole = [begin, end];
  let [from, to] = whole, width = 0;
  const x = t => LEFT + (t - from) / (to - from) * (width - LEFT);
  const time = at => from + (at - LEFT) / (width - LEFT) * (to - from);
  const span = (ns, digits = 4) => {
    const [unit, size] = ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ns >= 1e3 ? ["µs", 1e3] : ["ns", 1];
    return Number((ns / size).toPrecision(digits)) + " " + unit;
  };
  const colours = () => {
    const css = getComputedStyle(document.documentElement), of = name => css.getPropertyValue("--" + name).trim();
    return {kinds: KIND.map(of), ink: of("ink"), quiet: of("quiet"), rule: of("rule"), track: of("track"),
      critical: of("critical"), card: of("card")};
  };
  const tick = () => {
    const rough = (to - from) / Math.max(3, (width - LEFT) / 130), power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map(f => f * power).find(step => step >= rough);
  };
  // The first event of a lane that can still be seen: none that begins earlier is long enough.
  const first = (lane, t) => {
    let low = 0, high = lane.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      lane.events[middle].from < t - lane.longest ? low = middle + 1 : high = middle;
    }
    return low;
  };
  const box = (lane, e) => lane.messages ? [lane.y + e.row * ROW, ROW - 1] : [lane.y, lane.height];
  function draw() {
    const ratio = devicePixelRatio || 1, c = colours();
    width = canvas.clientWidth;
    canvas.width = width * ratio; canvas.height = height * ratio; canvas.style.height = height + "px";
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio); g.clearRect(0, 0, width, height);
    g.font = "12px system-ui, sans-serif"; g.textBaseline = "middle";
    const step = tick();
    for (let t = Math.ceil((from - data.origin) / step) * step + data.origin; t <= to; t += step) {
      g.fillStyle = c.rule; g.fillRect(x(t), TOP - 6, 1, height);
      g.fillStyle = c.quiet;
      if (x(t) < width - 60) g.fillText(t > data.origin ? span(t - data.origin, 9) : "0", x(t) + 2, 9);
    }
    let rank = -1;
    for (const lane of lanes) {
      g.fillStyle = c.quiet; g.fillText(lane.name, 52, lane.y + Math.min(lane.height, LANE) / 2, LEFT - 56);
      if (lane.rank !== rank) { g.fillStyle = c.ink; g.fillText("rank " + (rank = lane.rank), 0, lane.y + LANE / 2, 50); }
      g.save(); g.beginPath(); g.rect(LEFT, 0, width - LEFT, height); g.clip();
      g.fillStyle = c.track; g.fillRect(LEFT, lane.y, width - LEFT, lane.height);
      let drawn = new Float64Array(ROWS).fill(-1);
      for (let i = first(lane, from); i < lane.events.length && lane.events[i].from < to; ++i) {
        const e = lane.events[i];
        if (e.to < from) continue;
        const left = x(e.from), right = x(e.to);
        if (right <= drawn[e.row] && right - left < 0.5) continue;  // under what is there already
        drawn[e.row] = Math.max(drawn[e.row], left + Math.max(0.5, right - left));
        const [top, tall] = box(lane, e);
        g.fillStyle = c.kinds[e.kind]; g.fillRect(left, top, Math.max(0.5, right - left - (right - left > 3 ? 0.5 : 0)), tall);
        if (e.critical && right - left > 2) { g.fillStyle = c.critical; g.fillRect(left, top + tall - 2, right - left, 2); }
        if (tall > 12 && right - left > 30) {
          const at = Math.max(left, LEFT) + 4, room = Math.min(right, width) - at - 3;
          if (g.measureText(e.name).width <= room) { g.fillStyle = e.kind === 4 ? c.ink : c.card; g.fillText(e.name, at, top + tall / 2); }
        }
      }
      g.restore();
    }
  }
  const limit = () => {
    const length = Math.min(Math.max(to - from, 50), whole[1] - whole[0]);
    from = Math.min(Math.max(from, whole[0]), whole[1] - length); to = from + length;
    draw();
  };
  const zoom = (at, factor) => { from = at - (at - from) * factor; to = at + (to - at) * factor; limit(); };
  const middle = () => (from + to) / 2;
  document.getElementById("in").onclick = () => zoom(middle(), 0.5);
  document.getElementById("out").onclick = () => zoom(middle(), 2);
  document.getElementById("all").onclick = () => { [from, to] = whole; draw(); };
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.shiftKey) return;  // the page scrolls
    event.preventDefault(); zoom(time(event.offsetX), event.deltaY + event.deltaX > 0 ? 1.25 : 0.8);
  }, {passive: false});
  canvas.addEventListener("dblclick", event => zoom(time(event.offsetX), 0.25));
  let held = null;
  canvas.addEventListener("pointerdown", event => { held = event.offsetX; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", event => {
    if (held !== null) {
      const moved = (held - event.offsetX) / (width - LEFT) * (to - from);
      held = event.offsetX; from += moved; to += moved; limit();
    }
    const at = time(event.offsetX), near = 2 / (width - LEFT) * (to - from);
    let hit = null;
    for (const lane of lanes) {
      if (event.offsetX < LEFT || event.offsetY < lane.y || event.offsetY >= lane.y + lane.height) continue;
      for (let i = first(lane, at - near); i < lane.events.length && lane.events[i].from <= at + near; ++i) {
        const e = lane.events[i], [top, tall] = box(lane, e);
        if (e.to >= at - near && event.offsetY >= top && event.offsetY < top + tall + 1) hit = [lane, e];
      }
    }
    tip.hidden = !hit;
    if (!hit) return;
    const [lane, e] = hit;
    tip.textContent = e.name + "\n" + (e.kind === 6 ? "receive" : e.kind === 5 ? "send" : KIND[e.kind]) + ", rank " + lane.rank
      + ", " + lane.name + "\n" + span(e.to - e.from) + ", from " + span(e.from - data.origin)
      + (e.critical ? "\non the critical path" : "");
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = event.clientY + 16 + "px";
  });
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
)js";

[[nodiscard]] std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

struct column {
  const char* kind;
  const char* title;
  double ledger_entry::*part;
};
constexpr std::array<column, activity_count> columns{{
    {"compute", "compute", &ledger_entry::compute_s},
    {"posting", "posting", &ledger_entry::posting_s},
    {"exposed", "exposed communication", &ledger_entry::exposed_s},
    {"overhead", "overhead", &ledger_entry::overhead_s},
    {"idle", "other idle", &ledger_entry::idle_s},
}};

[[nodiscard]] double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

/// Seconds, or milliseconds of what took less than one.
struct unit {
  const char* name;
  double per_second;
};

[[nodiscard]] std::string table_row(const std::string& name, const ledger_entry& of, unit in,
                                    bool mean) {
  std::string row = fmt::format("<tr{}><td>{}</td><td>{:.3f}</td>", mean ? " class=\"mean\"" : "",
                                name, of.wall_s * in.per_second);
  std::string bar;
  for (const column& one : columns) {
    const double share = percent(of.*one.part, of.wall_s);
    row +=
        fmt::format("<td>{:.3f} <small>{:.1f} %</small></td>", of.*one.part * in.per_second, share);
    bar += fmt::format("<i class=\"k-{}\" style=\"width:{:.2f}%\" title=\"{} {:.1f} %\"></i>",
                       one.kind, share, one.title, share);
  }
  return row + "<td><div class=\"bar\">" + bar + "</div></td></tr>\n";
}

[[nodiscard]] std::string table(const std::vector<ledger_entry>& ranks) {
  double longest_s = 0;
  for (const ledger_entry& one : ranks) longest_s = std::max(longest_s, one.wall_s);
  const unit in = longest_s < 1 ? unit{"ms", 1e3} : unit{"s", 1};
  std::string html = fmt::format("<table><thead><tr><th>rank</th><th>wall, {}</th>", in.name);
  for (const column& one : columns) html += fmt::format("<th>{}</th>", one.title);
  html += "<th></th></tr></thead>\n<tbody>\n";
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    html += table_row(std::to_string(rank), ranks[rank], in, false);
  }
  if (ranks.size() > 1) html += table_row("mean", mean_of(ranks), in, true);
  return html + "</tbody></table>\n";
}

[[nodiscard]] std::string legend() {
  constexpr std::array<std::pair<const char*, const char*>, 7> entries{{
      {"compute", "compute"},
      {"exposed", "exposed: nothing to run, a message under way"},
      {"idle", "other idle"},
      {"track", "blank: posting, overhead, the program between its calls"},
      {"message", "send"},
      {"receive", "receive"},
      {"critical", "underlined: on the critical path"},
  }};
  std::string html = "<ul class=\"legend\">";
  for (const auto& [kind, text] : entries) {
    html += fmt::format("<li><i class=\"k-{}\"></i>{}</li>", kind, text);
  }
  return html + "</ul>\n";
}

/// Gives each text a number.
class numbering {
 public:
  [[nodiscard]] std::size_t of(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, numbers_.size());
    if (is_new) texts_ += fmt::format("{}{}", texts_.empty() ? "" : ",", json_text(text));
    return place->second;
  }
  [[nodiscard]] const std::string& texts() const noexcept { return texts_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::string texts_;
};

/// {"origin", "lanes": [[rank, name, of messages]], "names": […], "events": [[lane, name, kind,
/// begin_ns, length_ns, critical]]}
[[nodiscard]] std::string events_text(const timeline_stretch& stretch) {
  struct lane_key {
    int rank;
    bool messages;
    std::string name;
    [[nodiscard]] auto operator<=>(const lane_key&) const = default;
  };
  const auto key_of = [](const trace_event& e) {
    return lane_key{e.rank, e.kind == event_kind::message, e.lane};
  };
  std::map<lane_key, std::size_t> lanes;
  for (const trace_event* e : stretch.events) lanes.try_emplace(key_of(*e), 0);
  std::string lane_list;
  std::size_t next = 0;
  for (auto& [key, number] : lanes) {
    number = next++;
    lane_list += fmt::format("{}[{},{},{}]", lane_list.empty() ? "" : ",", key.rank,
                             json_text(key.name), key.messages ? 1 : 0);
  }
  numbering names;
  std::string events;
  constexpr int received = 6;  // kinds of the script: those of event_kind, and this
  for (const trace_event* e : stretch.events) {
    const int kind = e->message && !e->message->sent ? received : static_cast<int>(e->kind);
    events += fmt::format("{}[{},{},{},{:.0f},{:.0f},{}]", events.empty() ? "" : ",\n",
                          lanes.at(key_of(*e)), names.of(e->name), kind,
                          1e9 * (e->begin_s - stretch.origin_s), 1e9 * (e->end_s - e->begin_s),
                          e->critical ? 1 : 0);
  }
  return fmt::format("{{\"origin\":0,\"lanes\":[{}],\"names\":[{}],\"events\":[{}]}}", lane_list,
                     names.texts(), events);
}

[[nodiscard]] std::string what_is_shown(const program_record& record,
                                        const timeline_stretch& stretch) {
  std::string text;
  if (!stretch.is_whole) {
    text += fmt::format("Shown are {} events out of the middle; PLAIT_TRACE=FILE keeps more. ",
                        stretch.events.size());
  }
  if (record.dropped_events > 0) {
    text += fmt::format("{} later events found no room in the trace. ", record.dropped_events);
  }
  return text;
}

[[nodiscard]] std::string timeline(const program_record& record, const timeline_stretch& stretch) {
  if (stretch.events.empty()) return "<p>Nothing was traced.</p>\n";
  return legend() +
         "<div class=\"tools\"><button id=\"in\">zoom in</button><button id=\"out\">zoom out"
         "</button><button id=\"all\">all</button><span class=\"quiet\">double click or shift and "
         "wheel to zoom, drag to move, point to read</span></div>\n"
         "<div class=\"scroll\"><canvas id=\"timeline\"></canvas></div>\n<p class=\"quiet\">" +
         what_is_shown(record, stretch) + "</p>\n";
}

}  // namespace

std::string report_page(const program_record& record) {
  const timeline_stretch stretch = middle_of(record.runs, most_events);
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
          html_text(record.program) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n";
  html += "<main>\n<h1>" + html_text(record.program) + "</h1>\n";
  html += fmt::format(
      "<p class=\"quiet\">{} rank{}, {} worker{} each, progress {} ({}). {}. {}.</p>",
      record.ranks(), record.ranks() == 1 ? "" : "s", record.workers,
      record.workers == 1 ? "" : "s", html_text(record.policy), html_text(record.policy_reason),
      html_text(record.mpi_version), html_text(record.started_at));
  html += "\n<p class=\"meaning\">" + html_text(meaning_of(record.means)) + "</p>\n";
  for (const traced_run& run : record.runs) {
    if (run.events.empty()) continue;
    html += fmt::format("<p class=\"quiet\">Critical path{}: {}.</p>\n",
                        record.runs.size() > 1 ? " of " + html_text(run.name) : "",
                        html_text(summarize_trace(run.events, run.path).limit));
  }
  html += "<section><h2>Where the time went</h2>\n" + table(record.means);
  html += record.runtimes > 1
              ? fmt::format("<p class=\"quiet\">{} runtimes added up.</p>", record.runtimes)
              : std::string();
  html += "</section>\n<section><h2>Timeline</h2>\n" + timeline(record, stretch) + "</section>\n";
  html += "</main>\n<div id=\"tip\" hidden></div>\n";
  html += "<script type=\"application/json\" id=\"events\">" + events_text(stretch) + "</script>\n";
  html += std::string("<script>") + script + "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace plait
