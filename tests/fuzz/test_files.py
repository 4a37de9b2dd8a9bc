"""Every kind of file that the project reads, changed by strategies: it is read, or refused in a clear line.

`tests/damage` has the kinds, and damages each of them in ways that are known.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import checkpoints
from core.evaluation import intake
from core.explain.training import histories
from core.importing.source import look_up
from core.lessons import reader
from core.service import Summarizer
from core.text.upload import read_file
from core.visited import file as visited_file
from tests.damage.kinds import KINDS, Kind
from tests.fuzz.conftest import House
from tests.fuzz.hostile import changed, clean, pieces
from tests.fuzz.tried import cases, refusal_of, tried


@pytest.mark.parametrize("kind", KINDS, ids=str)
@cases(90)
@given(data=st.data())
def test_a_changed_file_is_read_or_refused(kind: Kind, whole: Callable, tmp_path_factory, data: Any) -> None:
    folder = Path(shutil.copytree(whole(kind.make), tmp_path_factory.mktemp("changed") / "model"))
    path = folder / kind.file
    path.write_bytes(data.draw(changed(kind.form, path.read_bytes())))
    try:
        with tried(megabytes=300):
            kind.whole(folder)
        assert not list(folder.parent.glob(".*")), "nothing is left over"
    finally:
        shutil.rmtree(folder.parent)


stems = st.sampled_from(("a", "", "x" * 300, "../../etc/passwd", "CON", "a\0b", "é" * 200, ".", "a b", "<b>")) | clean
endings = st.sampled_from(("", ".txt", ".json", ".jsonl.gz", ".csv", ".exe", ".JSON", "." + "y" * 300))


@cases(600)
@given(st.builds(str.__add__, stems, endings), st.sampled_from((b"", b"{}", b"a,b\n1,2\n", b"A: Hi.\nB: Hello.\n")))
def test_an_upload_may_have_any_name(name: str, content: bytes) -> None:
    for read in (read_file, intake.read, histories.parse):
        refusal_of(lambda read=read: read(name, content))
    refusal_of(lambda: visited_file.from_bytes(content, name))
    refusal_of(lambda: reader.parse(name, content.decode()))


@cases(400)
@given(pieces | st.builds(str.__add__, stems, endings) | st.sampled_from(("x/" * 3000, "../" * 30 + "etc")))
def test_no_name_of_a_checkpoint_leads_elsewhere(house: House, name: str) -> None:
    for call in (checkpoints.locate, checkpoints.read_card, Summarizer.load):
        assert refusal_of(lambda call=call: call(name))
    refusal_of(lambda: checkpoints.place_of(name))
    if "/" not in name.strip("/"):
        refusal_of(lambda: look_up(name))
