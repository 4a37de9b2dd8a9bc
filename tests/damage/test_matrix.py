"""Every kind of file under every damage: it is read all the same, or refused in a line with file, fault and remedy."""

import re
import resource
import shutil
import time
from functools import cache
from pathlib import Path

import pytest

from core.errors import DialoscopeError
from tests.damage.damages import DAMAGES, Damage
from tests.damage.kinds import FILES, KINDS, Kind

REMEDY = re.compile(
    r"\b(again|pull|restore|needed|allowed|must|needs|take|delete|correct|remove|put|copy|download|allowed|lacks|"
    r"name another|look at|read it|import it)\b",
    re.IGNORECASE,
)
SECONDS = 20
MEGABYTES = 400
CASES = [
    pytest.param(kind, damage, id=f"{kind.name}: {damage.name}", marks=[pytest.mark.slow] if kind.slow else [])
    for kind in KINDS
    for damage in DAMAGES
    if damage.fits(kind.form) and not (kind.uploaded and damage.name in FILES)
]


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory):
    """Returns the folder of a kind, made once."""

    @cache
    def made(make) -> Path:
        folder = tmp_path_factory.mktemp("whole") / "model"
        make(folder)
        return folder

    return made


def peak() -> float:
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


@pytest.mark.parametrize("kind", [pytest.param(each, marks=[pytest.mark.slow] if each.slow else []) for each in KINDS])
def test_a_whole_one_is_read(kind: Kind, whole, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole(kind.make), tmp_path / "model"))
    assert (folder / kind.file).is_file()
    kind.after(folder)
    assert kind.read(folder) is not None


@pytest.mark.parametrize(("kind", "damage"), CASES)
def test_a_damaged_one_is_read_or_refused(kind: Kind, damage: Damage, whole, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole(kind.make), tmp_path / "model"))
    path, content = folder / kind.file, (folder / kind.file).read_bytes()
    damage.apply(path)
    if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
        return  # a file without numbers, or without arrays of them
    kind.after(folder)
    before, started = peak(), time.monotonic()
    try:
        kind.read(folder)
    except DialoscopeError as error:
        said = str(error)
    else:
        said = ""
    assert time.monotonic() - started < SECONDS
    assert peak() - before < MEGABYTES
    if not said:
        assert damage.name in kind.bears, "it was read as if it were whole"
        return
    assert "\n" not in said and len(said) < 900
    names = kind.said or (Path(kind.file).name,)
    assert any(name in said for name in names), said
    assert REMEDY.search(said), said
    if damage.name == "a pointer of Git LFS" and "SHA-256" not in said:
        assert "git lfs pull" in said, said
