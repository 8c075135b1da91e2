// The book's folds: one button for all code of a page, one for all answers; a committed prediction opens its answer.
// And a name for the arrows of the navigation, which its theme draws without one.
"use strict";

const KINDS = [
  ["code", "Fold the code", "Show the code"],
  ["answer", "Fold the results", "Show all results"],
];

function folds(kind) {
  return [...document.querySelectorAll(`details.sl-fold-${kind}`)];
}

function addButton(line, kind, foldWords, showWords) {
  if (!folds(kind).length) return;
  const button = document.createElement("button");
  const words = () => { button.textContent = folds(kind).some(fold => fold.open) ? foldWords : showWords; };
  button.type = "button";
  button.addEventListener("click", () => {
    const open = !folds(kind).some(fold => fold.open);
    for (const fold of folds(kind)) fold.open = open;
    words();
  });
  for (const fold of folds(kind)) fold.addEventListener("toggle", words);
  words();
  line.append(button);
}

function openAnswerTo(question) {
  const after = fold => question.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING;
  const answer = folds("answer").find(after);
  if (answer) answer.open = true;
}

function nameArrows() {
  for (const arrow of document.querySelectorAll("summary:has(.toctree-toggle)")) {
    const page = arrow.closest("li").querySelector("a");
    arrow.setAttribute("aria-label", `Pages below ${page ? page.textContent.trim() : "this one"}`);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  nameArrows();
  const line = document.querySelector(".sl-run");
  if (line) for (const [kind, fold, show] of KINDS) addButton(line, kind, fold, show);
  document.addEventListener("submit", event => {
    const form = event.target.closest(".sl-alive form");
    if (form && (form.querySelector("input:checked") || form.querySelector("[type=checkbox]"))) openAnswerTo(form);
  });
});
