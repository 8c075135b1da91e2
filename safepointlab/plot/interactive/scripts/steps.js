// Steps of one thing, each a title and a piece of HTML: buttons and the arrow keys go from one to the next.
// data: { steps: [{ title, html }] }, or { choose, of: { NAME: [steps] } }: then the reader chooses one of several;
//       and perhaps { note }, a sentence below
function render({ model, el }) {
  const { steps, of = { "": steps }, choose = "", note = "" } = model.get("data");
  const names = Object.keys(of);
  let list = of[names[0]], at = 0;
  const root = document.createElement("div");
  const bar = document.createElement("p");
  const title = document.createElement("p");
  const place = document.createElement("div");
  title.setAttribute("aria-live", "polite");
  title.style.cssText = "min-height: 2.6em; margin: 0.4em 0;";

  function button(text, to) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.onclick = () => show(to());
    bar.append(made, " ");
    return made;
  }

  function chooser() {
    const label = document.createElement("label"), select = document.createElement("select");
    select.append(...names.map(name => new Option(name, name)));
    select.onchange = () => { list = of[select.value]; show(at); };
    label.append(`${choose} `, select);
    return label;
  }

  const first = button("⇤ first", () => 0), back = button("← back", () => at - 1);
  const on = button("next →", () => at + 1);
  function show(to) {
    at = Math.min(Math.max(to, 0), list.length - 1);
    const number = document.createElement("b");
    number.textContent = `Step ${at + 1} of ${list.length}. `;
    title.replaceChildren(number, list[at].title);
    place.innerHTML = list[at].html;
    back.disabled = first.disabled = at === 0;
    on.disabled = at === list.length - 1;
  }

  function key(event) {
    if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: list.length - 1 }[event.key];
    if (to === undefined) return;
    show(to);
    event.preventDefault();
    event.stopPropagation();
  }

  if (!list.length) return el.append("no steps");
  root.tabIndex = 0;
  root.setAttribute("aria-label", "steps; the arrow keys go from one to the next");
  root.setAttribute("role", "group");
  root.addEventListener("keydown", key);
  if (names.length > 1) root.append(chooser());
  root.append(bar, title, place);
  if (note) root.append(Object.assign(document.createElement("small"), { textContent: note }));
  el.append(root);
  show(0);
}
export default { render };
