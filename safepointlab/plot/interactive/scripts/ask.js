// A question, the outcomes to choose from, and one button that commits: native radio buttons, or boxes for several.
// data: { question: html, legend, outcomes: [html], several, chosen: [place], closed, note: html, here }
// In a widget `ticked` and `committed` go to the kernel, and what it says to the latter comes back in `note`; on a page
// without a kernel the choice stays on the page, and `here` is said.
let groups = 0;

function choice(html, place, data, name) {
  const line = document.createElement("label");
  const input = document.createElement("input");
  const words = document.createElement("span");
  line.style.cssText = "display:flex;gap:.5em;align-items:baseline;padding:.15em 0;line-height:1.4";
  Object.assign(input, { type: data.several ? "checkbox" : "radio", name, value: place });
  input.checked = data.chosen.includes(place);
  words.innerHTML = html;
  line.append(input, words);
  return { line, input };
}

function heading(data, id) {
  const line = document.createElement("p"), question = document.createElement("span");
  question.innerHTML = data.question;
  line.id = id; // a legend would do, but one of several lines breaks the frame
  line.style.cssText = "max-width:46em;margin:0 0 .4em;line-height:1.4";
  line.append(question, Object.assign(document.createElement("b"), { textContent: ` ${data.legend}` }));
  return line;
}

function render({ model, el }) {
  const data = model.get("data");
  const form = document.createElement("form"), field = document.createElement("fieldset");
  const note = document.createElement("p"), button = document.createElement("button");
  const group = `sl-ask-${Date.now()}-${groups}`; // a second output has a count of its own
  const choices = data.outcomes.map((html, place) => choice(html, place, data, group));
  groups += 1;
  el.classList.add("sl-alive");
  // JupyterLab would take the arrow keys, unless the very element that has the focus says no
  el.addEventListener("focusin", event => { event.target.dataset.lmSuppressShortcuts = "true"; });
  // and would never get them back: Escape and a commit return to the page's own keys, Shift+Enter among them
  const leave = () => el.closest(".jp-Notebook")?.focus();
  el.addEventListener("keydown", event => { if (event.key === "Escape") leave(); });
  field.style.cssText = "border:1px solid var(--sl-line);border-radius:4px;margin:0;padding:.6em .8em;min-width:0";
  field.setAttribute("aria-labelledby", group);
  note.setAttribute("role", "status");
  note.style.cssText = "margin:.4em 0 0;max-width:46em;line-height:1.4";
  button.style.marginTop = ".4em";
  button.type = "submit";
  button.textContent = "Commit";
  const say = html => { note.innerHTML = html; };
  const ticked = () => choices.filter(each => each.input.checked).map(each => Number(each.input.value));
  form.onchange = () => {
    if (model.still) return;
    model.set("ticked", ticked());
    model.save_changes();
  };
  form.onsubmit = event => {
    event.preventDefault();
    const chosen = ticked();
    if (!chosen.length && !data.several) { say("Choose one first."); return; }
    if (model.still) { say(data.here); return; }
    say("Sent. It is kept as soon as the kernel is free.");
    model.set("committed", { chosen, at: Date.now() }); // the time, so that the same choice again is heard, too
    model.save_changes();
    leave();
  };
  model.on("change:note", () => { if (model.get("note")) say(model.get("note")); });
  field.append(heading(data, group), ...choices.map(each => each.line), button, note);
  form.append(field);
  el.append(form);
  say(data.note);
  if (data.closed) field.disabled = true;
}
export default { render };
