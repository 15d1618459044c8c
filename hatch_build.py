"""What the package index shows: README with links that work outside the repository."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Links and pictures of README, but not addresses and places in the page.
RELATIVE = re.compile(r"\]\((?!https?://|#)([^)]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Makes README's relative links absolute, below the address of the source."""

    def update(self, metadata: dict) -> None:
        """Set the text of the project's page."""
        source = metadata["urls"]["Source"].rstrip("/")
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": RELATIVE.sub(
                lambda link: (
                    f"]({source}/raw/main/{link[1]})"
                    if link[1].endswith((".png", ".svg"))
                    else f"]({source}/blob/main/{link[1]})"
                ),
                readme,
            ),
        }
