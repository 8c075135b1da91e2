// The workbench of one cell: controls, Run and Stop, history, results. The kernel does all the work.
const PATIENCE_MS = 4000;
const SILENT = "The kernel doesn't answer: it's busy with a cell, or this page has none. Run the cell again.";

function render({ model, el }) {
  el.classList.add("sl-alive", "sl-bench");
  el.dataset.lmSuppressShortcuts = "true"; // else JupyterLab takes single letters and arrows for its own
  const status = make("output", { className: "sl-status" });
  const clock = make("span", { className: "sl-clock" });
  const run = make("button", { type: "button", className: "sl-run", textContent: "▶ Run" });
  const stop = make("button", { type: "button", textContent: "■ Stop", disabled: true });
  status.setAttribute("role", "status");
  clock.setAttribute("aria-hidden", "true"); // a screen reader would read every tick
  let answered = 0;
  const ask = message => { silent(); model.send(message); };
  const controls = form(model.get("offers"), ask);
  const past = history(ask);
  const seen = results(ask);
  el.append(controls.node, make("div", { className: "sl-row" }, run, stop, status, clock), past.node, seen.node);

  // A saved page shows its widgets without a kernel: then nobody answers, and a button should not just do nothing.
  function silent() {
    const before = answered;
    setTimeout(() => {
      if (answered === before) status.textContent = SILENT;
    }, PATIENCE_MS);
  }
  function now() {
    const state = model.get("now");
    run.disabled = state.running;
    stop.disabled = !state.running;
    clock.textContent = "";
    if (state.running) status.textContent = `Running ${state.what}${state.of > 1 ? `, ${state.place} of ${state.of}` : ""}.`;
  }
  function tick() {
    const state = model.get("now");
    if (!state.running) return;
    const spent = Math.max(0, Date.now() / 1000 - state.begun_s);
    const left = Math.max(0, state.deadline_s - spent) + (state.of - state.place) * state.deadline_s;
    clock.textContent = spent > state.deadline_s ? "past its deadline: it is being examined" : `${spent.toFixed(0)} s, at most ${left.toFixed(0)} s left`;
  }
  function rows() {
    const all = model.get("rows");
    past.show(all, number => seen.view(number));
    seen.runsAre(all);
    const newest = all[0];
    if (!newest || newest.number === seen.at.number || model.get("now").running) return;
    status.textContent = newest.title;
    if (!newest.ran) seen.at.tab = "outcome"; // what it says is there alone
    seen.view(newest.number, newest.beside);
  }
  const told = {
    about: ({ about, preset, home }) => controls.showAbout(about, preset, home),
    flags: ({ lines, facts }) => controls.showFlags(lines, facts),
    choice: ({ choice }) => { controls.write(choice); controls.askProgram(); },
    note: ({ text }) => { status.textContent = text; },
    shown: seen.show,
  };
  run.onclick = () => { status.textContent = "Asked the kernel."; ask({ do: "run", choice: controls.read() }); };
  stop.onclick = () => { status.textContent = "Stopping."; ask({ do: "stop" }); };
  el.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run.click(); }
  });
  model.on("change:now", now);
  model.on("change:rows", rows);
  const hear = message => {
    answered += 1;
    if (status.textContent === SILENT) status.textContent = "";
    told[message.kind]?.(message);
  };
  model.on("msg:custom", hear);
  controls.write(model.get("choice"));
  controls.askProgram();
  now();
  rows();
  const ticking = setInterval(tick, 500);
  return () => {
    clearInterval(ticking);
    model.off("change:now", now);
    model.off("change:rows", rows);
    model.off("msg:custom", hear);
  };
}
export default { render };
