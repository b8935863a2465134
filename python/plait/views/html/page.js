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
