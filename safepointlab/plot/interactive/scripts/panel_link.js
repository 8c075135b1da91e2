// The kernel's end of the panels on a page: no view, it passes messages between a panel and `widgets/panel_live.py`.
// A panel knows it by the id in its data. It counts as there only after the kernel has answered: a saved page has none.
const links = (globalThis.safepointlabLinks ??= new Map());

function initialize({ model }) {
  const id = model.get("link");
  const tell = message => document.dispatchEvent(new CustomEvent("safepointlab-link", { detail: { id, message } }));
  const gone = () => { links.delete(id); tell({ state: "gone" }); };
  const greet = () => { try { model.send({ do: "hello" }); } catch { gone(); } };
  model.on("msg:custom", message => {
    if (message.state === "here") links.set(id, model);
    tell(message);
  });
  model.on("comm_live_update", () => { gone(); greet(); });  // after a restart nobody answers
  greet();
  return gone;
}

function render() {}  // nothing to see: the panel is an output of its own

export default { initialize, render };
