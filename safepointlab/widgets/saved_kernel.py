"""The source of a cell of a Java page -> the outputs that the page was saved with: a kernel that needs no JVM.

Such a page runs its cells in a JVM of its own, so there are no runs to record. Its saved outputs are the recording, as
the checkout has them: an archive from elsewhere can put nothing into them. Jupyter starts this file where recordings
are played, under the names of the Java kernels.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ipykernel.kernelbase import Kernel

from safepointlab.process import home, recording

PAGES = home.PROJECT / "notebooks"
NAMES = {"java": "Java", "java-serial": "Java, Serial collector", "java-biased": "Java, biased locking"}
UNKNOWN = "The lab plays recordings, and this cell is not recorded: a lab with JDKs can run it (make lab)."
Output = Mapping[str, Any]


def plays(page: Path) -> bool:
    """Whether the page's cells run in a Java kernel, so that its saved outputs are its recording."""
    kernel = json.loads(page.read_text("utf-8"))["metadata"].get("kernelspec", {})
    return kernel.get("name") in NAMES


def install(place: Path) -> Path:
    """Write the kernelspecs below `place`, and return it: a folder for JUPYTER_PATH."""
    argv = [sys.executable, "-m", __name__, "-f", "{connection_file}"]
    for name, title in NAMES.items():
        spec = {"argv": argv, "display_name": f"{title}: recorded outputs", "language": "java"}
        recording.write_json(home.ready(place / "kernels" / name) / "kernel.json", spec)
    return place


@lru_cache(maxsize=1)
def saved() -> dict[str, list[Output]]:
    """The outputs of each code cell of the Java pages, by its source."""
    pages = (json.loads(page.read_text("utf-8")) for page in sorted(PAGES.glob("*.ipynb")) if plays(page))
    cells = (cell for page in pages for cell in page["cells"] if cell["cell_type"] == "code")
    return {_plain("".join(cell["source"])): cell["outputs"] for cell in cells}


def _plain(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def messages(source: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the kernel says for a cell: pairs of a message's type and its content, as Jupyter has them.

    >>> [kind for kind, content in messages("no such cell")]
    ['stream']
    """
    outputs = saved().get(_plain(source))
    if outputs is None and source.strip():
        yield "stream", {"name": "stderr", "text": f"{UNKNOWN}\n"}
    for output in outputs or []:
        content = {name: _joined(value) for name, value in output.items() if name != "output_type"}
        if "data" in content:
            content["data"] = {kind: _joined(value) for kind, value in content["data"].items()}
        yield output["output_type"], content


def _joined(value: Any) -> Any:
    """A saved text, which a notebook keeps as a list of lines, as a message has it."""
    lines = isinstance(value, list) and all(isinstance(line, str) for line in value)
    return "".join(value) if lines else value


class SavedKernel(Kernel):
    """A Jupyter kernel for Java pages that answers each cell with its saved outputs."""

    implementation, implementation_version = "safepointlab-saved", "1"
    language_info = {"name": "java", "mimetype": "text/x-java-source", "file_extension": ".java"}
    banner = "REPLAY of the outputs that this page was saved with: no JVM runs."

    async def do_execute(self, code: str, silent: bool, *_: Any, **__: Any) -> dict[str, Any]:
        """Send what the page was saved with; the first cell says so."""
        said = [("stream", {"name": "stdout", "text": f"{self.banner}\n"})] if self.execution_count == 1 else []
        for kind, content in [*said, *messages(code)] if not silent else []:
            if kind == "execute_result":
                content["execution_count"] = self.execution_count
            self.send_response(self.iopub_socket, kind, content)  # type: ignore[no-untyped-call]
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}


if __name__ == "__main__":
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(kernel_class=SavedKernel)
