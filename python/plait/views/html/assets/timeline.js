// A timeline on a canvas: a lane per worker, a rank's messages beneath, to zoom into and to drag.
const LEFT = 118, TOP = 24, LANE = 20, ROW = 8, GAP = 10, ROWS = 8;

const isIncoming = (e) => !(e.sent ?? !/^(receive|recv)/.test(e.name));

// The times at which any of the events goes on.
function unionOf(events) {
  const merged = [];
  for (const { from, to } of events.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

// MPI's calls and the runtime: what lies between events, which tell of idle time too.
function gapsOf(events, flights) {
  const gaps = [];
  let last = null, flight = 0;
  for (const { from, to } of events) {
    if (last !== null && from - last > 1) {
      const middle = (last + from) / 2;
      while (flight < flights.length && flights[flight][1] < middle) ++flight;
      const isPosting = flight < flights.length && flights[flight][0] <= middle;
      const [name, kind] = isPosting ? ["MPI's calls", "posting"] : ["the runtime", "overhead"];
      gaps.push({ name, kind, from: last, to: from, row: 0 });
    }
    last = Math.max(last ?? to, to);
  }
  return gaps;
}

// Events that overlap get rows beneath each other, as far as there are rows.
function putInRows(events) {
  const ends = [];
  for (const e of events) {
    let row = ends.findIndex((at) => at <= e.from);
    if (row < 0) row = ends.length < ROWS ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = Math.max(ends[row] ?? 0, e.to);
    e.row = row;
  }
  return Math.max(1, ends.length);
}

// Lanes below each other, in the order in which they are drawn: a rank's workers before its messages.
function lanesOf(events) {
  const found = new Map();
  for (const e of events) {
    const messages = e.kind === "message", key = `${e.rank}\n${messages}\n${e.lane}`;
    if (!found.has(key)) found.set(key, { rank: e.rank, name: e.lane, messages, events: [], rows: 1 });
    const kind = messages && isIncoming(e) ? "receive" : e.kind;
    found.get(key).events.push({ name: e.name, kind, from: e.start_us, to: e.end_us, critical: e.critical, row: 0 });
  }
  const lanes = [...found.values()].sort((a, b) =>
    a.rank - b.rank || a.messages - b.messages || a.name.localeCompare(b.name, "en", { numeric: true }));
  for (const lane of lanes) lane.events.sort((a, b) => a.from - b.from);
  for (const lane of lanes) {
    if (lane.messages) lane.rows = putInRows(lane.events);
    else {
      const ofRank = lanes.filter((other) => other.messages && other.rank === lane.rank);
      const gaps = gapsOf(lane.events, unionOf(ofRank.flatMap((other) => other.events)));
      lane.events = [...lane.events, ...gaps].sort((a, b) => a.from - b.from);
    }
    lane.longest = lane.events.reduce((most, e) => Math.max(most, e.to - e.from), 0);
  }
  let y = TOP;
  lanes.forEach((lane, i) => {
    if (i && lane.rank !== lanes[i - 1].rank) y += GAP;
    lane.y = y;
    lane.height = lane.messages ? Math.max(LANE - 4, lane.rows * ROW) : LANE;
    y += lane.height + 2;
  });
  return lanes;
}

// As much as can be read, out of the middle of the run.
function readableOf(events, [begin, end]) {
  const share = Math.min(1, (READABLE * new Set(events.map((e) => e.rank)).size) / events.length);
  const length = Math.max(share * (end - begin), 1e-3);
  return [(begin + end - length) / 2, (begin + end + length) / 2];
}

// Of a run with iterations, an excerpt is shown first, as long as the longest of all that are to be compared.
function drawTimeline(figure, events, excerpts) {
  const canvas = figure.querySelector("canvas"), lanes = lanesOf(events), whole = extentOf(events);
  const excerpt = excerpts?.[figure.dataset.name];
  const longest = 1.02 * Math.max(...Object.values(excerpts ?? {}).map(([begin, end]) => end - begin));
  if (excerpt) whole[1] = Math.max(whole[1], excerpt[0] + longest);
  const first = excerpt ? [excerpt[0], excerpt[0] + longest] : readableOf(events, whole);
  const last = lanes.at(-1), height = last.y + last.height + 8;
  if (!(whole[1] > whole[0])) whole[1] = whole[0] + 1;
  let [from, to] = first, width = 0;
  const x = (t) => LEFT + ((t - from) / (to - from)) * (width - LEFT);
  const time = (at) => from + ((at - LEFT) / (width - LEFT)) * (to - from);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const tick = () => {
    const rough = (to - from) / Math.max(3, (width - LEFT) / 130), power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((f) => f * power).find((step) => step >= rough);
  };
  // The first event of a lane that can still be seen: none that begins earlier is long enough.
  const firstOf = (lane, t) => {
    let low = 0, high = lane.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lane.events[middle].from < t - lane.longest) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const box = (lane, e) => (lane.messages ? [lane.y + e.row * ROW, ROW - 1] : [lane.y, lane.height]);

  function drawLane(g, lane, colours) {
    g.fillStyle = colours.track;
    g.fillRect(LEFT, lane.y, width - LEFT, lane.height);
    const drawn = new Float64Array(ROWS).fill(-1);
    for (let i = firstOf(lane, from); i < lane.events.length && lane.events[i].from < to; ++i) {
      const e = lane.events[i];
      if (e.to < from) continue;
      const left = x(e.from), right = x(e.to), wide = right - left, [top, tall] = box(lane, e);
      if (right <= drawn[e.row] && wide < 0.5) continue;  // under what is there already
      drawn[e.row] = Math.max(drawn[e.row], left + Math.max(0.5, wide));
      g.fillStyle = colours[e.kind];
      g.fillRect(left, top, Math.max(0.5, wide - (wide > 3 ? 0.5 : 0)), tall);
      if (e.critical && wide > 2) {
        g.fillStyle = colours.ink;
        g.fillRect(left, top + tall - 2, wide, 2);
      }
      const at = Math.max(left, LEFT) + 4, room = Math.min(right, width) - at - 3;
      if (tall > 12 && wide > 30 && g.measureText(e.name).width <= room) {
        g.fillStyle = e.kind === "idle" ? colours.ink : colours.card;
        g.fillText(e.name, at, top + tall / 2);
      }
    }
  }

  function draw() {
    const ratio = devicePixelRatio || 1, g = canvas.getContext("2d"), colours = {};
    for (const name of [...PARTS, "message", "receive", "ink", "quiet", "rule", "track", "card"]) colours[name] = colour(name);
    width = canvas.clientWidth;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = `${height}px`;
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    const step = tick();
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
      g.fillStyle = colours.rule;
      g.fillRect(x(t), TOP - 6, 1, height);
      g.fillStyle = colours.quiet;
      if (x(t) < width - 60) g.fillText(tickText(t), x(t) + 2, 9);
    }
    let rank = null;
    for (const lane of lanes) {
      g.fillStyle = colours.quiet;
      g.fillText(lane.name, 52, lane.y + Math.min(lane.height, LANE) / 2, LEFT - 56);
      g.fillStyle = colours.ink;
      if (lane.rank !== rank) g.fillText(`rank ${(rank = lane.rank)}`, 0, lane.y + LANE / 2, 50);
      g.save();
      g.beginPath();
      g.rect(LEFT, 0, width - LEFT, height);
      g.clip();
      drawLane(g, lane, colours);
      g.restore();
    }
    if (excerpt && excerpt[1] < to) {
      g.fillStyle = colours.quiet;
      g.fillRect(x(excerpt[1]), TOP - 6, 1, height);
    }
  }

  function show(begin, end) {
    const length = Math.min(Math.max(end - begin, 0.05), whole[1] - whole[0]);
    from = Math.min(Math.max(begin, whole[0]), whole[1] - length);
    to = from + length;
    draw();
  }
  const zoom = (at, factor) => show(at - (at - from) * factor, at + (to - at) * factor);
  const buttons = {
    in: () => zoom((from + to) / 2, 0.5),
    out: () => zoom((from + to) / 2, 2),
    first: () => show(...first),
    all: () => show(...whole),
  };
  for (const button of figure.querySelectorAll("button")) button.onclick = buttons[button.dataset.do];
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;  // the page scrolls
    event.preventDefault();
    zoom(time(event.offsetX), event.deltaY + event.deltaX > 0 ? 1.25 : 0.8);
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(time(event.offsetX), 0.25));

  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = event.offsetX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (held !== null) {
      const moved = ((held - event.offsetX) / (width - LEFT)) * (to - from);
      held = event.offsetX;
      show(from + moved, to + moved);
    }
    canvas.dataset.tip = event.offsetX < LEFT ? "" : tipAt(time(event.offsetX), event.offsetY);
  });

  function tipAt(at, y) {
    const near = (2 / (width - LEFT)) * (to - from);
    let tip = "";
    for (const lane of lanes) {
      if (y < lane.y || y >= lane.y + lane.height) continue;
      for (let i = firstOf(lane, at - near); i < lane.events.length && lane.events[i].from <= at + near; ++i) {
        const e = lane.events[i], [top, tall] = box(lane, e);
        if (e.to >= at - near && y >= top && y < top + tall + 1) tip = tipOf(lane, e);
      }
    }
    return tip;
  }

  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
}

const tickText = (us) => (us ? secondsText(1e-6 * us, 9).replace(/\.?0+ /, " ") : "0");

function tipOf(lane, e) {
  return `${e.name}\n${LABELS[e.kind]}, rank ${lane.rank}, ${lane.name}\n${secondsText(1e-6 * (e.to - e.from), 4)}, `
    + `from ${secondsText(1e-6 * e.from, 6)}${e.critical ? "\non the critical path" : ""}`;
}
