// What there is to choose from -> the controls; read() gives the choice, write(choice) sets them.
function form(offers, ask) {
  const program = combo(offers.samples, { placeholder: "topic/Name, or MyProgram.java" });
  const otherJdks = make("input", { type: "text", placeholder: "temurin:25, a folder", spellcheck: false });
  const jdks = offers.jdks.map(jdk => box(jdk.label, jdk.spec, jdk.about));
  const compiler = select(offers.compilers.map(name => [name, name]));
  const gc = select([["", "the JDK's own choice"], ...offers.collectors.map(name => [name, name])]);
  const deadline = make("input", { type: "number", min: 1, max: offers.longest, step: "any" });
  const cores = make("input", { type: "number", min: 1, placeholder: "all" });
  const repeat = make("input", { type: "number", min: 1 });
  const flags = combo([], { placeholder: "-XX:… -Xint" });
  const args = make("input", { type: "text", spellcheck: false, placeholder: "the program's own" });
  const jars = combo(offers.jars, { placeholder: "group:artifact:version" });
  const logs = offers.logs.map(log => box(log.name, log.name, log.about));
  const method = combo([], { placeholder: "all of the program's" });
  const about = make("p", { className: "sl-about" });
  const facts = make("ul", { className: "sl-facts" });
  facts.setAttribute("aria-live", "polite");
  facts.setAttribute("aria-label", "About these flags");
  const edit = make("button", { type: "button", textContent: "Edit source" });
  const fresh = make("button", { type: "button", textContent: "New Java file…" });

  const ticked = boxes => boxes.filter(one => one.control.checked).map(one => one.control.value);
  const specs = () => [...ticked(jdks), ...otherJdks.value.split(/[\s,]+/).filter(Boolean)];
  const read = () => ({
    program: program.control.value, jdk: specs(), compiler: compiler.value, gc: gc.value, flags: flags.control.value,
    args: args.value, jars: jars.control.value, log: ticked(logs), method: method.control.value, deadline: deadline.value,
    cores: cores.value, repeat: repeat.value,
  });
  const tick = (boxes, values) => boxes.forEach(one => { one.control.checked = values.includes(one.control.value); });
  function write(choice) {
    const offered = offers.jdks.map(jdk => jdk.spec);
    tick(jdks, choice.jdk);
    otherJdks.value = choice.jdk.filter(spec => !offered.includes(spec)).join(" ");
    tick(logs, choice.log);
    program.control.value = choice.program;
    if (![...compiler.options].some(option => option.value === choice.compiler))
      compiler.append(make("option", { value: choice.compiler, textContent: choice.compiler }));
    compiler.value = choice.compiler;
    gc.value = choice.gc;
    flags.control.value = choice.flags;
    args.value = choice.args;
    jars.control.value = choice.jars;
    method.control.value = choice.method;
    deadline.value = choice.deadline;
    cores.value = choice.cores || "";
    repeat.value = choice.repeat;
    askFlags();
  }
  // Another program brings arguments and jars of its own: those of the last one would be wrong.
  const askProgram = (preset = false) => ask({ do: "about", program: program.control.value, preset });
  const askFlags = later(250, () => ask({ do: "flags", line: flags.control.value, jdk: specs() }));
  program.control.addEventListener("change", () => askProgram(true));
  flags.control.addEventListener("input", askFlags);
  [otherJdks, ...jdks.map(one => one.control)].forEach(one => one.addEventListener("change", askFlags));
  fresh.onclick = () => {
    const typed = program.control.value.trim();
    ask({ do: "file", name: /^[\w$]+\.java$/.test(typed) ? typed : "MyProgram.java" });
  };
  function showAbout(known, preset, home) {
    about.textContent = [known.title, known.arguments && `Arguments: ${known.arguments}.`].filter(Boolean).join(" ");
    fill(method.list, known.methods || []);
    edit.disabled = !known.path;
    edit.textContent = known.own ? "Edit source" : "Open source";
    opens(edit, known.path, home);
    if (preset) { args.value = known.args || ""; jars.control.value = known.jars || ""; method.control.value = ""; }
  }
  function showFlags(lines, about) {
    fill(flags.list, lines, flags.control.value);
    facts.replaceChildren(...about.map(line => make("li", { textContent: line })));
  }
  const node = make("div", { className: "sl-form" },
    make("div", { className: "sl-row" }, labelled("Program", program.control, "sl-wide-field"), program.list, edit, fresh),
    about,
    group("jdk, a JVM each", ...jdks.map(one => one.node), labelled("others", otherJdks, "sl-inline")),
    make("div", { className: "sl-row" }, labelled("compiler", compiler), labelled("gc", gc), labelled("deadline, s", deadline, "sl-short"),
      labelled("cores", cores, "sl-short"), labelled("repeat", repeat, "sl-short")),
    make("div", { className: "sl-row" }, labelled("flags", flags.control, "sl-wide-field"), flags.list),
    facts,
    make("div", { className: "sl-row" }, labelled("args", args, "sl-wide-field"), labelled("jars", jars.control, "sl-wide-field"), jars.list),
    group("log", ...logs.map(one => one.node), labelled("method for assembly and code", method.control, "sl-inline"), method.list));
  return { node, read, write, showAbout, showFlags, askProgram };
}

// JupyterLab opens a file in its own editor for any element that names its command; its folder is in the page's config.
function opens(button, path, home) {
  const config = JSON.parse(document.getElementById("jupyter-config-data")?.textContent || "{}");
  const full = text => text.replace(/^~(?=\/|$)/, home).replace(/\/$/, "");
  const root = full(config.serverRoot || "?"); // "" is the whole machine's
  const file = full(path || "");
  const inside = file.startsWith(`${root}/`);
  button.hidden = !inside;
  button.dataset.commandlinkerCommand = "docmanager:open";
  button.dataset.commandlinkerArgs = JSON.stringify({ path: inside ? file.slice(root.length + 1) : "", options: { mode: "split-right" } });
}
