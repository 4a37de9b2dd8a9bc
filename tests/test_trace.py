"""Traces: shapes bound to tokens, arrays read-only, saved and loaded without pickle."""

import io
import json
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from core.config import END, DecodeSettings
from core.errors import CheckpointError
from core.text.dialogue import parse_dialogue
from core.trace import Alternative, AttentionTrace, BeamTrace, DecodingStep, Hypothesis, Layers, Summary, Token
from tests.refusals import refusals, refused

S, T, L, H, D, V = 4, 3, 2, 2, 5, 7


def token(number, turn=0, speaker="Amanda"):
    return Token(f"t{number}", 5 + number, 2 * number, 2 * number + 1, turn, speaker, number)


SOURCE = tuple(token(number) for number in range(S))
TARGET = tuple(token(number, None, None) for number in range(T))


def numbers(*shape):
    return np.random.default_rng(len(shape)).random(shape, dtype=np.float32)


def attention(**changes):
    arrays = {
        "encoder_self": numbers(L, H, S, S),
        "decoder_self": numbers(L, H, T, T),
        "cross": numbers(L, H, T, S),
        "p_gen": numbers(T),
        "copy": numbers(T, S),
    }
    return AttentionTrace(SOURCE, TARGET, **arrays | changes)


def beam(**changes):
    tables = {name: np.arange(6, dtype=np.int32).reshape(3, 2) for name in ("tokens", "parents", "kept")}
    return BeamTrace(**tables | {"scores": -numbers(3, 2)} | changes)


def summary(**changes):
    steps = tuple(
        DecodingStep(one, -0.5, 1.25, 1, (Alternative(5, " yes", 0.6), Alternative(6, "\udc80", 0.4)), 1, 0.25)
        for one in TARGET
    )
    values = {
        "text": "t0 t1 \u202e שלום 👩‍👩‍👧",
        "dialogue": parse_dialogue("#Person1#: t0\tt1\0\ud800 t2"),
        "steps": steps,
        "attention": attention(),
        "logits": numbers(T, V),
        "encoder_hidden": numbers(L + 1, S, D),
        "decoder_hidden": numbers(L + 1, T, D),
        "omitted": (1, 2),
        "shortened": (3,),
        "hypotheses": (Hypothesis("t0 t1", (5, 6, 2), -1.5, -0.5), Hypothesis("t0", (5, 2), -2.0, -1.0)),
        "beam": beam(),
        "finished": True,
        "settings": DecodeSettings(beam_size=2, seed=7),
        "checkpoint": "tiny@0123456789ab",
        "seconds": 0.25,
        "extra": {"note": ["a", 1]},
        "forced": 2,
    }
    return Summary(**values | changes)


def assert_same(one, other):
    assert type(one) is type(other)
    for name in one.__dataclass_fields__:
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype
        elif isinstance(mine, AttentionTrace | BeamTrace):
            assert_same(mine, theirs)
        else:
            assert mine == theirs, name


def test_save_and_load(tmp_path):
    run = summary()
    run.save(tmp_path / "run.npz")
    assert_same(run, Summary.load(tmp_path / "run.npz"))
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]
    # Files hold the pasted text alone.
    with np.load(io.BytesIO(run.to_bytes())) as stored:
        document = json.loads(bytes(stored["document"]))
    assert document["dialogue"] == run.to_dict()["dialogue"] == "#Person1#: t0\tt1\0\ud800 t2"
    (turn,) = Summary.from_bytes(run.to_bytes()).dialogue.turns
    assert turn.speaker == "#Person1#" and turn == run.dialogue.turns[0]
    bare = AttentionTrace(SOURCE, TARGET, cross=numbers(L, H, T, S))
    run = summary(attention=bare, beam=None, omitted=(), hypotheses=(), extra={})
    again = Summary.from_bytes(run.to_bytes())
    assert_same(run, again)
    assert again.attention.encoder_self is None and again.beam is None
    refused(CheckpointError, "the trace 'none.npz' cannot be read: No such file", Summary.load, tmp_path / "none.npz")


def test_arrays_are_read_only():
    for run in [summary(), Summary.from_bytes(summary().to_bytes())]:
        owners = {
            run: ("logits", "encoder_hidden", "decoder_hidden"),
            run.beam: ("tokens", "parents", "scores", "kept"),
            run.attention: ("encoder_self", "decoder_self", "cross", "p_gen", "copy"),
        }
        for owner, names in owners.items():
            for name in names:
                with pytest.raises(ValueError, match="read-only"):
                    getattr(owner, name)[...] = 0
    # The callers array is copied.
    cross = numbers(L, H, T, S)
    made = attention(cross=cross)
    cross[...] = 9
    assert np.max(made.cross) < 2


def test_layers_are_computed_one_at_a_time_when_they_are_asked_for():
    whole, asked = numbers(3, H, T, S), []
    layers = Layers(whole.shape, lambda layer: asked.append(layer) or whole[layer])
    assert len(layers) == 3 and layers.ndim == 4 and layers.shape == whole.shape
    for index in (0, -1, (2, 1), (0, slice(None), 1)):
        np.testing.assert_array_equal(layers[index], whole[index])
    assert asked == [0, 2, 0]  # the last one is kept
    np.testing.assert_array_equal(list(layers), whole)
    with pytest.raises(IndexError):
        layers[3]
    with pytest.raises(ValueError, match="read-only"):
        layers[1][...] = 0
    refused(TypeError, "one layer at a time", np.asarray, layers)
    with pytest.raises(ValueError, match="a layer must have the shape"):
        Layers((1, H, T, S), lambda layer: whole[layer, :, :1])[0]
    # They are checked like arrays, and not saved.
    with pytest.raises(ValueError, match="cross must have the shape"):
        attention(cross=Layers((3, H, T, S + 1), lambda layer: whole[layer]))
    run = replace(summary(), attention=attention(cross=layers))
    assert Summary.from_bytes(run.to_bytes()).attention.cross is None


def test_what_does_not_fit_is_refused(snapshot):
    arrays = {"encoder_self": [(L, H, S, S + 1), (L, H, T, T)], "decoder_self": [(H, T, T)], "p_gen": [(S,), (T, 1)]}
    arrays |= {"cross": [(L, H, S, T), (1, L, H, T, S)], "copy": [(S, T)]}
    states = {"logits": [(T + 1, V), (V,)], "encoder_hidden": [(L + 1, T, D)], "decoder_hidden": [(L + 1, S, D)]}
    beams = {"scores": [(2, 3)], "kept": [(3, 3)], "tokens": [(6,)]}
    for make, fields in ((attention, arrays), (summary, states), (beam, beams)):
        cases = [(name, shape) for name, shapes in fields.items() for shape in shapes]
        assert refusals(ValueError, lambda name, shape, make=make: make(**{name: numbers(*shape)}), cases) == snapshot
    refused(ValueError, "attention.target must be the tokens of the steps", summary, steps=summary().steps[:2])
    assert refusals(ValueError, lambda forced: summary(forced=forced), [-1, T + 1, 1.5]) == snapshot


def test_an_end_that_was_forced_is_no_choice_of_the_model():
    steps = tuple(replace(step, token=replace(step.token, id=5 + place)) for place, step in enumerate(summary().steps))
    ended = (*steps[:-1], replace(steps[-1], token=replace(steps[-1].token, id=END)))
    for written, changes, forced_end, chosen in (
        (ended, {"finished": False, "forced": 0}, True, ended[:-1]),
        (ended, {"finished": False, "forced": 1}, True, ended[1:-1]),
        (ended, {"finished": True, "forced": 1}, False, ended[1:]),
        (ended, {"finished": False, "forced": T}, False, ()),  # a reference under teacher forcing
        (steps, {"finished": False, "forced": 0}, False, steps),  # cut
        ((), {"finished": False, "forced": 0}, False, ()),
    ):
        target = tuple(step.token for step in written)
        arrays = {"attention": AttentionTrace(SOURCE, target), "decoder_hidden": numbers(L + 1, len(target), D)}
        run = summary(steps=written, logits=numbers(len(target), V), **arrays, **changes)
        assert (run.forced_end, run.choices) == (forced_end, chosen)


def test_a_file_from_before_forced_tokens_were_counted_still_loads():
    values = json.loads(bytes(document()))
    assert values.pop("forced") == 2
    again = Summary.from_bytes(archive(document=np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)))
    assert again.forced == 0
    assert_same(summary(forced=0), again)


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(monkeypatch, set_limits):
    with zipfile.ZipFile(io.BytesIO(GOOD)) as file:
        size = sum(member.file_size for member in file.infolist())
    set_limits(unpacked_file=size)
    assert_same(summary(), Summary.from_bytes(GOOD))
    set_limits(unpacked_file=size - 1)
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("the archive was opened"))
    with pytest.raises(CheckpointError, match=f"damaged one: it must unpack to at most .* Received: {size:,} bytes"):
        Summary.from_bytes(GOOD)


@pytest.mark.parametrize("shape", [b"(9000000000, 9)", b"(90000,)"])
def test_an_array_that_claims_more_than_it_has_takes_no_memory(shape, monkeypatch):
    said = b"{'descr': '<f8', 'fortran_order': False, 'shape': %b, }" % shape
    head = b"\x93NUMPY\x01\x00\x76\x00" + said.ljust(117)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("logits.npy", head + b"\n" + b"\0" * 99)
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("the archive was opened"))
    refused(CheckpointError, "claims .* bytes and has 227", Summary.from_bytes, buffer.getvalue())


def test_what_a_summary_says_of_itself():
    run = summary()
    assert run.tokens == TARGET and run.source == SOURCE
    assert run.log_probability == pytest.approx(-1.5)
    assert run.steps[0].probability == pytest.approx(np.exp(-0.5))


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


def archive(**changes):
    """The bytes of a trace with some members replaced."""
    with np.load(io.BytesIO(summary().to_bytes()), allow_pickle=False) as stored:
        members = dict(stored) | changes
    buffer = io.BytesIO()
    np.savez(buffer, **{name: value for name, value in members.items() if value is not None})
    return buffer.getvalue()


def document(**changes):
    with np.load(io.BytesIO(summary().to_bytes()), allow_pickle=False) as stored:
        values = json.loads(bytes(stored["document"])) | changes
    return np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)


def zip_of(name, data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(name, data)
    return buffer.getvalue()


np.save(BARE := io.BytesIO(), numbers(3))
GOOD = summary().to_bytes()
DAMAGED = {
    "empty": b"",
    "text": b"hello",
    "pickle": pickle.dumps(Bomb()),
    "pickle inside": archive(logits=np.array([Bomb()], dtype=object)),
    "pickled document": archive(document=np.array([Bomb()], dtype=object)),
    "cut": GOOD[:-100],
    "overwritten": GOOD[:200] + bytes(400) + GOOD[600:],
    "one bare array": BARE.getvalue(),
    "another zip": zip_of("readme.txt", b"hello"),
    "no array inside": zip_of("document.npy", b"hello"),
    "no document": archive(document=None),
    "no logits": archive(logits=None),
    "document of no JSON": archive(document=np.frombuffer(b"{", dtype=np.uint8)),
    "document of a list": archive(document=np.frombuffer(b"[1]", dtype=np.uint8)),
    "another format": archive(document=document(format=2)),
    "wrong settings": archive(document=document(settings={"beam_size": 0})),
    "steps of numbers": archive(document=document(steps=[1, 2, 3])),
    "a step missing": archive(document=document(steps=json.loads(bytes(document()))["steps"][:2])),
    "forced is no number": archive(document=document(forced="2")),
    "unknown key": archive(document=document(colour="red")),
    "wrong shape": archive(logits=numbers(T + 1, V)),
    "words for numbers": archive(logits=np.array([["a"] * V] * T)),
}


def test_damaged_files_are_refused(snapshot):
    refused = refusals(CheckpointError, Summary.from_bytes, DAMAGED)
    assert refused == snapshot and refused.count("no trace of this project, or a damaged one") == len(DAMAGED)


def test_an_old_header_that_is_no_python_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(GOOD)) as before, zipfile.ZipFile(buffer, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(b"'shape': (", b"'shape':(("))
    refused(CheckpointError, "no trace of this project", Summary.from_bytes, buffer.getvalue())
