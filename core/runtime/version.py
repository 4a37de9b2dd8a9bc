"""The version of the project."""

import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

NAME = "dialoscope"


@cache
def version() -> str:
    """Return the version of the checkout that runs, or else of the installed package."""
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    if project.is_file():
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    return metadata.version(NAME)
