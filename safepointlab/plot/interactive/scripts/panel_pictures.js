// The pictures of a panel: how long a JVM lived, which line is blamed, what one pass of a loop does. panel.js has the rest.
function picture(data, record, chosen, tile) {
  if (!record?.values) return [];
  const pictures = { time: timeLine, lines: sourceLines, pass: passLines };
  return [pictures[data.picture](data.drawn, record, chosen, tile)];
}

// How long the JVM lived: a bar from its start to its exit, or to the moment when the lab ended it.
function timeLine({ sleep_ms }, { wall_ms, outcome }, chosen, [look, , says]) {
  const end = Math.max(wall_ms, 3000) * 1.02, at = ms => 10 + 560 * ms / end;
  const svg = drawn("svg", { viewBox: "0 0 640 92", width: 640, role: "img", "aria-label": says });
  const line = (x, y1, y2) => svg.append(drawn("line", { x1: x, x2: x, y1, y2, stroke: "currentColor" }));
  const words = (x, y, text, anchor = "middle") =>
    svg.append(drawn("text", { x, y, "font-size": 12, "text-anchor": anchor }, text));
  const [paper, ink] = INKS[look] ?? INKS.late;
  const bar = { x: at(0), y: 24, width: at(wall_ms) - at(0), height: 24 };
  svg.append(drawn("rect", { ...bar, fill: paper, stroke: "currentColor" }));
  const inside = outcome === "hung" ? "still running" : "";
  const label = drawn("text", { x: at(wall_ms) - 8, y: 41, "font-size": 12, "text-anchor": "end" }, inside);
  label.style.fill = ink;
  svg.append(label);
  words(outcome === "hung" ? at(wall_ms) : at(wall_ms) + 6, outcome === "hung" ? 16 : 41,
    outcome === "hung" ? `✗ ended by the lab, ${seconds(wall_ms)}` : `exit, ${seconds(wall_ms)}`,
    outcome === "hung" ? "end" : "start");
  line(at(sleep_ms), 17, 24);
  line(at(sleep_ms), 48, 56);
  words(at(sleep_ms), 13, `main sleeps ${seconds(sleep_ms).replace("0 s", " s")}`);
  svg.append(drawn("line", { x1: at(0), x2: at(end), y1: 56, y2: 56, stroke: "currentColor" }));
  for (let ms = 0; ms <= end; ms += end > 6000 ? 2000 : 1000) { line(at(ms), 56, 61); words(at(ms), 73, ms / 1000); }
  words(at(end), 88, "since the JVM's start, s", "end");
  return svg;
}

// The source of one case, and beside each line the part of the samples that name it.
function sourceLines({ cases, source }, { values }, { case: name }) {
  const samples = values.samples.filter(([own]) => own === name);
  const total = samples.reduce((sum, sample) => sum + sample[3], 0);
  const share = (method, line) => samples.filter(each => each[1] === method && each[2] === line)
    .reduce((sum, each) => sum + each[3], 0) / total;
  const named = method => samples.some(each => each[1] === method);
  const hot = method => source[method].some(([, , burns]) => burns);
  const rows = cases[name].filter(method => named(method) || method === name || hot(method)).flatMap(method => {
    const lines = source[method].map(([number, text, burns], n) =>
      codeLine(number, text, burns, hot(method), share(method, number), n ? 0 : share(method, null)));
    return [...lines, made("tr", {}, made("td", { colSpan: 3 }, " "))];
  });
  const others = [...new Set(samples.map(each => each[1]).filter(method => !cases[name].includes(method)))];
  const rest = others.map(method => made("tr", {}, made("td", {}, ""), made("td", {}, `elsewhere: ${method}()`),
    bar(samples.filter(each => each[1] === method).reduce((sum, each) => sum + each[3], 0) / total, false)));
  const head = made("tr", {}, made("th", { scope: "col" }, "line"), made("th", { scope: "col" }, "source"),
    made("th", { scope: "col" }, `part of ${total} samples`));
  const table = made("table", { className: "sl-code" }, head, ...rows, ...rest);
  return made("div", { className: "sl-scroll", tabIndex: 0, role: "region", "aria-label": "the samples by line" }, table);
}

// `unplaced`: the part of samples that name the method and no line.
function codeLine(number, text, burns, hot, share, unplaced) {
  const code = text.replace(/\s*\/\/.*/, "") + (burns ? "   ◀ the time goes here" : "");
  const words = made("td", { className: burns ? "sl-burns" : "" }, code);
  const measured = unplaced ? bar(unplaced, hot, " in the method") : bar(share, hot);
  return made("tr", {}, made("td", {}, number), words, measured);
}

function bar(share, right, more = "") {
  if (!share) return made("td", {});
  const svg = drawn("svg", { viewBox: "0 0 120 12", width: 120, height: 12, "aria-hidden": "true" });
  svg.style.display = "inline-block";
  const fill = INKS[right ? "good" : "bad"][0];
  const width = Math.max(119 * share, 1);
  svg.append(drawn("rect", { x: 0.5, y: 1, width, height: 10, fill, stroke: "currentColor" }));
  return made("td", {}, `${right ? "✓" : "✗"} ${(100 * share).toFixed(0)} %${more} `, svg);
}

// One pass of the compiled loop, an instruction a line, and beside those that are no mere work what they are for.
function passLines({ names }, { values }, { loop, index }) {
  const { code, poll, work } = values[loop + names[index]];
  const line = (words, n) => {
    const [text, purpose = ""] = words.split("\t");
    const instruction = made("td", { className: purpose ? "sl-burns" : "" }, text);
    return made("tr", {}, made("td", {}, n + 1), instruction, made("td", {}, purpose && `◀ ${purpose}`));
  };
  const note = text => made("tr", {}, made("td", {}, ""), made("td", { colSpan: 2 }, text));
  const head = made("tr", {}, ...["", "instruction", "what for"].map(text => made("th", { scope: "col" }, text)));
  const around = poll === "around" ? [note("(the poll is in a loop around this one)")] : [];
  const call = "(a call; the routine's own code is not in the log)";
  const rows = work === "stub" ? [note(call)] : code.split("\n").map(line);
  const table = made("table", { className: "sl-code" }, head, ...rows, ...around);
  return made("div", { className: "sl-listing", tabIndex: 0, role: "region", "aria-label": "one pass" }, table);
}
