// The session's runs: the history as a table, and one run, or two side by side, under tabs.
const TABS = [
  ["outcome", "Outcome"], ["output", "Output"], ["command", "Command"], ["safepoints", "Safepoints"],
  ["compilations", "Compilations"], ["code", "Code with its polls"], ["raw", "Raw logs"],
];
const FIELDS = { code: "Method", raw: "Lines with" };

function history(ask) {
  const body = make("tbody");
  const heads = ["", "program", "jdk", "compiler", "gc, flags, args, cores", "outcome", "s", ""];
  const head = make("tr", {}, ...heads.map(text => Object.assign(make("th", { textContent: text }), { scope: "col" })));
  const table = make("table", {}, make("thead", {}, head), body);
  const title = make("h3", { textContent: "Runs of this session, the newest first", id: idOf("runs") });
  table.setAttribute("aria-labelledby", title.id);
  const node = make("div", { hidden: true }, title, make("div", { className: "sl-wide", tabIndex: 0 }, table));
  const button = (text, label, act) => {
    const one = make("button", { type: "button", textContent: text, onclick: act });
    one.setAttribute("aria-label", label);
    return make("td", {}, one);
  };
  function row(run, view) {
    const cells = [run.program, run.jdk, run.compiler, run.settings, run.outcome, run.seconds ?? ""];
    return make("tr", {},
      button(`#${run.number}`, `show run ${run.number}`, () => view(run.number)),
      ...cells.map(text => make("td", { textContent: text })),
      button("use again", `use the settings of run ${run.number} again`, () => ask({ do: "again", number: run.number })));
  }
  function show(rows, view) {
    node.hidden = !rows.length;
    body.replaceChildren(...rows.map(run => row(run, view)));
  }
  return { node, show };
}

function results(ask) {
  const at = { number: 0, beside: 0, tab: "outcome", fields: {} };
  const first = select([]), second = select([]);
  const field = combo([]);
  const fieldLabel = labelled("Method", field.control, "sl-inline");
  const bar = make("div", { className: "sl-tabs" });
  const panel = make("div", { className: "sl-panel", tabIndex: 0, id: idOf("panel") });
  const compared = make("div", { className: "sl-compared" });
  bar.setAttribute("role", "tablist");
  bar.setAttribute("aria-label", "What to see of the run");
  panel.setAttribute("role", "tabpanel");
  const tabs = TABS.map(([name, text]) => tab(name, text));
  const node = make("div", { hidden: true },
    make("div", { className: "sl-row" }, labelled("Run", first, "sl-inline"), labelled("compared with", second, "sl-inline")),
    compared, bar, make("div", { className: "sl-row" }, fieldLabel, field.list), panel);

  function tab(name, text) {
    const one = make("button", { type: "button", textContent: text, id: idOf("tab"), onclick: () => choose(name) });
    one.setAttribute("role", "tab");
    one.setAttribute("aria-controls", panel.id);
    one.dataset.tab = name;
    bar.append(one);
    return one;
  }
  bar.addEventListener("keydown", event => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -tabs.length, End: tabs.length }[event.key];
    if (!by) return;
    const here = tabs.findIndex(one => one.dataset.tab === at.tab);
    const next = tabs[Math.min(Math.max(here + by, 0), tabs.length - 1)];
    choose(next.dataset.tab);
    next.focus();
    event.preventDefault();
  });
  function choose(name) {
    at.tab = name;
    mark();
    look();
  }
  function mark() {
    tabs.forEach(one => {
      const on = one.dataset.tab === at.tab;
      one.setAttribute("aria-selected", String(on));
      one.tabIndex = on ? 0 : -1;
      if (on) panel.setAttribute("aria-labelledby", one.id);
    });
    fieldLabel.hidden = !(at.tab in FIELDS);
    fieldLabel.querySelector("label").textContent = FIELDS[at.tab] || "";
    field.control.value = at.fields[at.tab] || "";
  }
  function look() {
    panel.setAttribute("aria-busy", "true");
    ask({ do: "show", number: at.number, beside: at.beside, tab: at.tab, field: at.fields[at.tab] || "" });
  }
  first.onchange = () => { at.number = Number(first.value); look(); };
  second.onchange = () => { at.beside = Number(second.value); look(); };
  field.control.onchange = () => { at.fields[at.tab] = field.control.value; look(); };

  function runsAre(rows) {
    node.hidden = !rows.length;
    const options = rows.map(run => make("option", { value: run.number, textContent: run.title }));
    first.replaceChildren(...options);
    const others = [make("option", { value: 0, textContent: "none" }), make("option", { value: -1, textContent: "all of the same settings" })];
    second.replaceChildren(...others, ...options.map(one => one.cloneNode(true)));
    first.value = at.number;
    second.value = at.beside;
  }
  function view(number, beside = 0) {
    Object.assign(at, { number, beside });
    first.value = number;
    second.value = beside;
    mark();
    look();
  }
  function show(seen) {
    if (seen.number !== at.number || seen.tab !== at.tab || seen.beside !== at.beside) return;
    panel.removeAttribute("aria-busy");
    fill(field.list, seen.methods || []);
    compared.innerHTML = seen.comparison || "";
    panel.style.setProperty("--sl-columns", Math.min(seen.columns.length, 3));
    panel.replaceChildren(...seen.columns.map(column));
    panel.querySelectorAll("script").forEach(wake);
  }
  function column({ title, html }) {
    const place = make("section", {}, make("h3", { textContent: title }), make("div", { innerHTML: html }));
    place.setAttribute("aria-label", title);
    place.querySelectorAll("pre.sl-copy").forEach(copied);
    return place;
  }
  return { node, runsAre, view, show, at };
}

// A script that comes as text does not run; the code view brings one of its own.
function wake(still) {
  still.replaceWith(make("script", { type: still.type, textContent: still.textContent }));
}

function copied(text) {
  const button = make("button", { type: "button", textContent: "Copy" });
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: press Ctrl+C";
    }
  };
  text.after(button);
}
