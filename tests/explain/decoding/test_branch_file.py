"""A tree of branches in one file: what comes back, and what is refused."""

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import END
from core.errors import CheckpointError
from core.explain.decoding import branch_file
from core.explain.decoding.branches import Branches, Fork, Path, branch_of
from core.trace import AttentionTrace
from tests.refusals import refusals
from tests.test_trace import assert_same
from tests.traces import SOURCE, D, L, S, summary

A, B, C = 5, 6, 7
SHORT: Path = (Fork(1, (C, C)),)
SUMMARIES = {(): summary(A, B, A, B, END), SHORT: summary(A, C, C, forced=3)}
TREE = Branches((branch_of(SUMMARIES[()], (), "Original"), branch_of(SUMMARIES[SHORT], SHORT, "השני <b>")))
DATA = branch_file.to_bytes(TREE, SUMMARIES)


def archive(**members: bytes | str) -> bytes:
    """A deflated zip file; `trace_0` stands for the name 0.npz, `index` for branches.json."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr("branches.json" if name == "index" else f"{name.removeprefix('trace_')}.npz", content)
    return buffer.getvalue()


def index(*paths: str, version: int = 1, name: str = "Branch") -> str:
    entries = [{"name": name, "path": path} for path in paths]
    return json.dumps({"format": version, "branches": entries})


def test_a_tree_comes_back_with_every_trace() -> None:
    branches, summaries = branch_file.from_bytes(DATA)
    assert branches == TREE and list(summaries) == [(), SHORT]
    for path, saved in SUMMARIES.items():
        assert_same(summaries[path], saved)
    # What the encoder did is kept once.
    with zipfile.ZipFile(io.BytesIO(DATA)) as file:
        assert file.namelist() == ["branches.json", "0.npz", "1.npz"]
        stored = [np.load(io.BytesIO(file.read(f"{number}.npz"))).files for number in range(2)]
    assert "attention.encoder_self" in stored[0] and "attention.encoder_self" not in stored[1]
    assert "attention.cross" in stored[1]
    # A trace opens as one branch.
    saved = SUMMARIES[SHORT]
    branches, summaries = branch_file.from_bytes(saved.to_bytes())
    assert branches.items == (branch_of(saved, (), "Original"),)
    assert_same(summaries[()], saved)
    # A tree of a model without self attention.
    bare = {path: replace(each, attention=AttentionTrace(SOURCE, each.tokens)) for path, each in SUMMARIES.items()}
    branches, summaries = branch_file.from_bytes(branch_file.to_bytes(TREE, bare))
    assert branches == TREE and summaries[SHORT].attention.encoder_self is None


FIRST = {"trace_0": SUMMARIES[()].to_bytes()}
WHOLE = FIRST | {"trace_1": SUMMARIES[SHORT].to_bytes()}
LONGER = replace(SUMMARIES[SHORT], attention=AttentionTrace((*SOURCE, SOURCE[0]), SUMMARIES[SHORT].tokens),
                 encoder_hidden=np.zeros((L + 1, S + 1, D)))  # fmt: skip
EMPTY = summary()
FOREIGN = {
    "nothing": b"",
    "text": b"Anna: Hi\nBen: Hello",
    "an empty archive": archive(),
    "another archive": archive(trace_7=b"x"),
    "no JSON": archive(index="{", **WHOLE),
    "JSON of another kind": archive(index="[1, 2]", **WHOLE),
    "no UTF-8": archive(index=b"\xff\xfe{", **WHOLE),
    "JSON without end": archive(index="[" * 200_000, **WHOLE),
    "another version": archive(index=index("", version=2), **WHOLE),
    "no branches": archive(index=index()),
    "a missing trace": archive(index=index("", "2.7.7"), **FIRST),
    "no original": archive(index=index("2.7.7"), trace_0=SUMMARIES[SHORT].to_bytes()),
    "the original last": archive(index=index("2.7.7", ""), **WHOLE),
    "no path": archive(index=index("", "x"), **WHOLE),
    "an unknown token": archive(index=index("", "2.9.9"), **WHOLE),
    "another beginning": archive(index=index("", "2.7.8"), **WHOLE),
    "a missing parent": archive(index=index("", "2.7.7~1.6"), **WHOLE),
    "a name without end": archive(index=index("", "2.7.7", name="x" * 41), **WHOLE),
    "another dialogue": archive(index=index("", "2.7.7"), **FIRST, trace_1=LONGER.to_bytes()),
    "an empty summary": EMPTY.to_bytes(),
    "a tree with an empty summary": archive(index=index(""), trace_0=EMPTY.to_bytes()),
    "a trace that is none": archive(index=index(""), trace_0=b"PK"),
}


def test_what_is_no_saved_run_is_refused_in_a_line(snapshot) -> None:
    refused = refusals(CheckpointError, branch_file.from_bytes, FOREIGN)
    assert refused == snapshot
    assert refused.count("    'the file' is no ") == len(FOREIGN)


def test_nothing_is_unpickled(snapshot) -> None:
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was loaded",))

    buffer = io.BytesIO()
    np.savez(buffer, document=np.frombuffer(b"{}", dtype=np.uint8), logits=np.array([Bomb()], dtype=object))
    cases = [buffer.getvalue(), archive(index=index(""), trace_0=buffer.getvalue()), pickle.dumps({"format": 1})]
    assert refusals(CheckpointError, branch_file.from_bytes, cases) == snapshot


def test_too_large_a_run_is_refused_before_it_is_unpacked(snapshot, set_limits: Callable[..., None]) -> None:
    sizes = []
    for number in range(2):
        with zipfile.ZipFile(io.BytesIO(DATA)) as file, zipfile.ZipFile(io.BytesIO(file.read(f"{number}.npz"))) as npz:
            sizes.append(sum(entry.file_size for entry in npz.infolist()))
    set_limits(unpacked_file=sum(sizes))
    assert branch_file.from_bytes(DATA)[0] == TREE
    set_limits(unpacked_file=sum(sizes) - 1)  # each of the two alone would do
    bomb = archive(index=index(""), trace_0=b"\0" * sum(sizes))
    assert len(bomb) < sum(sizes) / 10
    assert refusals(CheckpointError, branch_file.from_bytes, [DATA, bomb]) == snapshot


FILES = (DATA, archive(index=index("", "2.7.7"), **WHOLE), SUMMARIES[SHORT].to_bytes())


@given(st.sampled_from(FILES), st.data())
def test_a_cut_file_is_refused(data: bytes, choice: st.DataObject) -> None:
    with pytest.raises(CheckpointError):
        branch_file.from_bytes(data[: choice.draw(st.integers(0, len(data) - 1))])


def test_a_text_with_half_of_a_character_pair_is_refused_since_no_page_could_show_it():
    half = replace(SUMMARIES[()], text="a\ud800")
    with pytest.raises(CheckpointError, match="surrogates not allowed"):
        branch_file.from_bytes(half.to_bytes())
    with pytest.raises(CheckpointError, match="surrogates not allowed"):
        branch_file.from_bytes(archive(index=index("", name="\ud800"), trace_0=SUMMARIES[()].to_bytes()))


def test_a_branch_goes_on_after_the_tokens_of_its_path():
    longer = SUMMARIES | {SHORT: summary(A, C, C, B, A, forced=3)}
    tree = Branches((TREE.items[0], branch_of(longer[SHORT], SHORT, "Longer")))
    branches, summaries = branch_file.from_bytes(branch_file.to_bytes(tree, longer))
    assert branches == tree and summaries[SHORT].steps == longer[SHORT].steps
