// The 64 bits of a mark word: radio buttons choose a state or a value, and each field tells what it is when it is
// pointed at or reached by Tab. data: { title, steps: [{ name, state, says, signs, hex, changed, parts: [...] }] };
// a part is { name, short, bits, low, high, meaning, value }.
const ROW = 16; // bits in a line: four lines fit 600 px
const LOOKS = `
.sl-mw fieldset { border: 0; padding: 0; margin: 0 0 0.6em; }
.sl-mw label { display: inline-block; margin: 0 1em 0.2em 0; }
.sl-mw-row { display: grid; grid-template-columns: 2.2em repeat(${ROW}, minmax(1.35em, 2em)); margin-bottom: 0.35em; }
.sl-mw-edge { color: var(--sl-faint); font-size: 0.85em; align-self: end; padding-bottom: 0.25em; }
.sl-alive .sl-mw-part { display: block; text-align: center; padding: 0; border: 2px solid var(--sl-ink); border-radius: 3px;
  background: var(--sl-raised); overflow: hidden; min-width: 0; cursor: pointer; }
.sl-alive .sl-mw-part.fixed { border-width: 4px; }
.sl-alive .sl-mw-part.chosen { background: var(--sl-ink); color: var(--sl-paper); }
.sl-mw-name { display: block; font-size: 0.85em; white-space: nowrap; overflow: hidden; text-overflow: clip; min-height: 1.3em; }
.sl-mw-bits { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; font-family: monospace; padding-bottom: 0.3em; }
.sl-mw-bits i { font-style: normal; }
.sl-mw-bits i.changed { font-weight: bold; text-decoration: underline 3px; text-underline-offset: 3px; }
.sl-mw-says { min-height: 2.8em; margin: 0.4em 0; }
`;

function make(tag, text = "", name = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

// The pieces of a part that lie in one line of bits: a part may run over several lines.
function pieces(part, top) {
  const high = Math.min(part.high, top), low = Math.max(part.low, top - ROW + 1);
  return high >= low ? [{ part, high, low }] : [];
}

function places(part) {
  return part.bits > 1 ? `bits ${part.high} to ${part.low}` : `bit ${part.low}`;
}

function told(part) {
  return `${part.name}, ${places(part)}${part.value ? " = " + part.value : ""}: ${part.meaning}`;
}

function bitsOf(step, high, low) {
  const row = make("span", "", "sl-mw-bits");
  for (let bit = high; bit >= low; bit--) {
    const place = 63 - bit;
    row.append(make("i", step.signs[place], step.changed.includes(place) ? "changed" : ""));
  }
  return row;
}

// A button for each piece; only a part's first piece is reached by Tab, and all of its pieces light up together.
function button(step, { part, high, low }, choose) {
  const made = make("button", "", "sl-mw-part" + (part.short === "lock" ? " fixed" : ""));
  made.style.gridColumn = `span ${high - low + 1}`;
  made.type = "button";
  made.tabIndex = high === part.high ? 0 : -1;
  made.setAttribute("aria-label", told(part));
  made.dataset.low = part.low;
  const narrow = high - low + 1 < part.short.length / 2;
  made.append(make("span", narrow ? part.short.slice(0, 2 * (high - low + 1)) : part.short, "sl-mw-name"));
  made.append(bitsOf(step, high, low));
  made.onpointerenter = made.onfocus = made.onclick = () => choose(part);
  return made;
}

function grid(step, choose) {
  const rows = make("div");
  for (let top = 63; top > 0; top -= ROW) {
    const row = make("div", "", "sl-mw-row");
    row.append(make("span", String(top), "sl-mw-edge"));
    row.append(...step.parts.flatMap(part => pieces(part, top)).map(piece => button(step, piece, choose)));
    rows.append(row);
  }
  return rows;
}

function choices(steps, show) {
  const set = make("fieldset"), group = `sl-mw-${Math.random().toString(36).slice(2)}`;
  set.append(make("legend", steps[0].hex ? "value" : "state"));
  steps.forEach((step, n) => {
    const label = make("label"), radio = make("input");
    Object.assign(radio, { type: "radio", name: group, checked: n === 0, onchange: () => show(n) });
    const state = step.hex && step.name !== step.state ? ` (${step.state})` : "";
    label.append(radio, ` ${step.name}${state}`);
    set.append(label);
  });
  return set;
}

function headline(step) {
  const count = step.changed.length;
  const changed = count ? ` ${count} bit${count > 1 ? "s differ" : " differs"} from the step before (underlined).` : "";
  return `${step.state}${step.hex ? ", " + step.hex : ""}. ${step.says}${changed}`;
}

function render({ model, el }) {
  const { title, steps } = model.get("data");
  const place = make("div", "", "sl-mw"), bits = make("div"), says = make("p", "", "sl-mw-says"), part = make("p");
  says.setAttribute("aria-live", "polite");
  const hint = "Point at a field, or reach it with Tab, to read what it is.";
  function choose(one) {
    bits.querySelectorAll("button").forEach(b => b.classList.toggle("chosen", Number(b.dataset.low) === one.low));
    part.textContent = told(one);
  }
  function show(n) {
    says.textContent = headline(steps[n]);
    part.textContent = hint;
    bits.replaceChildren(grid(steps[n], choose));
  }
  const head = make("p");
  head.append(make("b", title));
  place.append(make("style", LOOKS), head, ...(steps.length > 1 ? [choices(steps, show)] : []), says, bits, part);
  el.append(place);
  show(0);
}
export default { render };
