// One call of a program over time, the places where its thread polls, and a timer that fires at a random moment: the
// thread runs on, and is seen at its next poll. Buttons do it; the right arrow key takes it one step at a time.
// data: { first, seed, source, cases: { NAME: { parts: [{ name, text, iterations }],
//         polls: { KIND: [null or { every, names, place }] } } } }
// `every`: iterations between two polls of the part; `names`: the part that a look there names; `place`: with its line
const WIDTH = 640, EDGE = 8, BAR = 34, HEIGHT = 36, NARROW = 34, HOT = 0.5, MOST_TICKS = 60, RUNS_ON_MS = 900;
const STYLE = `
  .sl-sliding { max-width: 48em; }
  .sl-sliding fieldset { border: 0; padding: 0; margin: 0 0 0.5em; }
  .sl-sliding legend { font-weight: bold; padding: 0; }
  .sl-sliding label { margin-right: 1em; white-space: nowrap; }
  .sl-sliding svg { width: 100%; height: auto; display: block; margin: 0.3em 0; }
  .sl-sliding table { border-collapse: collapse; width: 100%; color: inherit; }
  .sl-sliding tr { background: none !important; }
  .sl-sliding th, .sl-sliding td { text-align: left; padding: 0.15em 0.5em 0.15em 0; vertical-align: top; }
  .sl-sliding code { color: inherit; background: none; overflow-wrap: anywhere; }
  .sl-sliding small { color: var(--sl-faint); }
  .sl-sliding .sl-share { width: 8em; }
  .sl-sliding .sl-meter { height: 0.5em; border: 1px solid var(--sl-line); }
  .sl-sliding .sl-meter > div { height: 100%; background: var(--sl-faint); }
  .sl-sliding .sl-samples .sl-meter > div { background: var(--sl-focus); }
  .sl-sliding .sl-lit { outline: 2px solid var(--sl-focus); }
  .sl-sliding .sl-runs-on { transition: transform ${RUNS_ON_MS}ms ease-in; }
  @media (prefers-reduced-motion: reduce) { .sl-sliding .sl-runs-on { transition: none; } }
`;

/** The part in which a moment lies (`from`), and the poll that is met next: its part, its place `to`, what it names. */
export function slide(parts, polls, moment) {
  const starts = startsOf(parts);
  const from = starts.findLastIndex(start => start <= moment);
  const inside = polls[from] ? moment - starts[from] : 0;
  const numbers = [...parts.keys()];
  const at = polls[from] ? from : numbers.find(n => n > from && polls[n]) ?? numbers.find(n => polls[n]);
  const { every, names, place } = polls[at];
  const after = Math.min((Math.floor(inside / every) + 1) * every, parts[at].iterations);
  return { from, at, to: starts[at] + after, names, place };
}

/** Numbers from 0 to 1 that look random and are the same each time (mulberry32). */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function startsOf(parts) {
  let sum = 0;
  return parts.map(part => (sum += part.iterations) - part.iterations);
}

const total = parts => parts.reduce((sum, part) => sum + part.iterations, 0);
const letter = number => String.fromCharCode(97 + number);
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

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

/** Where each part begins and ends in the drawing: the hot one takes what the others leave. */
function edgesOf(parts) {
  const wide = parts.map(part => part.iterations > HOT * total(parts));
  const rest = WIDTH - 2 * EDGE - NARROW * wide.filter(is => !is).length;
  let x = EDGE;
  return [x, ...wide.map(is => (x += is ? rest : NARROW))];
}

/** The x of a place in the call; a poll at the end of a part is drawn there, not at the begin of the next one. */
function xOf(parts, edges, place, part) {
  const start = startsOf(parts)[part];
  return edges[part] + (edges[part + 1] - edges[part]) * Math.min(1, (place - start) / parts[part].iterations);
}

function ticksOf(part, poll) {
  if (!poll) return [];
  const count = Math.ceil(part.iterations / poll.every);
  const shown = Math.min(count, MOST_TICKS);
  const step = count > MOST_TICKS ? part.iterations / MOST_TICKS : poll.every;
  return Array.from({ length: shown }, (_, n) => Math.min((n + 1) * step, part.iterations));
}

function pass(parts, polls, id) {
  const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} 132`, role: "img" });
  svg.setAttribute("aria-label", parts.map((part, n) => `${letter(n)} ${part.name}: ${told(polls[n])}`).join("; "));
  const tile = { width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const hatch = drawn("pattern", { id, ...tile });
  hatch.append(drawn("rect", { width: 2.2, height: 7, fill: "var(--sl-unpolled)" }));
  svg.append(hatch);
  const edges = edgesOf(parts);
  parts.forEach((part, n) => svg.append(...box(part, polls[n], edges[n], edges[n + 1], n, id)));
  parts.forEach((part, n) => ticksOf(part, polls[n]).forEach(tick => {
    const x = xOf(parts, edges, startsOf(parts)[n] + tick, n);
    const line = { x1: x, x2: x, y1: BAR - 12, y2: BAR + HEIGHT };
    svg.append(drawn("line", { ...line, stroke: "var(--sl-ink)", "stroke-width": 1.4 }));
    svg.append(drawn("circle", { cx: x, cy: BAR - 14, r: 3.5, fill: "var(--sl-ink)" }));
  }));
  return { svg, edges };
}

const told = poll => !poll ? "no poll" : poll.every === 1 ? "polls" : `polls every ${plural(poll.every, "iteration")}`;

function box(part, poll, x1, x2, n, id) {
  const shape = { x: x1, y: BAR, width: x2 - x1, height: HEIGHT };
  const fill = poll ? { fill: "var(--sl-polled)", "fill-opacity": 0.25 }
    : { fill: `url(#${id})`, "fill-opacity": 0.75 };
  const name = x2 - x1 > 4 * NARROW ? `${letter(n)}: ${part.name}` : letter(n);
  const text = { x: (x1 + x2) / 2, y: BAR + HEIGHT / 2 + 5, "text-anchor": "middle", "font-size": 15 };
  const halo = { "font-weight": "bold", stroke: "var(--sl-paper)", "stroke-width": 5, "paint-order": "stroke" };
  return [drawn("rect", { ...shape, fill: "var(--sl-paper)" }),
    drawn("rect", { ...shape, ...fill, stroke: "var(--sl-faint)" }), drawn("text", { ...text, ...halo }, name)];
}

function render({ model, el }) {
  const data = model.get("data");
  if (data.none) el.append(data.none);
  else play(data, el);
}

function play(data, el) {
  const draw = random(data.seed), id = `sl-hatch-${Math.random().toString(36).slice(2)}`;
  let name = data.first, kind = Object.keys(data.cases[name].polls)[0];
  let counts = [], taken = 0, right = 0, phase = 0, sample = null, timers = [], view = null;
  const root = element("div", { class: "sl-sliding" });
  const picture = element("div"), rows = element("tbody");
  const said = element("p", { "aria-live": "polite" }), sum = element("p");
  const cases = element("select", { "aria-label": "how the hot loop is called" });
  for (const each of Object.keys(data.cases)) cases.append(element("option", { value: each }, each));
  cases.value = name;
  cases.onchange = () => { name = cases.value; begin(); };

  const now = () => ({ parts: data.cases[name].parts, polls: data.cases[name].polls[kind] });

  function begin() {
    stop();
    counts = now().parts.map(() => 0);
    [taken, right, phase, sample] = [0, 0, 0, null];
    view = pass(now().parts, now().polls, id);
    picture.replaceChildren(view.svg);
    say("Where will the stack be taken when the timer fires in the hot loop? Press sample.");
    count();
  }

  const stop = () => { timers.forEach(clearTimeout); timers = []; };
  const say = text => { said.textContent = text; };

  function marker(x, text, row, anchor = x < 90 ? "start" : x > WIDTH - 110 ? "end" : "middle") {
    const words = { x, y: BAR + HEIGHT + 30 + 18 * row, "text-anchor": anchor, "font-size": 14 };
    view.svg.append(drawn("text", { ...words, class: "sl-sample" }, text));
  }

  /** Step 1: the timer fires. */
  function fire() {
    const { parts, polls } = now(), moment = draw() * total(parts);
    sample = { moment, ...slide(parts, polls, moment) };
    for (const old of view.svg.querySelectorAll(".sl-sample")) old.remove();
    for (const row of rows.children) row.classList.remove("sl-lit");
    sample.x = xOf(parts, view.edges, moment, sample.from);
    sample.end = xOf(parts, view.edges, sample.to, sample.at);
    const y = BAR + HEIGHT;
    const shape = `M${sample.x},${y + 1} l7,13 h-14 z`;
    sample.mark = drawn("path", { d: shape, fill: "var(--sl-ink)", class: "sl-sample sl-runs-on" });
    const line = { x1: sample.x, x2: sample.x, y1: BAR, y2: y, "stroke-dasharray": "3 3", "stroke-width": 2 };
    view.svg.append(drawn("line", { ...line, stroke: "var(--sl-ink)", class: "sl-sample" }), sample.mark);
    marker(sample.x, "timer", 0);
    phase = 1;
    say(`The timer fires in ${letter(sample.from)}, ${parts[sample.from].name}.`);
  }

  /** Step 2: the thread runs on to its next poll. */
  function runOn() {
    const { parts } = now();
    sample.mark.style.transform = `translate(${sample.end - sample.x}px, 0)`;
    phase = 2;
    say(`The thread runs on: its next poll is in ${letter(sample.at)}, ${parts[sample.at].name}.`);
  }

  /** Step 3: it stops at the poll, and its stack is taken there. */
  function look(quietly = false) {
    counts[sample.names]++;
    taken++;
    right += sample.names === sample.from;
    phase = 0;
    if (quietly) return;
    marker(sample.end, `seen: ${sample.place}`, 1);
    rows.children[sample.names].classList.add("sl-lit");
    say(`The timer fired in ${letter(sample.from)}, ${now().parts[sample.from].name}. The stack says ${sample.place}.`);
    count();
  }

  function step() { stop(); [fire, runOn, look][phase](); }

  function finish() {
    stop();
    if (phase === 1) runOn();
    if (phase === 2) look();
  }

  function one() {
    finish();
    fire();
    timers = [setTimeout(runOn, 350), setTimeout(look, 350 + RUNS_ON_MS)];
  }

  function hundred() {
    finish();
    for (let n = 1; n < 100; n++) {
      const { parts, polls } = now();
      sample = slide(parts, polls, draw() * total(parts));
      look(true);
    }
    fire(); runOn(); look();
  }

  function count() {
    const { parts } = now();
    rows.replaceChildren(...parts.map((part, n) => row(part, n, part.iterations / total(parts))));
    if (sample && taken && phase === 0) rows.children[sample.names].classList.add("sl-lit");
    sum.textContent = `${plural(taken, "sample")}: ${right} named the part in which the timer fired.`;
  }

  function row(part, n, share) {
    const named = taken ? counts[n] / taken : 0;
    const times = part.iterations > 1 && !/ to /.test(part.name) ? `${plural(part.iterations, "iteration")}, ` : "";
    const facts = element("small", {}, ` ${times}${told(now().polls[n])}`);
    const code = element("code", {}, part.text);
    const what = element("td", {}, element("b", {}, `${letter(n)} `), part.name, facts, element("br"), code);
    const samples = meter(named, plural(counts[n], "sample"), "sl-samples");
    return element("tr", {}, what, meter(share, percent(share)), samples);
  }

  const percent = share => share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(share > 0.999 ? 2 : 1)} %`;

  function meter(share, text, look = "") {
    const bar = element("div", { class: "sl-meter" }, element("div", { style: `width: ${100 * share}%` }));
    return element("td", { class: `sl-share ${look}` }, text, bar);
  }

  function kinds() {
    const field = element("fieldset", {}, element("legend", {}, "Where are the polls? "));
    for (const each of Object.keys(data.cases[name].polls)) {
      const choice = element("input", { type: "radio", name: id, value: each });
      choice.checked = each === kind;
      choice.onchange = () => { kind = each; begin(); };
      field.append(element("label", {}, choice, ` ${each}`));
    }
    return field;
  }

  const button = (text, action) => {
    const made = element("button", { type: "button" }, text);
    made.onclick = action;
    return made;
  };
  const bar = element("p", {}, button("sample", one), " ", button("100 samples", hundred), " ",
    button("next step →", step), " ", button("from zero", begin));
  const head = element("tr");
  head.append(...["line of the call", "of the time", "named by"].map(text => element("th", { scope: "col" }, text)));
  const note = element("small", {}, `● a poll, ▲ the timer. ${data.source} The timer's moments are simulated `
    + `(seed ${data.seed}): any moment is as likely as another, and an iteration of one line takes as long as one of `
    + `another. Widths are not to scale, and of more than ${MOST_TICKS} polls in a part ${MOST_TICKS} are drawn.`);
  root.append(element("style", {}, STYLE), element("label", {}, "Case: ", cases), kinds(), picture, bar, said, sum,
    element("table", {}, element("thead", {}, head), rows), note);
  root.addEventListener("keydown", event => {
    if (event.key !== "ArrowRight" || /INPUT|SELECT/.test(event.target.tagName)) return;
    step();
    event.preventDefault();
    event.stopPropagation();
  });
  el.append(root);
  begin();
}
export default { render };
