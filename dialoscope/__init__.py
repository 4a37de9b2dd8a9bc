"""Dialoscope for programs of others: `from dialoscope import load`, also beside a package `core` of their own.

The code lies in a package called `core`, as that of other projects does. Where another `core` is found first, ours is
imported under the private name `dialoscope._core`: its files stay what they are, and their import statements, which
name `core`, go through an `__import__` of their own that finds this one.
"""

import builtins
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

HOME = Path(__file__).resolve().parent.parent / "core"
PRIVATE = "dialoscope._core"


class _Loader(SourceFileLoader):
    """Loads a file of ours; its import statements find our `core`."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the file with builtins of its own."""
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import}
        super().exec_module(module)


class _Finder:
    """Finds our files under the private name."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return where a module lies; None for a name of others, or where there is no such file."""
        if name != PRIVATE and not name.startswith(f"{PRIVATE}."):
            return None
        place = HOME.joinpath(*name.removeprefix(PRIVATE).split(".")[1:])
        package = (place / "__init__.py").is_file()
        file = place / "__init__.py" if package else place.with_suffix(".py")
        if not file.is_file():
            return None
        inside = [str(place)] if package else None
        return spec_from_file_location(name, file, loader=_Loader(name, str(file)), submodule_search_locations=inside)


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    if level or name.partition(".")[0] != "core":
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    name = PRIVATE + name.removeprefix("core")
    if not fromlist:  # `import core.x` binds core
        import_module(name)
        return sys.modules[PRIVATE]
    return builtins.__import__(name, globals, locals, fromlist, 0)


def _name() -> str:
    """Return the name of our package: `core`, or the private one where another `core` is found first."""
    held, spec = sys.modules.get("core"), None if "core" in sys.modules else find_spec("core")
    place = getattr(held, "__file__", None) if held else spec.origin if spec else None
    return "core" if place and Path(place).resolve() == HOME / "__init__.py" else PRIVATE


_ours = _name()
if _ours == PRIVATE:
    sys.meta_path.insert(0, _Finder)


def _of(module: str, name: str) -> Any:
    return getattr(import_module(f"{_ours}{module}"), name)


if TYPE_CHECKING:
    from core import load as load
    from core.config import DecodeSettings as DecodeSettings
    from core.errors import DialoscopeError as DialoscopeError
else:
    load = _of("", "load")
    DecodeSettings = _of(".config", "DecodeSettings")
    DialoscopeError = _of(".errors", "DialoscopeError")

__all__ = ["DecodeSettings", "DialoscopeError", "load"]
