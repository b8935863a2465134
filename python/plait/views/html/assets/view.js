// What is drawn of results, or of parts of them, that are in the page.
const DRAW = {
  program: (result, element) => programArticle(result, element.dataset.heading),
  timelines: timelinesOf,
  ledgers: ledgersOf,
};
for (const script of document.querySelectorAll('script[type="application/json"]')) {
  const element = script.parentElement, data = JSON.parse(script.textContent);
  element.innerHTML = DRAW[element.dataset.draw ?? "program"](data, element);
  for (const figure of element.querySelectorAll("figure[data-name]")) {
    drawTimeline(figure, data.timeline[figure.dataset.name], data.excerpts);
  }
}

// Shows what a coloured rectangle stands for, beside the pointer.
const tip = document.createElement("div");
tip.id = "tip";
document.body.append(tip);
document.addEventListener("pointermove", (event) => {
  const text = event.target.dataset?.tip;
  tip.style.display = text ? "block" : "none";
  if (!text) return;
  tip.textContent = text;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(event.clientY - tip.offsetHeight - 12, 4)}px`;
});

// Sorts a table by the column whose heading is clicked: numbers downwards first, words upwards.
for (const button of document.querySelectorAll("table.sortable th button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const column = [...head.parentElement.children].indexOf(head);
    const body = head.closest("table").tBodies[0];
    const key = (row) => row.cells[column].dataset.key;
    const isNumeric = [...body.rows].every((row) => !Number.isNaN(Number(key(row))));
    const up = head.ariaSort ? head.ariaSort === "descending" : !isNumeric;
    for (const other of head.parentElement.children) other.ariaSort = null;
    head.ariaSort = up ? "ascending" : "descending";
    const order = isNumeric ? (a, b) => Number(key(a) || -1) - Number(key(b) || -1)
                            : (a, b) => key(a).localeCompare(key(b));
    const rows = [...body.rows].sort((a, b) => (up ? order(a, b) : order(b, a)));
    body.append(...rows);
  });
}
