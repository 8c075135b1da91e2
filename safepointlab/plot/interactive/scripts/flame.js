// A flame graph: mouse or arrow keys choose a frame, its name and share are said below; Enter or a click widens it.
// data: { title, kinds: { kind: [label, colour, ink] }, frames: [[name, short, samples, left, level, kind, caller]] }
const WIDTH = 960, ROW = 20, LETTER = 7.2, SVG = "http://www.w3.org/2000/svg";
const KEYS = "Point at a frame, or use the arrow keys: ↑ called from it, ↓ its caller, ← → beside it. "
  + "Enter or a click makes it as wide as the picture, Escape shows all.";

function made(tag, attributes, namespace) {
  const node = namespace ? document.createElementNS(namespace, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function read(row, place) {
  const [name, short, samples, left, level, kind, caller] = row;
  return { name, short, samples, left, level, kind, caller, place };
}

function bar(frame, look) {
  const group = made("g", {}, SVG), rect = made("rect", { height: ROW - 1, fill: look[1] }, SVG);
  const words = made("text", {}, SVG);
  words.style.fill = look[2];
  words.style.pointerEvents = "none";
  group.append(rect, words);
  return { group, rect, words };
}

function fitted(text, width) {
  const room = Math.floor(width / LETTER) - 1;
  return text.length <= room ? text : room > 4 ? text.slice(0, room - 1) + "…" : "";
}

function render({ model, el }) {
  const { title, kinds, frames: rows } = model.get("data");
  const frames = rows.map(read);
  if (!frames.length) { el.append(title); return; }
  const levels = Math.max(...frames.map(frame => frame.level)), total = frames[0].samples;
  const heading = made("b", {}), keys = made("div", {}), said = made("div", { "aria-live": "polite" });
  const picture = made("svg", {
    viewBox: `0 0 ${WIDTH} ${(levels + 1) * ROW + 4}`, width: "100%", tabindex: 0, role: "group",
    "aria-label": `${title}. ${KEYS}`, style: `max-width:${WIDTH}px;min-width:480px;font:12px sans-serif;display:block`,
  }, SVG);
  const bars = frames.map(frame => bar(frame, kinds[frame.kind]));
  let at = 0, wide = frames[0];

  function place(frame) {
    const scale = WIDTH / wide.samples;
    const left = Math.max(0, (frame.left - wide.left) * scale);
    const right = Math.min(WIDTH, (frame.left + frame.samples - wide.left) * scale);
    const { group, rect, words } = bars[frame.place], y = (levels - frame.level) * ROW + 2;
    group.setAttribute("display", right - left > 0.2 ? "inline" : "none");
    for (const [name, value] of [["x", left + 0.5], ["y", y], ["width", Math.max(0.5, right - left - 1)]]) rect.setAttribute(name, value);
    words.setAttribute("x", left + 4);
    words.setAttribute("y", y + 14);
    words.textContent = fitted(frame.short, right - left);
  }

  function choose(frame) {
    bars[at].rect.removeAttribute("stroke");
    at = frame.place;
    bars[at].rect.setAttribute("stroke", "var(--sl-ink)");
    bars[at].rect.setAttribute("stroke-width", 2);
    const ofCaller = frame.caller < 0 ? "" : `, ${percent(frame.samples, frames[frame.caller].samples)} of its caller`;
    said.textContent = `${frame.name}: ${frame.samples.toLocaleString("en")} samples, ${percent(frame.samples, total)} of all${ofCaller} (${kinds[frame.kind][0]})`;
  }

  function widen(frame) { wide = frame; frames.forEach(place); choose(frame); }

  const seen = frame => bars[frame.place].group.getAttribute("display") !== "none";
  const beside = by => frames.filter(other => other.level === frames[at].level && seen(other)
    && Math.sign(other.left - frames[at].left) === by).sort((a, b) => by * (a.left - b.left))[0];
  const called = () => frames.filter(other => other.caller === at && seen(other)).sort((a, b) => b.samples - a.samples)[0];
  const steps = {
    ArrowUp: called, ArrowDown: () => frames[frames[at].caller], ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
  };
  picture.addEventListener("keydown", event => {
    if (steps[event.key]) { const to = steps[event.key](); if (to) choose(to); }
    else if (event.key === "Enter") widen(frames[at]);
    else if (event.key === "Escape") widen(frames[0]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  frames.forEach(frame => {
    bars[frame.place].group.addEventListener("pointerenter", () => choose(frame));
    bars[frame.place].group.addEventListener("click", () => widen(frame));
    picture.append(bars[frame.place].group);
  });
  const used = Object.keys(kinds).filter(kind => kind !== "other" && frames.some(frame => frame.kind === kind));
  const legend = made("div", {});
  for (const kind of used) {
    const patch = made("span", { style: `background:${kinds[kind][1]};border:1px solid var(--sl-line);padding:0 .6em;margin-right:.4em` });
    legend.append(patch, `${kinds[kind][0]}   `);
  }
  heading.textContent = title;
  keys.textContent = KEYS;
  keys.style.color = "var(--sl-faint)";
  said.style.cssText = "min-height:2.6em;overflow-wrap:anywhere;font-weight:bold";
  el.append(heading, legend, picture, said, keys);
  widen(frames[0]);
}

const percent = (part, whole) => `${(100 * part / whole).toFixed(1)} %`;
export default { render };
