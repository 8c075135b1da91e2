// Small makers of elements. The scripts of this folder are joined to one module, in the order dom, form, runs, view.
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
let made = 0;
const idOf = name => `sl-bench-${name}-${++made}`;

// A control below its label: a click on the label reaches it, and a screen reader says it.
function labelled(text, control, kind = "") {
  control.id = control.id || idOf("control");
  return make("div", { className: `sl-field ${kind}` }, make("label", { htmlFor: control.id, textContent: text }), control);
}
// Several check boxes under one heading.
function group(legend, ...children) {
  return make("fieldset", {}, make("legend", { textContent: legend }), ...children);
}
function box(text, value, title = "") {
  const control = make("input", { type: "checkbox", value, id: idOf("box") });
  return { control, node: make("span", { className: "sl-box", title }, control, make("label", { htmlFor: control.id, textContent: text })) };
}
function select(options) {
  return make("select", {}, ...options.map(([value, text]) => make("option", { value, textContent: text })));
}
// A browser offers an option if it contains what was typed; `typed` lets it offer -XX:+Name for -XX:Name, too.
function fill(list, values, typed = "") {
  const label = value => (value.toLowerCase().includes(typed.toLowerCase()) ? "" : typed);
  list.replaceChildren(...values.map(value => make("option", { value, label: label(value) })));
}
// A text field that offers values; the browser's own list, so that keys and screen readers know it.
function combo(values, properties = {}) {
  const list = make("datalist", { id: idOf("list") });
  const control = make("input", { type: "text", spellcheck: false, autocomplete: "off", ...properties });
  control.setAttribute("list", list.id);
  fill(list, values);
  return { control, list };
}
function later(ms, act) {
  let waiting = 0;
  return () => { clearTimeout(waiting); waiting = setTimeout(act, ms); };
}
