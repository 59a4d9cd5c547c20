"""Where the files lie that come with goldgate and are no code: the sample study, the maps of flat formats.

In a checkout they stand at its top, where people look for them; in a wheel inside this folder (pyproject.toml).
"""

from __future__ import annotations

from pathlib import Path


def shipped(*parts: str) -> Path:
    """The path of a file or folder that comes with goldgate."""
    here = Path(__file__).parent
    installed = here / "installed"
    return (installed if installed.is_dir() else here.parent).joinpath(*parts)
