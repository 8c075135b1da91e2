// A JupyterLab extension without a build: the container that JupyterLab looks up by the name in package.json.
// Only `safepoint workbench` offers it to its server. It runs the page that says so in its metadata, and
// no other, and opens the Java file that is named there in the editor beside it.
(() => {
  const pause = ms => new Promise(done => setTimeout(done, ms));
  async function opened(app) {
    for (let tries = 0; tries < 300; tries += 1) {
      const panel = app.shell.currentWidget;
      const metadata = panel?.context?.isReady && panel.content?.model?.sharedModel?.metadata;
      if (metadata && panel.sessionContext?.isReady) return metadata.safepointlab_workbench ? panel : null;
      await pause(100);
    }
    return null;
  }
  async function run(app) {
    await app.restored;
    const panel = await opened(app);
    if (!panel) return;
    app.shell.collapseLeft?.();
    await app.commands.execute("notebook:run-all-cells");
    const { source } = panel.content.model.sharedModel.metadata.safepointlab_workbench;
    if (source) await app.commands.execute("docmanager:open", { path: source, options: { mode: "split-right", activate: false } });
  }
  const plugin = { id: "safepointlab-workbench:run", autoStart: true, activate: app => { void run(app); } };
  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB["safepointlab-workbench"] = {
    init: () => {},
    get: () => Promise.resolve(() => ({ __esModule: true, default: plugin })),
  };
})();
