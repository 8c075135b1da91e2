// The order of what the book's search finds: the course's pages, the flags and the glossary come first, and single
// claims, of which many name the same flag, last. The weights are Sphinx's own.
"use strict";
const FIRST = /^(notebooks\/|reference\/(flags|glossary)$)/, LAST = /^reference\/claims\//;
var Scorer = {
  score: ([page, , , , score]) => FIRST.test(page) ? score + 20 : LAST.test(page) ? score / 100 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
