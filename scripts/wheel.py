"""The checkout -> what its wheel has beside the package: the Java samples and benchmarks, a readme, the project's URLs.

An index shows the readme away from the checkout, so its links to files of the checkout become whole addresses. For that
$SAFEPOINTLAB_REPOSITORY is "owner/name" at GitHub. Without it the links stay as they are, and there are no URLs:
`make setup`, whose editable installation finds the samples in the checkout, needs neither.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SAMPLES = ("java-samples/programs", "java-samples/benchmarks")
REPOSITORY = "SAFEPOINTLAB_REPOSITORY"
LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?:|#)([^)]+)\)")


class CustomBuildHook(BuildHookInterface[Any]):
    """The Java files, below the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them to a wheel that is not an editable one."""
        if version == "standard":
            build_data["force_include"] |= {folder: f"safepointlab/{folder}" for folder in SAMPLES}


class CustomMetadataHook(MetadataHookInterface):
    """What `dynamic` in pyproject.toml leaves to be found out, but for the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in `readme` and `urls`."""
        repository = os.environ.get(REPOSITORY, "")
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": whole(text, repository)}
        metadata["urls"] = urls(repository)


def urls(repository: str) -> dict[str, str]:
    """The project's places at GitHub, by the names that an index knows; none without a repository."""
    if not repository:
        return {}
    place = f"https://github.com/{repository}"
    changes = f"{place}/blob/main/CHANGELOG.md"
    return {"Homepage": place, "Source": place, "Issues": f"{place}/issues", "Changelog": changes}


def whole(text: str, repository: str) -> str:
    """The readme with each link into the checkout as an address: a picture's own bytes, and the page of any other file.

    >>> whole("![x](docs/a.png) [y](docs/b.md) [z](#z)", "o/n")
    '![x](https://github.com/o/n/raw/main/docs/a.png) [y](https://github.com/o/n/blob/main/docs/b.md) [z](#z)'
    """
    if not repository:
        return text
    place = f"https://github.com/{repository}"
    return LINK.sub(lambda link: f"{link[1]}[{link[2]}]({place}/{'raw' if link[1] else 'blob'}/main/{link[3]})", text)
