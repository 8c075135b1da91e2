// A method as source, bytecode and machine code: a row under the mouse or the cursor keys lights its line in all three.
// data: { title, note, marks, loops: { line: words },
//   columns: [{ title, noun, rows: [[text, line, mark, tag, loop]], folds: [[first, count]],
//     arrows: [[from, to, alarm]] }] }
// The VM notes lines at few instructions only; the others light up faintly with the loop that their line belongs to.
const LOOK = `
.sl-code { container-type: inline-size; font: 13px/1.4 var(--jp-ui-font-family, sans-serif);
  --on: color-mix(in srgb, var(--sl-polled) 60%, var(--sl-ink));
  --off: color-mix(in srgb, var(--sl-unpolled) 52%, var(--sl-ink));
  --soft: color-mix(in srgb, var(--sl-ink) 75%, var(--sl-paper));
  --lit: color-mix(in srgb, var(--sl-focus) 30%, var(--sl-paper));
  --near: color-mix(in srgb, var(--sl-focus) 11%, var(--sl-paper)); }
.sl-code .sl-title { font-size: 16px; font-weight: bold; }
.sl-code p { margin: 2px 0 6px; color: var(--soft); }
.sl-code .sl-said { color: var(--sl-ink); min-height: 2.8em; padding-left: 8px;
  border-left: 4px solid var(--sl-focus); }
.sl-code .sl-choice { display: none; margin: 0 0 4px; }
.sl-code .sl-choice [aria-pressed=true] { border-color: var(--sl-focus); font-weight: bold; }
.sl-code .sl-panes { display: grid; gap: 8px 12px; grid-template-columns: minmax(0, 1fr); }
.sl-code .sl-name { font-weight: bold; }
.sl-code .sl-pane { position: relative; overflow: auto; max-height: 38rem; padding: 2px 0;
  border: 1px solid var(--sl-line); background: var(--sl-paper);
  font: 12px/17px var(--jp-code-font-family, monospace); }
.sl-code .sl-row { display: grid; grid-template-columns: 4ch 2ch minmax(0, 1fr); padding-right: 4px; }
.sl-code .sl-row[hidden] { display: none; }
.sl-code .sl-text { white-space: pre-wrap; overflow-wrap: anywhere; padding-left: 1ch; }
.sl-code .sl-chip { text-align: right; color: var(--sl-ink); }
.sl-code .sl-chip[style] { background: color-mix(in srgb, var(--chip) 26%, var(--sl-paper)); }
.sl-code .sl-tag { white-space: nowrap; }
.sl-code .sl-mark { text-align: center; }
.sl-code :is(.poll, .return) { font-weight: bold; }
.sl-code :is(.poll, .return) .sl-mark { color: var(--on); }
.sl-code .alarm { font-weight: bold; color: var(--off); }
.sl-code .fold { color: var(--soft); font-style: italic; cursor: pointer; }
.sl-code .near { background: var(--near); box-shadow: inset 2px 0 var(--sl-focus); }
.sl-code .lit { background: var(--lit); box-shadow: inset 5px 0 var(--sl-focus); }
.sl-code .lit.alarm { color: var(--sl-ink); }
.sl-code .at .sl-text { outline: 1px dotted var(--sl-ink); outline-offset: -1px; }
.sl-code svg { position: absolute; left: 0; top: 0; pointer-events: none; }
.sl-code path { fill: none; stroke: var(--sl-faint); stroke-width: 2; }
.sl-code path.yes { stroke: var(--off); stroke-dasharray: 5 3; }
.sl-code path.no { stroke: var(--on); }
@container (min-width: 640px) {
  .sl-code .sl-two { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .sl-code .sl-three { grid-template: "a c" auto "b c" 1fr / minmax(0, 5fr) minmax(0, 6fr); }
  .sl-three > :nth-child(1) { grid-area: a; }
  .sl-three > :nth-child(2) { grid-area: b; }
  .sl-three > :nth-child(3) { grid-area: c; }
  .sl-code .sl-three > :nth-child(-n + 2) .sl-pane { max-height: 18rem; }
}
@container (min-width: 1120px) {
  .sl-code .sl-three { grid-template: "a b c" auto / minmax(0, 5fr) minmax(0, 3fr) minmax(0, 5fr); }
  .sl-code .sl-three > :nth-child(n) .sl-pane { max-height: 38rem; }
}
@container (max-width: 639px) {
  .sl-code .sl-pane { max-height: 17rem; }
  .sl-code .sl-choice { display: block; }
  .sl-code .sl-away { display: none; }
}`;
const CHIPS = ["#2f7fd0", "#d09a20", "#4fa03a", "#9a5fd0", "#e0643c", "#7a8896"];
const LANE = 12, HEAD = 18;
const HINT = "Point at a line, or press Tab and the cursor keys: its bytecode and its instructions light up.";

function make(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text) made.textContent = text;
  return made;
}

function render({ model, el }) {
  const data = model.get("data");
  const noted = data.columns.flatMap(column => column.rows.map(row => row[1])).filter(Boolean);
  const lines = [...new Set(noted)].sort((a, b) => a - b);
  const chip = line => CHIPS[lines.indexOf(line) % CHIPS.length];
  const said = make("p", "sl-said", HINT);
  said.setAttribute("aria-live", "polite");
  const panes = data.columns.map((column, number) => pane(column, number, data, chip));
  let pinned = null;

  function show(row, scrolls) {
    for (const one of panes) one.light(row);
    said.textContent = row ? words(row, data, panes) : HINT;
    if (row && scrolls) for (const one of panes) if (one !== row.pane) one.reveal();
  }
  function pin(row, opens) {
    if (opens && row?.fold) {
      row.pane.open(row);
      row = row.fold[0];
    }
    pinned = row;
    show(row, true);
    row?.pane.stand(row);
  }
  function across(from, by) {
    const to = panes[panes.indexOf(from) + by];
    if (!to) return;
    to.list.focus();
    pin(to.first() ?? to.shown()[0]);
  }
  for (const one of panes) {
    one.list.addEventListener("mouseover", event => one.of(event.target) && show(one.of(event.target), true));
    one.list.addEventListener("mouseleave", () => show(pinned, false));
    one.list.addEventListener("mousedown", event => {
      pin(one.of(event.target) ?? null, true); // before the focus comes, which would choose a row by itself
      one.list.focus({ preventScroll: true });
    });
    one.list.addEventListener("focus", () => pinned?.pane === one || pin(one.first() ?? one.shown()[0]));
    one.list.addEventListener("keydown", event => {
      const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e6, End: 1e6 }[event.key];
      const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (move) pin(one.beside(pinned, move));
      else if (side) across(one, side);
      else if (event.key === "Escape") pin(null);
      else if (["Enter", " "].includes(event.key)) pin(pinned, true);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  const style = make("style");
  style.textContent = LOOK;
  const grid = make("div", `sl-panes ${{ 2: "sl-two", 3: "sl-three" }[panes.length] ?? ""}`);
  grid.append(...panes.map(one => one.box));
  el.classList.add("sl-code");
  el.append(style, make("div", "sl-title", data.title), make("p", "", data.note), said, choice(panes), grid);
  const draw = () => panes.forEach(one => one.draw());
  const code = panes.at(-1), mark = code.rows.some(row => row.mark === "poll") ? "poll" : "alarm";
  let laidOut = false;
  new ResizeObserver(() => {
    draw();
    if (!laidOut && code.list.clientHeight) code.reveal(row => row.mark === mark);
    laidOut ||= code.list.clientHeight > 0;
  }).observe(grid);
  draw();
}

// On a narrow page the source has one of the other columns below it: which, these buttons say.
function choice(panes) {
  const bar = make("div", "sl-choice");
  const others = panes.slice(1);
  const choose = chosen => others.forEach((one, number) => {
    one.box.classList.toggle("sl-away", one !== chosen);
    bar.children[number].setAttribute("aria-pressed", String(one === chosen));
    one.draw();
  });
  if (others.length < 2) return bar;
  for (const one of others) {
    const button = make("button", "", one.title);
    button.onclick = () => choose(one);
    bar.append(button);
  }
  choose(others.at(-1));
  return bar;
}

// One column: its rows, what of them is shown, and the arrows beside them.
function pane(column, number, data, chip) {
  const box = make("div"), list = make("div", "sl-pane"), id = `${Math.random().toString(36).slice(2)}-`;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  list.tabIndex = 0;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", column.title);
  box.append(make("div", "sl-name", column.title), list);
  const own = { box, list, title: column.title, noun: column.noun };
  const rows = column.rows.map(([text, line, mark, tag, loop], at) => ({ text, line, mark, tag, loop, at, pane: own }));
  const all = [];
  let arrows = column.arrows;

  rows.forEach((row, at) => {
    const fold = column.folds.find(([first, count]) => at >= first && at < first + count);
    if (fold?.[0] === at) {
      const text = `… ${fold[1]} ${column.noun}`, folded = rows.slice(at, at + fold[1]);
      all.push(drawn({ text, mark: "fold", line: 0, loop: common(folded), tag: "open", pane: own, fold: folded }));
    }
    all.push(drawn(row));
    row.node.hidden = Boolean(fold);
  });
  all.forEach((row, at) => { row.node.id = id + at; row.node.dataset.at = at; });
  list.append(svg, ...all.map(row => row.node));

  function drawn(row) {
    row.node = make("div", `sl-row ${row.mark}`);
    row.node.setAttribute("role", "option");
    const repeated = row.line && rows[row.at - 1]?.line === row.line;
    const number = make("span", "sl-chip", row.line && !repeated ? String(row.line) : "");
    if (row.line) number.style.setProperty("--chip", chip(row.line));
    const glyph = make("span", "sl-mark", (data.marks[row.mark] ?? "").trim());
    const text = make("span", "sl-text", row.text);
    if (row.tag) text.append("  ", make("span", "sl-tag", `◀ ${row.tag}`));
    row.node.append(number, glyph, text);
    return row;
  }

  return Object.assign(own, {
    rows,
    of: node => all[node.closest?.(".sl-row")?.dataset.at],
    shown: () => all.filter(row => !row.node.hidden),
    lit: () => rows.filter(is("lit")),
    first: () => own.shown().find(is("lit")) ?? own.shown().find(is("near")),
    beside(row, by) {
      const shown = own.shown(), at = shown.indexOf(row?.pane === own ? row : own.first());
      return shown[Math.min(Math.max(at + by, 0), shown.length - 1)];
    },
    light(chosen) {
      for (const row of all) {
        const lit = chosen && (row === chosen || (row.line && row.line === chosen.line));
        const near = chosen && !lit && row.loop && row.loop === chosen.loop;
        row.node.classList.toggle("lit", Boolean(lit));
        row.node.classList.toggle("near", Boolean(near));
        row.node.classList.toggle("at", row === chosen);
        row.node.setAttribute("aria-selected", String(Boolean(lit)));
      }
    },
    stand(row) { list.setAttribute("aria-activedescendant", row.node.id); into(list, row.node); },
    reveal(wanted) {
      const aim = wanted ? own.shown().find(wanted) : own.first();
      const alike = wanted || !aim ? [] : own.shown().filter(is(is("lit")(aim) ? "lit" : "near"));
      if (!aim || alike.some(row => visible(list, row.node))) return;
      list.scrollTop = aim.node.offsetTop - list.clientHeight / 3;
    },
    open(fold) {
      fold.node.hidden = true;
      for (const row of fold.fold) row.node.hidden = false;
      own.draw();
    },
    draw() { lanes(svg, list, rows, arrows); },
  });
}

const common = rows => rows.every(row => row.loop === rows[0].loop) ? rows[0].loop : 0;
const is = name => row => row.node.classList.contains(name);

function visible(list, node) {
  const top = node.offsetTop - list.scrollTop;
  return top >= 0 && top + node.offsetHeight <= list.clientHeight;
}

function into(list, node) {
  if (!visible(list, node)) list.scrollTop = node.offsetTop - list.clientHeight / 2;
}

// Short arrows near the text, longer ones around them; two that overlap never share a lane.
function lanes(svg, list, rows, arrows) {
  const taken = [], found = [];
  for (const arrow of [...arrows].sort((a, b) => (a[0] - a[1]) - (b[0] - b[1]))) {
    const [from, to] = arrow;
    let lane = taken.findIndex(spans => spans.every(([low, high]) => from < low || to > high));
    if (lane < 0) lane = taken.push([]) - 1;
    taken[lane].push([to, from]);
    found.push([arrow, lane]);
  }
  const gutter = taken.length ? HEAD + LANE * taken.length : 0;
  for (const row of list.querySelectorAll(".sl-row")) row.style.paddingLeft = `${gutter}px`;
  svg.replaceChildren(...found.flatMap(([arrow, lane]) => arrowOf(rows, arrow, gutter, lane)));
  svg.setAttribute("width", gutter);
  svg.setAttribute("height", Math.max(list.scrollHeight - 4, 0));
}

function arrowOf(rows, [from, to, alarm], gutter, lane) {
  if (rows[from].node.hidden || rows[to].node.hidden) return [];
  const apart = from === to ? 4 : 0; // a loop of one instruction
  const start = middle(rows[from].node) + apart, end = middle(rows[to].node) - apart;
  const x = gutter - HEAD - lane * LANE + 4, tip = gutter - 2, look = { true: "yes", false: "no" }[alarm] ?? "";
  const head = path(`M${tip - 7},${end - 4}L${tip},${end}L${tip - 7},${end + 4}`, look);
  head.style.strokeDasharray = "none";
  return [path(`M${tip},${start}H${x}V${end}H${tip - 6}`, look), head];
}

const middle = node => node.offsetTop + 9;

function path(way, look) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "path");
  made.setAttribute("d", way);
  made.setAttribute("class", look);
  return made;
}

// What lights up, for those who hear the page, and for rows that are off screen.
function words(row, data, panes) {
  if (row.fold) return `${row.fold.length} ${row.pane.noun} are folded here: click or press Enter to open them.`;
  const counts = panes.slice(1).map(one => counted(one.lit().length, one.noun));
  const places = counts.join(" and ") || "no code";
  const silent = panes.slice(1).some(one => !one.lit().length) ? " What it does may be there all the same." : "";
  const line = row.line ? `Line ${row.line} is noted at ${places}.${silent}` : "This instruction has no line number.";
  const made = data.loops[row.loop];
  const became = made ? `, of which the compiler made ${made}` : "";
  return line + (row.loop ? ` Lightly shaded: the loop of line ${row.loop}${became}.` : "");
}

const counted = (count, noun) => `${count || "no"} ${count === 1 || !count ? noun.slice(0, -1) : noun}`;

export default { render };
