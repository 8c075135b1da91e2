// The 64 bits of a mark word, one row a state or a value, with the bits that differ from the row above on dark ground.
// Radio buttons step through the rows, and each field tells what it is when it is pointed at or reached by Tab.
// data: { title, steps: [{ name, label, state, says, signs, hex, changed, note, parts: [...] }] };
// a part is { name, caption, bits, low, high, meaning, value }.
const LOOKS = `
.sl-mw-step { border-left: 5px solid transparent; padding: 0.1em 0 0.3em 0.5em; margin: 0 0 0.4em; }
.sl-mw-step.shown { border-left-color: var(--sl-ink); }
.sl-mw-step label { font-weight: bold; }
.sl-mw-hex { font-family: monospace; color: var(--sl-faint); margin-left: 1em; overflow-wrap: anywhere; }
.sl-mw-note { margin-left: 1em; }
.sl-mw-step { container-type: inline-size; }
.sl-mw-row { display: flex; gap: 2px; font-size: clamp(9px, calc((100cqw - 30px) / 30), 1em); } /* 64 bits are 29 letters wide */
.sl-alive .sl-mw-part { flex: none; text-align: left; padding: 0 0.2em 0.15em; border: 1px solid var(--sl-ink);
  border-radius: 3px; background: var(--sl-raised); cursor: pointer; font-size: 0.8em; }
.sl-alive .sl-mw-part.fixed { border-width: 3px; }
.sl-alive .sl-mw-part.chosen { outline: 3px solid var(--sl-focus); }
.sl-mw-name { display: block; white-space: nowrap; }
.sl-mw-bits { display: block; white-space: nowrap; font-family: monospace; font-size: 0.9em; }
@container (max-width: 400px) { /* on a phone a field takes as many lines as it needs */
  .sl-mw-row { flex-wrap: wrap; font-size: 1em; }
  .sl-alive .sl-mw-part { flex: 0 1 auto; max-width: 100%; }
  .sl-mw-bits { white-space: normal; overflow-wrap: anywhere; }
}
.sl-mw-bits i { font-style: normal; }
.sl-mw-bits i.changed { font-weight: bold; background: var(--sl-ink); color: var(--sl-paper); }
.sl-mw-says { min-height: 2.8em; margin: 0.4em 0; }
`;

function make(tag, text = "", name = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function places(part) {
  return part.bits > 1 ? `bits ${part.high} to ${part.low}` : `bit ${part.low}`;
}

function told(part) {
  return `${part.name}, ${places(part)}${part.value ? " = " + part.value : ""}: ${part.meaning}`;
}

function bitsOf(step, part) {
  const row = make("span", "", "sl-mw-bits");
  for (let place = 63 - part.high; place <= 63 - part.low; place++)
    row.append(make("i", step.signs[place], step.changed.includes(place) ? "changed" : ""));
  return row;
}

function button(step, part, choose) {
  const made = make("button", "", "sl-mw-part" + (part.name === "lock" ? " fixed" : ""));
  made.type = "button";
  made.setAttribute("aria-label", told(part));
  made.append(make("span", part.caption, "sl-mw-name"), bitsOf(step, part));
  made.onpointerenter = made.onfocus = made.onclick = () => choose(made, part);
  return made;
}

function headline(step) {
  return `${step.state}${step.hex ? ", " + step.hex : ""}. ${step.says} ${step.note}`;
}

// A row; only the buttons of the row that is shown are reached by Tab.
function rowOf(step, radio, choose) {
  const place = make("div", "", "sl-mw-step"), label = make("label"), row = make("div", "", "sl-mw-row");
  label.append(...(radio ? [radio, " "] : []), step.label);
  row.append(...step.parts.map(part => button(step, part, choose)));
  place.append(label, make("span", step.hex, "sl-mw-hex"), make("span", step.note, "sl-mw-note"), row);
  return place;
}

function radios(steps, show) {
  const group = `sl-mw-${Math.random().toString(36).slice(2)}`;
  return steps.map((_, n) => Object.assign(make("input"), { type: "radio", name: group, onchange: () => show(n) }));
}

function render({ model, el }) {
  const { title, steps } = model.get("data");
  const says = make("p", "", "sl-mw-says"), part = make("p", "Point at a field, or reach it with Tab, to read what it is.");
  says.setAttribute("aria-live", "polite");
  function choose(made, one) {
    el.querySelectorAll(".chosen").forEach(old => old.classList.remove("chosen"));
    made.classList.add("chosen");
    part.textContent = told(one);
  }
  const marks = steps.length > 1 ? radios(steps, show) : [];
  const rows = steps.map((step, n) => rowOf(step, marks[n], choose));
  function show(n) {
    says.textContent = headline(steps[n]);
    rows.forEach((row, at) => {
      row.classList.toggle("shown", at === n && rows.length > 1);
      row.querySelectorAll("button").forEach(made => { made.tabIndex = at === n ? 0 : -1; });
    });
  }
  const head = make("p");
  head.append(make("b", title));
  el.append(make("style", LOOKS), head, ...rows, says, part);
  const first = steps[0].hex ? steps.length - 1 : 0; // of values, the last is what the others lead to
  if (marks.length) marks[first].checked = true;
  show(first);
}
export default { render };
