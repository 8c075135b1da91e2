// A stall, the queue that builds behind it, and what a request waits that is due in it: sliders move the formula.
// data: { setting: { rate, stall_ms, service_ms, servers, period_s },
//         percents: [50, …], measured: [ms, …] or null }
const WIDTH = 620, LEFT = 62, RIGHT = 12, PANEL = 128, GAP = 40, TOP = 22, MOST_ARRIVALS = 60;
const REACHING = "#D55E00"; // as safepointlab/plot/style.py has it: all wait
const STYLE = `
  .sl-stall { max-width: 46em; }
  .sl-stall svg { width: 100%; height: auto; display: block; }
  .sl-stall .sl-slider { display: grid; grid-template-columns: 17em minmax(8em, 1fr) 7em; gap: 0.2em 0.8em; }
  .sl-stall output { font-variant-numeric: tabular-nums; }
  .sl-stall table { border-collapse: collapse; color: inherit; }
  .sl-stall th, .sl-stall td { text-align: right; padding: 0.1em 0.8em 0.1em 0; }
  .sl-stall tr { background: none !important; }
  @media (max-width: 480px) { .sl-stall .sl-slider { grid-template-columns: 1fr; } }
`;

/** The part of the server's capacity that is in use. */
export const loadOf = ({ rate, service_ms, servers }) => rate * service_ms / 1000 / servers;

/** What a request waits that is due so many ms after the stall began, in ms. */
export const waitOf = (setting, after_ms) => Math.max(0, setting.stall_ms - after_ms * (1 - loadOf(setting)));

/** The wait that so many per cent of all requests do not exceed, in ms; NaN where the queue only grows. */
export function percentile(setting, percent) {
  const load = loadOf(setting);
  if (load >= 1) return NaN;
  return Math.max(0, setting.stall_ms - (1 - percent / 100) * (1 - load) * 1000 * setting.period_s);
}

/** When the queue is empty again, in ms since the stall began; Infinity where it only grows. */
export const emptyAt = setting => loadOf(setting) < 1 ? setting.stall_ms / (1 - loadOf(setting)) : Infinity;

/** Where the axis ends, in ms: somewhat after the queue is empty, at the next stall at the latest. */
export const untilOf = setting => Math.min(1000 * setting.period_s, Math.max(50, 2 * emptyAt(setting)));

/** How many requests wait, so many ms after the stall began. */
export function queueAt(setting, at_ms) {
  const come = setting.rate * at_ms / 1000;
  if (at_ms <= setting.stall_ms) return come;
  const done = setting.servers / setting.service_ms * (at_ms - setting.stall_ms);
  return Math.max(0, come - done);
}

const SLIDERS = [
  ["rate", "requests per second", 10, 1000, 10, value => value.toLocaleString("en")],
  ["stall_ms", "the stop lasts", 0, 2000, 10, value => `${value.toLocaleString("en")} ms`],
  ["service_ms", "a request takes", 0.25, 10, 0.25, value => `${value} ms`],
  ["after_ms", "a request is due after the stop began", 0, 4000, 5, value => `${value.toLocaleString("en")} ms`],
];
const ms = value => Number.isFinite(value) ? `${Math.round(value).toLocaleString("en")} ms` : "–";

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawn(name, attributes = {}, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function render({ model, el }) {
  const { setting: start, percents, measured } = model.get("data");
  const state = { ...start, after_ms: Math.min(200, start.stall_ms / 2) };
  const picture = element("div"), formula = element("p", { "aria-live": "polite" }), rows = element("tbody");
  const sliders = element("div", { class: "sl-slider" });

  function slider([name, label, least, most, step, shown]) {
    const text = element("output", {}, shown(state[name]));
    const range = { type: "range", min: least, max: Math.max(most, state[name]), step, "aria-label": label };
    const input = element("input", range);
    input.value = state[name];
    input.setAttribute("aria-valuetext", shown(state[name]));
    input.oninput = () => {
      state[name] = Number(input.value);
      input.setAttribute("aria-valuetext", shown(state[name]));
      text.textContent = shown(state[name]);
      show();
    };
    sliders.append(element("span", {}, label), input, text);
  }

  function show() {
    picture.replaceChildren(draw(state));
    formula.replaceChildren(...said(state));
    const same = Object.keys(start).every(name => state[name] === start[name]);
    rows.replaceChildren(...percents.map((percent, n) => row(percent, same && measured ? ms(measured[n]) : "")));
  }

  const row = (percent, seen) => element("tr", {}, element("th", { scope: "row" }, `${percent} %`),
    element("td", {}, ms(percentile(state, percent))), ...(measured ? [element("td", {}, seen || "–")] : []));

  SLIDERS.forEach(slider);
  const head = ["of all requests", "wait at most, by the formula", ...(measured ? ["measured in the run"] : [])];
  const title = element("p", {}, element("b", {}, "How many requests wait behind a stop, and how long, by the formula"));
  const titles = element("tr", {}, ...head.map(text => element("th", { scope: "col" }, text)));
  const table = element("table", {}, element("thead", {}, titles), rows);
  const note = `${start.servers} request${start.servers === 1 ? "" : "s"} at a time, one stop every ${start.period_s} s; `
    + "requests are due at equal intervals. "
    + (measured ? "Only the last column is measured, at the sliders' first setting." : "Nothing here is measured.");
  el.append(element("div", { class: "sl-stall" }, element("style", {}, STYLE), title, sliders, picture, formula, table,
    element("small", {}, note)));
  show();
}

/** The formula with the numbers of this setting, and what follows from it. */
function said(state) {
  const load = loadOf(state), wait = waitOf(state, state.after_ms);
  const number = load.toLocaleString("en", { maximumFractionDigits: 2 });
  const sum = `stop − a × (1 − load) = ${ms(state.stall_ms)} − ${ms(state.after_ms)} × (1 − ${number})`;
  const words = [element("b", {}, `${sum} = ${ms(state.stall_ms - state.after_ms * (1 - load))}`), element("br")];
  const overload = `The load is ${number}: more comes than can be done, and the queue never gets empty.`;
  if (load >= 1) return [...words, overload];
  if (emptyAt(state) > 1000 * state.period_s) {
    return [...words, "The next stop comes before the queue is empty, and the formula no longer holds."];
  }
  const share = emptyAt(state) / (10 * state.period_s);
  const rest = wait > 0 ? `A request that is due then waits ${ms(wait)}.`
    : "A request that is due then does not wait: the queue is empty.";
  return [...words, `${rest} The queue is empty ${ms(emptyAt(state))} after the stop began, so `
    + `${share.toLocaleString("en", { maximumFractionDigits: 1 })} % of all requests wait.`];
}

/** Two panels over the time since the stall began: how many requests wait, and what one waits that is due then. */
function draw(state) {
  const until = untilOf(state);
  const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${TOP + 2 * PANEL + GAP + 46}`, role: "img" });
  const longest = state.rate * state.stall_ms / 1000, most = Math.max(1, queueAt(state, until), longest);
  svg.setAttribute("aria-label", `The queue grows to ${Math.round(longest)} requests at the stop's end; `
    + `the request that is due at its begin waits ${ms(state.stall_ms)}.`);
  const x = at => LEFT + (WIDTH - LEFT - RIGHT) * Math.min(1, at / until);
  panel(svg, TOP, "requests that wait", most, at => queueAt(state, at), state, x, until);
  const top = TOP + PANEL + GAP, high = Math.max(1, state.stall_ms, waitOf(state, until));
  const y = panel(svg, top, "wait of a request due then, ms", high, at => waitOf(state, at), state, x, until);
  const at = Math.min(state.after_ms, until), wait = waitOf(state, at);
  const stem = { x1: x(at), x2: x(at), y1: y(0), y2: y(wait) };
  svg.append(drawn("line", { ...stem, stroke: "var(--sl-focus)", "stroke-width": 4 }));
  svg.append(drawn("circle", { cx: x(at), cy: y(wait), r: 7, fill: "var(--sl-focus)" }));
  const right = x(at) > WIDTH - 150;
  svg.append(drawn("text", { x: x(at) + (right ? -10 : 10), y: Math.max(top + 12, y(wait) - 6), "font-size": 14,
    "font-weight": "bold", "text-anchor": right ? "end" : "start" }, `waits ${ms(wait)}`));
  arrivals(svg, state, x, until, top + PANEL);
  const bottom = top + PANEL + 40;
  const middle = { x: (LEFT + WIDTH) / 2, y: bottom, "text-anchor": "middle", "font-size": 14 };
  svg.append(drawn("text", middle, "time since the stop began, ms"));
  return svg;
}

function panel(svg, top, name, most, value, state, x, until) {
  const y = number => top + PANEL * (1 - number / most);
  const stall = { x: x(0), y: top, width: x(Math.min(state.stall_ms, until)) - x(0), height: PANEL };
  svg.append(drawn("rect", { ...stall, fill: REACHING, "fill-opacity": 0.25 }));
  const edge = x(Math.min(state.stall_ms, until));
  const end = { x1: edge, x2: edge, y1: top, y2: top + PANEL, "stroke-dasharray": "4 3" };
  svg.append(drawn("line", { ...end, stroke: REACHING, "stroke-width": 2 }));
  const turns = [0, state.stall_ms, emptyAt(state), until].filter(at => at <= until);
  const points = turns.map(at => `${x(at)},${y(value(at))}`).join(" ");
  svg.append(drawn("polyline", { points, fill: "none", stroke: "var(--sl-ink)", "stroke-width": 3 }));
  const axes = `M${x(0)},${top} V${top + PANEL} H${WIDTH - RIGHT}`;
  svg.append(drawn("path", { d: axes, fill: "none", stroke: "var(--sl-faint)" }));
  svg.append(drawn("text", { x: 4, y: top - 7, "font-size": 14 }, name));
  const number = { x: LEFT - 6, "text-anchor": "end", "font-size": 13 };
  svg.append(drawn("text", { ...number, y: top + 10 }, Math.round(most).toLocaleString("en")));
  svg.append(drawn("text", { ...number, y: top + PANEL }, "0"));
  if (stall.width > 60 && top === TOP) svg.append(drawn("text", { x: edge - 6, y: top + PANEL - 6, "text-anchor": "end", "font-size": 13 }, "stop"));
  return y;
}

/** A tick for each request that is due; of many each so many-th. */
function arrivals(svg, state, x, until, y) {
  const count = Math.floor(state.rate * until / 1000), each = Math.max(1, Math.ceil(count / MOST_ARRIVALS));
  for (let n = 0; n < count; n += each) {
    const at = x(1000 * n / state.rate);
    svg.append(drawn("line", { x1: at, x2: at, y1: y, y2: y + 7, stroke: "var(--sl-faint)" }));
  }
  for (const at of [0, until / 2, until]) {
    const anchor = at === 0 ? "start" : at === until ? "end" : "middle", number = Math.round(at).toLocaleString("en");
    svg.append(drawn("text", { x: x(at), y: y + 22, "text-anchor": anchor, "font-size": 13 }, number));
  }
  const text = each > 1 ? `each tick: ${each} requests due` : "each tick: a request due";
  svg.append(drawn("text", { x: WIDTH - RIGHT, y: y - 8, "text-anchor": "end", "font-size": 13 }, text));
}
export default { render };
