// Runs a page of standard input on a document that does nothing, and prints what its scripts made of
// the results in it: their markup, the texts that canvases show first and after all buttons, how many
// bars were drawn, and what the bars say that are first in sight.
"use strict";
const page = require("fs").readFileSync(0, "utf-8");
const drawn = [], tips = new Set();
let bars = 0;
const pen = new Proxy({ fillText: (text) => drawn.push(text), fillRect: () => { ++bars; } }, {
  get: (own, name) => own[name] ?? (name === "measureText" ? (text) => ({ width: 6 * text.length }) : () => {}),
  set: () => true,
});
const canvases = [];
const node = (more = {}) => ({
  dataset: {}, style: {}, append() {}, addEventListener() {}, querySelectorAll: () => [], ...more,
});
const newCanvas = () => {
  const listeners = {};
  const addEventListener = (name, use) => { listeners[name] = use; };
  canvases.push(node({ clientWidth: 1000, getContext: () => pen, addEventListener, listeners }));
  return canvases.at(-1);
};
const buttons = ["in", "out", "middle", "all"].map((name) => node({ dataset: { do: name } }));
const scripts = [...page.matchAll(/<(?:article|div)([^>]*)><script type="application\/json">(.*?)<\/script>/gs)].map(
  ([, attributes, text]) => {
    const of = (name) => attributes.match(`data-${name}="([^"]*)"`)?.[1];
    const parentElement = node({ dataset: { heading: of("heading"), draw: of("draw") } });
    parentElement.querySelectorAll = () =>
      [...parentElement.innerHTML.matchAll(/<figure class="timeline" data-name="([^"]*)"/g)].map(([, name]) =>
        node({ dataset: { name }, querySelector: newCanvas, querySelectorAll: () => buttons }));
    return { parentElement, textContent: text };
  });
globalThis.document = node({
  createElement: () => node(), body: node(), documentElement: node(),
  querySelectorAll: (what) => (what.startsWith("script") ? scripts : []),
});
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => name });
globalThis.matchMedia = () => node();
globalThis.addEventListener = () => {};
globalThis.devicePixelRatio = 1;
require("vm").runInThisContext([...page.matchAll(/<script>(.*?)<\/script>/gs)].at(-1)[1]);
const first = [...drawn];
for (const canvas of canvases) {
  for (let x = 0; x < 1000; x += 2) {
    for (let y = 0; y < 400; y += 4) {
      canvas.listeners.pointermove({ offsetX: x, offsetY: y });
      tips.add(canvas.dataset.tip);
    }
  }
}
for (const { onclick } of buttons) onclick?.();
console.log(JSON.stringify({
  markup: scripts.map((one) => one.parentElement.innerHTML).join("\n"), drawn: first, all: drawn, bars, tips: [...tips],
}));
