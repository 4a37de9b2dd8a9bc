"""Every kind of file under every damage: it is read all the same, or refused in a line with file, fault and remedy."""

import re
import resource
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

import pytest

from core.errors import DialoscopeError
from core.model import transformer
from tests.damage.damages import DAMAGES
from tests.damage.kinds import FILES, KINDS, Kind

REMEDY = re.compile(
    r"\b(again|pull|restore|needed|allowed|must|needs|take|delete|correct|remove|put|copy|download|lacks|"
    r"name another|look at|read it|import it)\b",
    re.IGNORECASE,
)
SECONDS = 20
MEGABYTES = 400


@pytest.fixture(autouse=True, scope="module")
def built_once() -> Iterator[None]:
    """An import asks a network for its shapes: it is built once for all damages that leave the settings as they are."""
    with mock.patch.object(transformer, "Transformer", cache(transformer.Transformer)):
        yield


@contextmanager
def bounded() -> Iterator[None]:
    """What happens in the block takes neither long nor much memory."""
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    yield
    assert time.monotonic() - started < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1000


@pytest.mark.parametrize(
    "kind", [pytest.param(each, id=each.name, marks=[pytest.mark.slow] if each.slow else []) for each in KINDS]
)
def test_a_damaged_one_is_read_or_refused(
    kind: Kind, whole: Callable[[Callable], Path], tmp_path: Path, subtests: pytest.Subtests
) -> None:
    folder = tmp_path / "model"
    content = Path(shutil.copytree(whole(kind.make), folder), kind.file).read_bytes()
    assert kind.whole(folder) is not None
    for damage in DAMAGES:
        if not damage.fits(kind.form) or (kind.uploaded and damage.name in FILES):
            continue
        shutil.rmtree(folder)
        path = Path(shutil.copytree(whole(kind.make), folder), kind.file)
        damage.apply(path)
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            continue  # a file without numbers, or without arrays of them
        with subtests.test(damage=damage.name), bounded():
            try:
                kind.whole(folder)
            except DialoscopeError as error:
                said = str(error)
                assert "\n" not in said and len(said) < 900
                assert any(name in said for name in kind.said or (path.name,)), said
                assert REMEDY.search(said), said
                if damage.name == "a pointer of Git LFS" and "SHA-256" not in said:
                    assert "git lfs pull" in said, said
            else:
                assert damage.name in kind.bears, "it was read as if it were whole"
