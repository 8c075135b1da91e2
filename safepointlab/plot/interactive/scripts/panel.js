// A panel: controls, the result of what they say, its picture, a table of all results, the command, and a run here.
// data: as safepointlab/widgets/panel.py writes it: { name, title, choices, records: { key: { tiles, origin } }, ... }
const SIGNS = { good: "✓", late: "◷", bad: "✗", none: "–", open: "?" };
const INKS = { good: ["#cde7d8", "#1a1a1a"], late: ["#e69f00", "#1a1a1a"], bad: ["#6b1414", "#ffffff"] };
const OPEN = { tile: ["open", "not recorded", "Not recorded: run it here, or with the command below."], origin: "" };
const PATIENCE_MS = 1500;  // after that long without an answer the kernel is at work for somebody else
const STYLE = `
.sl-panel label { display: inline-flex; flex-direction: column; margin: 0 1em 0.6em 0; font-size: 0.9em; }
.sl-panel .sl-tile { display: inline-block; padding: 0.15em 0.6em; border: 1px solid currentColor; border-radius: 4px; }
.sl-panel select { max-width: 90vw; }
.sl-panel caption { text-align: left; caption-side: top; padding-bottom: 0.3em; }
.sl-panel table { border-collapse: collapse; margin: 0.6em 0; font-size: 0.9em; }
.sl-panel th, .sl-panel td { text-align: left; vertical-align: middle; padding: 1px 4px; background: none; }
.sl-panel td button { width: 100%; min-width: 6em; padding: 0.1em 0.4em; white-space: nowrap; }
.sl-panel td button[aria-current] { outline: 3px solid var(--sl-ink); outline-offset: -1px; font-weight: bold; }
.sl-panel .sl-scroll { overflow-x: auto; }
.sl-panel code { overflow-wrap: anywhere; white-space: pre-wrap; }
.sl-panel .sl-code td { font-family: monospace; white-space: pre; padding: 0 6px; }
.sl-panel .sl-burns { font-weight: bold; }
.sl-panel .sl-listing { max-height: 24em; overflow: auto; width: fit-content; }
.sl-panel svg { max-width: 100%; height: auto; display: block; }`;

function made(tag, more = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(more))
    if (name in node) node[name] = value; else node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function drawn(tag, attributes, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  return node;
}

// What the choices ask of `safepoint run`: the same rule as Panel.asked and Panel.command in session/panels.py.
function asked(data, chosen) {
  const options = data.choices.filter(choice => choice.runs).map(choice => option(choice, chosen[choice.name]));
  const merged = {};
  for (const settings of [data.settings, ...options.map(each => each.settings)])
    for (const [name, value] of Object.entries(settings))
      merged[name] = name in merged && ["flags", "args", "log"].includes(name) ? `${merged[name]} ${value}` : value;
  merged.deadline = String(Math.max(data.deadline, ...options.map(each => each.deadline)));
  return merged;
}

function command(data, chosen) {
  const settings = asked(data, chosen);
  const names = ["jdk", "compiler", "gc", "flags", "args", "log", "deadline"].filter(name => name in settings);
  const quoted = word => /^[\w.,:+=@%/-]+$/.test(word) ? word : `"${word}"`;
  return ["safepoint run", data.sample, ...names.map(name => `--${name} ${quoted(settings[name])}`)].join(" ");
}

const option = (choice, value) => choice.options.find(each => each.value === value);
const part = (data, chosen, runs) =>
  data.choices.filter(choice => choice.runs === runs).map(choice => chosen[choice.name]).join(" ");
const seconds = ms => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

function render({ model, el }) {
  const data = model.get("data");
  const chosen = Object.fromEntries(data.choices.map(choice => [choice.name, choice.default]));
  const here = {};  // what was run from this panel: it counts more than what is recorded
  const record = now => here[part(data, now, true)] ?? data.records[part(data, now, true)];
  const tile = now => record(now)?.tiles[part(data, now, false)] ?? OPEN.tile;
  const parts = { ...result(), table: made("div", { className: "sl-scroll" }), ...commands() };
  const live = liveRuns(data, here, () => part(data, chosen, true), show);

  function choose(more, byTable = false) {
    Object.assign(chosen, more);
    show();
    if (byTable) parts.table.querySelector("[aria-current]").focus();  // it was drawn again: the keyboard stays there
  }
  function show() {
    for (const [name, control] of Object.entries(controls)) control.value = chosen[name];
    parts.say(tile(chosen), record(chosen)?.origin ?? OPEN.origin);
    parts.picture.replaceChildren(...picture(data, record(chosen), chosen, tile(chosen)));
    parts.table.replaceChildren(table(data, chosen, tile, choose));
    parts.tell(command(data, chosen), record(chosen)?.java ?? "");
    live.show();
  }
  const controls = Object.fromEntries(data.choices.map(choice => [choice.name, control(choice, choose)]));
  const labels = data.choices.map(choice => made("label", {}, choice.label, controls[choice.name]));
  el.classList.add("sl-panel");
  el.append(made("style", {}, STYLE), made("p", {}, made("b", {}, data.title)), made("div", {}, ...labels),
    parts.words, parts.from, live.row, parts.picture, parts.table, parts.command);
  show();
}

function control(choice, choose) {
  const select = made("select", {}, ...choice.options.map(each => made("option", { value: each.value }, each.label)));
  select.name = choice.name;
  select.setAttribute("aria-label", choice.label);
  select.onchange = () => choose({ [choice.name]: select.value });
  return select;
}

function inked(node, look) {
  const [paper, ink] = INKS[look] ?? ["transparent", "inherit"];
  node.style.background = paper;
  node.style.color = ink;
  if (look === "open" || look === "none") node.style.borderStyle = "dashed";
  return node;
}

function result() {
  const words = made("p", { role: "status", "aria-live": "polite" });
  const from = made("p", {});
  const say = ([look, word, says], origin) => {
    const mark = inked(made("span", { className: "sl-tile" }, `${SIGNS[look]} ${word}`), look);
    words.replaceChildren(mark, " ", says);
    from.replaceChildren(made("small", {}, origin));
  };
  return { words, from, say, picture: made("div", { className: "sl-picture" }) };
}

function table(data, chosen, tile, choose) {
  const [rows, columns] = [data.rows, data.columns].map(name => data.choices.find(choice => choice.name === name));
  const others = data.choices.filter(choice => choice !== rows && choice !== columns);
  const fixed = others.map(choice => `${choice.label}: ${option(choice, chosen[choice.name]).label}`).join(" · ");
  const head = made("tr", {}, made("th", {}, `${rows.label} / ${columns.label}`),
    ...columns.options.map(column => made("th", { scope: "col" }, column.label)));
  const cell = (row, column) => {
    const point = { ...chosen, [rows.name]: row.value, [columns.name]: column.value };
    const [look, word] = tile(point);
    const button = inked(made("button", { type: "button" }, `${SIGNS[look]} ${word}`), look);
    button.setAttribute("aria-label", `${rows.label} ${row.label}, ${columns.label} ${column.label}: ${word}`);
    if (row.value === chosen[rows.name] && column.value === chosen[columns.name])
      button.setAttribute("aria-current", "true");
    button.onclick = () => choose({ [rows.name]: row.value, [columns.name]: column.value }, true);
    return made("td", {}, button);
  };
  const body = rows.options.map(row =>
    made("tr", {}, made("th", { scope: "row" }, row.label), ...columns.options.map(column => cell(row, column))));
  return made("table", {}, made("caption", {}, fixed), head, ...body);
}

function commands() {
  const line = made("code", {}), java = made("code", {});
  const fold = made("details", {}, made("summary", {}, "The JVM's own command line"),
    made("small", {}, "After ", made("code", {}, "javac -d classes"), " of the sample, without the lab's logs: "),
    java, " ", copying(() => java.textContent));
  const all = made("div", {}, "The same in a terminal: ", line, " ", copying(() => line.textContent), fold);
  const tell = (words, portable) => { line.textContent = words; java.textContent = portable; fold.hidden = !portable; };
  return { command: all, tell };
}

function copying(text) {
  const button = made("button", { type: "button" }, "Copy");
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(text()); button.textContent = "Copied"; }
    catch { button.textContent = "Select and copy it by hand: this page may not"; }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  return button;
}

// Runs in the kernel that made this output. Without it, as on a saved page, there is the command alone.
function liveRuns(data, here, key, redraw) {
  const run = made("button", { type: "button" }, "Run it here"), stop = made("button", { type: "button" }, "Stop");
  const bar = made("progress", {}), note = made("span", { role: "status", "aria-live": "polite" });
  const clock = made("span", { "aria-hidden": "true" });
  const row = made("p", {}, run, " ", stop, " ", bar, " ", clock, " ", note);
  let going = null, ticking = 0;
  const links = () => globalThis.safepointlabLinks;
  const send = message => links()?.get(data.link)?.send({ ...message, panel: data.name, key: going });
  function show() {
    const linked = Boolean(data.link && links()?.has(data.link));
    run.hidden = !linked || going !== null;
    stop.hidden = bar.hidden = clock.hidden = going === null;
    row.hidden = !linked && !note.textContent;
  }
  function tick(begin, deadline) {
    const passed = (performance.now() - begin) / 1000, left = deadline - passed;
    bar.max = deadline;
    bar.value = Math.min(passed, deadline);
    clock.textContent = left > 0 ? `${passed.toFixed(0)} s, at most ${Math.ceil(left)} s left`
      : "past its deadline: the lab looks which thread holds it up";
  }
  function end(says) {
    const held = document.activeElement === stop;  // it vanishes, and JupyterLab's keys with it
    going = null;
    clearInterval(ticking);
    note.textContent = says;
    show();
    if (held) run.focus();
  }
  run.onclick = () => {
    going = key();
    bar.removeAttribute("value");
    clock.textContent = "";
    note.textContent = "Asked the kernel.";
    send({ do: "run" });
    ticking = setInterval(() => { note.textContent = "The kernel is at work on a cell; this run begins after it."; },
      PATIENCE_MS);
    show();
    stop.focus();
  };
  stop.onclick = () => { note.textContent = "Stopping."; send({ do: "stop" }); };
  const heard = {
    here: show,
    gone: () => end(going ? "The kernel is gone, and the run with it." : ""),
    started: message => {
      clearInterval(ticking);
      note.textContent = "Under way.";
      const begin = performance.now();
      ticking = setInterval(() => tick(begin, message.deadline_s), 250);
    },
    done: message => { here[message.key] = message.record; end("Done."); redraw(); },
    failed: message => end(message.says),
  };
  document.addEventListener("safepointlab-link", ({ detail: { id, message } }) => {
    const mine = !message.panel || (message.panel === data.name && message.key === going);
    if (id === data.link && mine) heard[message.state]?.(message);
  });
  return { row, show };
}

export default { render };
