// The filter above a table of the reference: a row shows if it has all that was chosen. The choice stands in the address.
"use strict";

(() => {
  // "8:holds" and its like: the JDK and the verdict are looked for together, either may be open
  function judged(row, jdk, verdict) {
    if (!jdk && !verdict) return true;
    return (row.dataset.verdict || "").split(" ").some(word => {
      const [on, said] = word.split(":");
      return (!jdk || on === jdk) && (verdict ? said === verdict : said !== "not-run" && said !== "not-applicable");
    });
  }

  function fits(row, chosen) {
    const { jdk, verdict, words, ...rest } = chosen;
    const has = ([name, value]) => !value || (row.dataset[name] || "").split(" ").includes(value);
    const text = row.textContent.toLowerCase();
    const said = (words || "").toLowerCase().split(/\s+/).every(word => text.includes(word));
    return said && judged(row, jdk, verdict) && Object.entries(rest).every(has);
  }

  function apply(form, table) {
    const chosen = Object.fromEntries(new FormData(form));
    const rows = [...table.querySelectorAll("tbody tr:not(.sl-post)")];
    for (const row of rows) row.hidden = !fits(row, chosen);
    for (const body of table.tBodies) body.hidden = ![...body.rows].some(row => !row.hidden && !row.classList.contains("sl-post"));
    const left = rows.filter(row => !row.hidden).length;
    const count = form.querySelector("output");
    count.value = `${left} of ${rows.length} ${count.dataset.things}`;
    return new URLSearchParams(Object.entries(chosen).filter(([, value]) => value)).toString();
  }

  function start(form) {
    const table = document.getElementById(form.dataset.table);
    const asked = new URLSearchParams(location.search);
    for (const field of form.elements) if (field.name && asked.has(field.name)) field.value = asked.get(field.name);
    const refresh = () => {
      const query = apply(form, table);
      try { history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash); } catch { /* a file: page may refuse */ }
    };
    form.addEventListener("input", refresh);
    form.addEventListener("reset", () => setTimeout(refresh));
    form.addEventListener("submit", event => event.preventDefault());
    apply(form, table);
    form.hidden = false;
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("form.sl-filter").forEach(start));
})();
