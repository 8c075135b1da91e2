// A recorded run that hung, played in real time; then the reader asks the JVM what an administrator would ask it.
// data: { command, ends_s, printed: [{ at_s, text }], lanes: [{ name, begin_s, end_s, look, words }],
//         answers: [{ question, command, says, waited_s }], kill (one of these), still_there, killed, why: { href, text }, origin }
const STYLE = `
.sl-hang-screen { background: #16191d; color: #e8e8e8; font-family: monospace; font-size: 0.9em; line-height: 1.45;
  border: 1px solid var(--sl-line); border-radius: 6px; padding: 0.7em 0.9em; height: 8.6em; overflow-y: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.sl-hang-lane { display: grid; grid-template-columns: 5.5em 1fr; align-items: center; gap: 0.5em; margin: 0.25em 0; font-size: 0.85em; }
.sl-hang-track { position: relative; height: 1.5em; background: var(--sl-raised); border-radius: 3px; overflow: hidden; }
.sl-hang-bar { position: absolute; top: 0; bottom: 0; padding: 0 0.4em; white-space: nowrap; overflow: hidden; line-height: 1.5em; }
.sl-hang-bar.asleep { background: #9aa5b1; color: #1a1a1a; }
.sl-hang-bar.runs { background: #2f6f9f; color: #fff; }
.sl-hang-bar.waits { background: #d55e00; color: #111; }
.sl-hang-row { display: flex; flex-wrap: wrap; gap: 0.4em; align-items: center; margin: 0.5em 0; }
.sl-alive .sl-hang-run { background: var(--sl-focus); color: var(--sl-paper); border-color: var(--sl-focus); font-weight: bold; padding: 0.3em 1.2em; }
.sl-hang-says { min-height: 3em; margin: 0.4em 0; }
.sl-hang-row button:disabled { opacity: 0.55; }`;
const TICK_MS = 40;

function node(tag, more = {}, ...children) {
  const made = Object.assign(document.createElement(tag), more);
  made.append(...children);
  return made;
}

function render({ model, el }) {
  const data = model.get("data");
  const screen = node("div", { className: "sl-hang-screen", tabIndex: 0 });
  screen.setAttribute("role", "log");
  screen.setAttribute("aria-label", "terminal");
  const says = node("p", { className: "sl-hang-says" }), clock = node("span");
  says.setAttribute("role", "status");
  const start = node("button", { type: "button", className: "sl-hang-run", onclick: run }, "▶ Run it");
  const lanes = data.lanes.map(lane);
  const asks = node("div", { className: "sl-hang-row", hidden: true });
  const buttons = [...data.answers.map(answer => ask(answer)), ask(data.kill, end)];
  let ticking = 0;
  asks.append(...buttons);
  el.append(node("style", {}, STYLE), screen, node("div", { className: "sl-hang-row" }, start, clock),
    ...lanes.map(each => each.row), says, asks, node("small", {}, data.origin));
  reset();

  function write(text) {
    screen.append(text);
    screen.scrollTop = screen.scrollHeight;
  }

  function reset() {
    clearInterval(ticking);
    screen.replaceChildren(`$ ${data.command}\n`);
    says.textContent = "";
    asks.hidden = true;
    lanes.forEach(each => each.grow(0));
  }

  function run() {
    reset();
    start.disabled = true;
    const begin = performance.now(), due = [...data.printed];
    ticking = setInterval(() => {
      const passed = Math.min((performance.now() - begin) / 1000, data.ends_s);
      while (due.length && due[0].at_s <= passed) write(`${due.shift().text}\n`);
      lanes.forEach(each => each.grow(passed));
      clock.textContent = `${passed.toFixed(1)} s`;
      if (passed === data.ends_s) hang();
    }, TICK_MS);
  }

  function hang() {
    clearInterval(ticking);
    start.disabled = false;
    start.textContent = "▶ Run it again";
    says.textContent = data.still_there;
    asks.hidden = false;
    buttons.forEach(button => { button.disabled = false; });
  }

  function ask(answer, then = () => {}) {
    const button = node("button", { type: "button" }, answer.question);
    button.onclick = () => {
      const others = buttons.filter(each => !each.disabled);
      others.forEach(each => { each.disabled = true; });
      start.disabled = true;
      write(`$ ${answer.command}\n`);
      setTimeout(() => {
        write(`${answer.says}\n`);
        others.forEach(each => { each.disabled = each === button; });
        start.disabled = false;
        then();
      }, 1000 * answer.waited_s);
    };
    return button;
  }

  function end() {
    buttons.forEach(button => { button.disabled = true; });
    says.replaceChildren(data.killed, " ", node("a", { href: data.why.href }, data.why.text));
  }

  function lane({ name, begin_s, end_s, look, words }) {
    const bar = node("span", { className: `sl-hang-bar ${look}` }, words);
    const row = node("div", { className: "sl-hang-lane" }, name, node("div", { className: "sl-hang-track" }, bar));
    const share = seconds => 100 * seconds / data.ends_s;
    const grow = passed => {
      bar.hidden = passed <= begin_s;
      bar.style.left = `${share(begin_s)}%`;
      bar.style.width = `${share(Math.max(0, Math.min(passed, end_s) - begin_s))}%`;
    };
    return { row, grow };
  }
}
export default { render };
