// The article of a program of somebody's own, made of the result that its library wrote.
"use strict";
const PARTS = ["compute", "posting", "exposed", "overhead", "idle"];
const LABELS = {
  compute: "compute", posting: "posting", exposed: "exposed communication",
  overhead: "runtime overhead", idle: "other idle", message: "message being sent",
  receive: "message awaited", critical: "underlined: on the critical path",
};
const MOST_LISTED = 16;  // workers: of more, the mean says more than a list
const READABLE = 150;  // events of a rank

const escaped = (text) =>
  String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const sum = (values) => values.reduce((all, one) => all + one, 0);
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;

// Seconds with a unit that keeps the figure readable, as units.py writes them.
function secondsText(seconds, digits = 3) {
  if (!seconds) return "0 s";
  const units = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9], ["ps", 1e-12]];
  const least = (unit) => (unit === "ns" ? 0.0995 : 0.9995);  // a byte may take some tenths
  const [unit, size] = units.find((one) => Math.abs(seconds) >= least(one[0]) * one[1]) ?? units.at(-1);
  const whole = Math.trunc(Math.abs(seconds / size)).toString().length;
  return `${(seconds / size).toFixed(Math.max(0, digits - whole))} ${unit}`;
}

const legend = (kinds) =>
  `<ul class="legend">${kinds
    .map((kind) => `<li><span class="swatch k-${kind}"></span>${LABELS[kind]}</li>`)
    .join("")}</ul>`;
const facts = (sentences) => `<ul class="facts">${sentences.map((one) => `<li>${one}</li>`).join("")}</ul>`;
const quiet = (text) => `<p class="quiet">${text}</p>`;

// Cells are markup, and numbers from a column on.
function table(header, rows, numericFrom) {
  const row = (tag, cells) =>
    `<tr>${cells.map((cell, i) => `<${tag}${i < numericFrom ? "" : ' class="n"'}>${cell}</${tag}>`).join("")}</tr>`;
  return `<div class="wide"><table><thead>${row("th", header)}</thead>
<tbody>${rows.map((cells) => row("td", cells)).join("\n")}</tbody></table></div>`;
}

// Shares of a whole side by side; `name` says whose they are.
function slices(parts, whole, name = "") {
  const one = ([kind, seconds]) => {
    const tip = `${name}${name && ": "}${LABELS[kind]} ${secondsText(seconds)}`;
    return `<i class="k-${kind}" style="width:${((100 * seconds) / whole).toFixed(2)}%" data-tip="${escaped(tip)}"></i>`;
  };
  return `<div class="slices">${parts.filter((part) => whole > 0 && part[1] > 0).map(one).join("")}</div>`;
}

const partsOf = (row) => PARTS.map((kind) => [kind, Math.max(0, row[`${kind}_s`])]);
const bookedOf = (row) => sum(PARTS.map((kind) => row[`${kind}_s`]));
const wallOf = (row) => row.wall_s || bookedOf(row);

function meanOf(rows) {
  const mean = { wall_s: sum(rows.map(wallOf)) / rows.length };
  for (const kind of PARTS) mean[`${kind}_s`] = sum(rows.map((row) => row[`${kind}_s`])) / rows.length;
  return mean;
}

// A bar per worker, all at one scale.
function workersOf(result) {
  let rows = result.ledger.map((row) => [`rank ${row.rank}, worker ${row.worker}`, row]);
  if (rows.length > MOST_LISTED) rows = [[`mean of ${rows.length}`, meanOf(result.ledger)]];
  const longest = Math.max(0, ...rows.map(([, row]) => sum(partsOf(row).map((part) => part[1]))));
  if (!longest) return quiet("No time was booked.");
  return `<div class="workers">${rows
    .map(([name, row]) => `<span>${name}</span>${slices(partsOf(row), longest, name)}<b>${secondsText(bookedOf(row), 4)}</b>`)
    .join("\n")}</div>`;
}

// Every rank as the mean of its workers, in seconds, or in milliseconds where none took one.
function ranksOf(result) {
  const numbers = [...new Set(result.ledger.map((row) => row.rank))];
  const ranks = result.ranks_mean ?? numbers.map((rank) => meanOf(result.ledger.filter((row) => row.rank === rank)));
  const [unit, size] = ranks.every((row) => wallOf(row) < 1) ? ["ms", 1e-3] : ["s", 1];
  const row = (name, of) => [
    name, (wallOf(of) / size).toFixed(3),
    ...partsOf(of).map(([, seconds]) =>
      `${(seconds / size).toFixed(3)} <small>${percent(wallOf(of) ? seconds / wallOf(of) : 0)}</small>`),
    slices(partsOf(of), wallOf(of), name),
  ];
  const rows = ranks.map((of, rank) => row(`rank ${rank}`, of));
  if (ranks.length > 1) rows.push(row("mean", meanOf(ranks)));
  return ranks.length ? table(["", `wall, ${unit}`, ...PARTS.map((kind) => LABELS[kind]), ""], rows, 1) : "";
}

function sentencesOf(result) {
  const { policy_chosen: policy, policy_reason: reason } = result.environment;
  const sentences = [];
  const mean = result.ledger.length ? meanOf(result.ledger) : null;
  if (mean && bookedOf(mean) > 0) {
    const share = (kind) => percent(mean[`${kind}_s`] / bookedOf(mean));
    sentences.push(`of its time a worker waits ${share("exposed")} for messages and computes ${share("compute")}`);
  }
  if (policy) sentences.push(escaped(`progress: ${policy}${reason ? ` (${reason})` : ""}`));
  if (result.parameters.runtimes > 1) sentences.push(`${result.parameters.runtimes} runtimes added up`);
  return sentences;
}

// The interactive drawings of view.js, and what is to be known about what they show.
function timelinesOf(result) {
  const drawn = Object.entries(result.timeline ?? {}).filter(([, events]) => events.length);
  if (!drawn.length) return quiet("This result has no timeline.") + pathsOf(result);
  const figures = drawn.map(([name, events]) => {
    const [begin, end] = result.excerpts?.[name] ?? extentOf(events);
    return `<figure class="timeline" data-name="${escaped(name)}"><figcaption><b>${escaped(name)}</b>  ${secondsText(1e-6 * (end - begin))}
</figcaption><div class="tools"><button data-do="in">zoom in</button><button data-do="out">zoom out</button><button data-do="first">${result.excerpts ? "one iteration" : "readable"}</button><button data-do="all">all</button>
<span class="quiet">double click or shift and wheel to zoom, drag to move, point to read</span></div>
<div class="scroll"><canvas role="img" aria-label="Timeline of ${escaped(name)}"></canvas></div></figure>`;
  });
  const said = [];
  const isLong = !result.excerpts && drawn.some(([, events]) => events.length > READABLE * new Set(events.map((e) => e.rank)).size);
  if (isLong) said.push("This is first as much as can be read, from the middle of the run; “all” shows the rest.");
  if (result.timeline_is_whole === false) said.push("It has events out of the middle of the run only; a trace (PLAIT_TRACE=FILE) keeps more.");
  if (result.events_left_out) said.push(`${result.events_left_out} later events found no room and were not recorded.`);
  return legend([...PARTS, "message", "receive", "critical"]) + figures.join("") + (said.length ? quiet(said.join(" ")) : "") + pathsOf(result);
}

const extentOf = (events) => events.reduce(
  ([begin, end], e) => [Math.min(begin, e.start_us), Math.max(end, e.end_us)], [Infinity, -Infinity]);

// Each traced run's critical path, and what perfect overlap would leave.
function pathsOf(result) {
  const summaries = Object.entries(result.trace_summary ?? {});
  if (!summaries.length) return "";
  const groups = { compute: ["compute"], messages: ["message"], waiting: ["exposed", "idle"], runtime: ["posting", "overhead"] };
  const rows = summaries.map(([name, { path, span_s }]) => [
    escaped(name),
    slices(["compute", "message", ...PARTS.slice(1)].map((kind) => [kind, path[`${kind}_s`]]), path.total_s, name),
    secondsText(path.total_s),
    ...Object.values(groups).map((kinds) => percent(sum(kinds.map((kind) => path[`${kind}_s`])) / (path.total_s || 1), 0)),
    secondsText(span_s),
  ]);
  const limits = summaries.map(([name, { limit, overlapped_s, span_s, busy_s, wire_s }]) => {
    const whole = secondsText(span_s, 4), isMost = Math.abs(Math.max(busy_s, wire_s) / overlapped_s - 1) < 1e-6;
    const of = busy_s != null && wire_s != null && isMost
      ? ` = max(busiest rank ${secondsText(busy_s, 4)}, wire ${secondsText(wire_s, 4)})` : "";
    const left = secondsText(overlapped_s, 4) + of;
    const gain = overlapped_s >= span_s ? `perfect overlap would gain nothing: it takes ${left}, the run ${whole}`
      : `of ${whole}, perfect overlap would leave ${left}`;
    return `<b>${escaped(name)}</b>: ${escaped(limit)}; ${gain}`;
  });
  return table(["traced run", "", "critical path", ...Object.keys(groups), "lasted"], rows, 2) + facts(limits);
}

// Every worker's account of its time, a foldable table per variant.
function ledgersOf(byName) {
  const balance = (row) => (row.balance_error == null ? "" : percent(row.balance_error, 3));
  const tableOf = ([name, ledger]) => {
    const rows = ledger.map((row) => [
      row.rank, row.worker, slices(partsOf(row), wallOf(row)),
      ...PARTS.map((kind) => secondsText(row[`${kind}_s`])), secondsText(wallOf(row)), balance(row),
    ]);
    const errors = ledger.filter((row) => row.balance_error != null).map((row) => Math.abs(row.balance_error));
    const worst = errors.length ? `  balances within ${percent(Math.max(...errors), 3)}` : "";
    return `<details open><summary>${escaped(name)}<span class="quiet">${worst}</span></summary>${
      table(["rank", "worker", "", ...PARTS, "wall", "off balance"], rows, 3)}</details>`;
  };
  return Object.entries(byName).filter(([, ledger]) => ledger.length).map(tableOf).join("")
    || quiet("This result has no ledger.");
}

const scaled = (value, units) => {
  const [unit, size] = units.find((one) => value >= one[1]) ?? units.at(-1);
  return `${+(value / size).toPrecision(6)}${unit}`;
};

function labText({ nodes, rate_bps, delay_s, cores = [] }) {
  const links = scaled(rate_bps, [["gbit", 1e9], ["mbit", 1e6], ["kbit", 1e3], ["bit", 1]]);
  const delay = delay_s ? `, ${secondsText(delay_s)} delay` : "";
  return `${nodes} nodes, links ${links}${delay}, cores of the nodes: ${cores.map((of) => of.join(",") || "all").join("; ")}`;
}

function circumstancesOf(result) {
  const said = {
    lab: (lab) => ["emulated cluster", labText(lab)],
    link_rate_Bps: (rate) =>
      ["link payload rate", `${scaled(rate, [[" GB/s", 1e9], [" MB/s", 1e6], [" kB/s", 1e3], [" B/s", 1]])} each way`],
  };
  const plain = (key, value) => [key.replaceAll("_", " "), Array.isArray(value) ? value.join(", ") : value];
  const rows = Object.entries({ ...result.parameters, ...result.environment })
    .filter(([, value]) => value !== null && value !== "" && value.length !== 0)
    .map(([key, value]) => (said[key] ? said[key](value) : plain(key, value)).map(escaped));
  return table(["", ""], rows, 9);
}

// Returns the markup of the article.
function programArticle(result, heading) {
  const [name, ...rest] = heading.split(", ");
  const { started_at, commit } = result.environment;
  const sections = {
    "Where the time went": legend(PARTS) + workersOf(result) + ranksOf(result) + facts(sentencesOf(result)),
    "What happened when": timelinesOf(result),
    Ledger: ledgersOf({ [result.application]: result.ledger }),
    Circumstances: circumstancesOf(result),
  };
  return `<header><h1>${escaped(name)}<span>${escaped(rest.join(", "))}</span></h1>
<p class="quiet">${[started_at, commit].filter(Boolean).map(escaped).join("   ")}</p></header>
${result.meaning ? `<p class="limit">${escaped(result.meaning)}</p>` : ""}${Object.entries(sections)
    .map(([title, content]) => `<section><h2>${title}</h2>${content}</section>`).join("\n")}`;
}
