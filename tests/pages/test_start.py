"""The start page: what was kept of a checkpoint, marked as such, and the doors, whatever state the files are in."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core import checkpoints
from core.text.examples import START
from pages.parts.start import first
from pages.shared.session.language import LANGUAGE
from pages.shared.teaching import projector
from tests.damage import damages
from tests.pages.conftest import ROOT, paste
from tests.pages.driver import captions, data, go, healthy, open_link, press, trigger

PAGE = "pages/start.py"


@pytest.fixture
def kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a checkpoint of which a summary was kept, beside `tiny`, of which none was; no weights are read."""
    (tmp_path / "tiny").symlink_to(folder / "tiny")
    (tmp_path / "kept").mkdir()
    for name in ("card.json", "config.json", "tokenizer.json", checkpoints.OPENING):
        shutil.copy(ROOT / "checkpoints" / "dialoscope" / name, tmp_path / "kept")
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    return tmp_path / "kept"


@pytest.fixture
def start(app, kept, monkeypatch: pytest.MonkeyPatch):
    """The start page, with no model loaded or asked for."""
    monkeypatch.setattr("pages.shared.model.loading.current_job", lambda: None)
    return app.switch_page(PAGE)


def test_the_first_dialogue_and_its_summary_are_there_without_a_model(start, kept):
    healthy(start.run())
    drawn, found = data(start, "writing"), checkpoints.read_opening("kept")
    assert "".join(each["gap"] + each["text"] for each in drawn["tokens"]) + drawn["tail"] == found["summary"]
    assert [each["probability"] for each in drawn["tokens"]] == [each["probability"] for each in found["tokens"]]
    assert [each["text"] for each in drawn["turns"]][2] == "Did you call the train company?"
    weights = checkpoints.read_card("kept")["sha256"]["weights.safetensors"][:12]
    assert "written earlier by **kept**: nothing is computed on this page" in captions(start)
    assert drawn["heading"] == "Summary, written earlier by our small model" and drawn["weights"].endswith(weights)
    assert drawn["warning"].startswith("Models are often wrong about who did what")
    assert "Licence of the weights: CC BY-NC-SA 4.0" in captions(start)
    assert [each.key for each in start.sidebar.children.values()] == [projector.SWITCH, LANGUAGE.name]


def test_of_other_weights_nothing_is_claimed(start, kept):
    weights = checkpoints.read_card("kept")["sha256"]["weights.safetensors"]
    card = kept / "card.json"
    card.write_text(card.read_text().replace(weights, "0" * 64))
    healthy(start.run())
    with pytest.raises(LookupError):
        data(start, "writing")
    assert "No summary was kept of the installed models." in start.info[0].value and start.button(key="door_summarize")


def test_a_damaged_file_is_said_and_the_doors_are_there(start, kept):
    (kept / checkpoints.OPENING).write_bytes(damages.POINTER)
    start.run()
    assert "kept/opening.json" in start.error[0].value.replace("\\", "") and "git lfs pull" in start.error[0].value
    assert start.button(key="door_summarize") and start.button(key="door_errors")


@pytest.mark.parametrize(
    ("part", "page", "wanted"),
    [
        ("text", "summarize", {}),
        ("tokens", "tokens", {}),
        ("embedding", "positions", {"pos_view": "sum", "pos_token": "{place}"}),
        ("encoder", "attention", {"see": "head", "kind": "encoder", "token": "{place}"}),
        ("cross", "attention", {"see": "head", "token": "4"}),
        ("decoder", "attention", {"see": "head", "kind": "decoder", "token": "4"}),
        ("next", "decoding", {"step": "4"}),
        ("word", "decoding", {"step": "5"}),
        ("network", "architecture", {}),
    ],
)
def test_a_part_of_a_step_opens_its_page_with_its_model_dialogue_and_settings(
    app, kept, visited, monkeypatch, part, page, wanted
):
    open_link("pages/masks.py", app, checkpoint="tiny", strategy="greedy", example="cat-sitter")
    monkeypatch.setattr("pages.shared.model.models.loaded", lambda name: None)
    go(app, PAGE)
    assert data(app, "writing")["weights"].startswith("kept, weights ") and "**kept**" in captions(app)
    assert app.session_state["checkpoint"] == "tiny"
    trigger(app, "writing", "see", {"part": part, "step": 3})
    read = checkpoints.read_opening("kept")["passes"][3]["place"] + 1  # depends on the weights that are shipped
    wanted = {name: value.format(place=read) for name, value in wanted.items()}
    assert visited[0] == (f"pages/{page}.py", {**wanted, "example": START})  # the tests open with another dialogue
    assert app.session_state["checkpoint"] == "kept" and app.session_state["example"] == START
    assert app.session_state["strategy"] == checkpoints.read_card("kept")["decoding"]["strategy"] == "beam"


def test_a_dialogue_of_one_s_own_is_shown_once_its_model_is_loaded(app, visited):
    paste(app.run(), "Anna: Are you coming tonight?\nBen: No, I have to work late.")
    go(app, PAGE)
    drawn = data(app, "writing")
    assert [each["text"] for each in drawn["turns"]] == ["Are you coming tonight?", "No, I have to work late."]
    assert drawn["heading"].startswith("Summary, written by ") and len(drawn["passes"]) == len(drawn["tokens"])
    trigger(app, "writing", "see", {"part": "next", "step": 0})
    assert visited[0][0] == "pages/decoding.py" and app.session_state["own_dialogue"].text.startswith("Anna: Are")


def test_the_doors_open_their_pages(start, visited):
    healthy(start.run())
    press(start, "door_errors")
    press(start, "door_lessons")
    press(start, "door_summarize")
    opened = [("pages/errors.py", {}), ("pages/lessons.py", {}), ("pages/summarize.py", {"input": "paste"})]
    assert visited == opened


def test_a_demonstration_takes_no_file_and_does_not_offer_to(start, monkeypatch):
    healthy(start.run())
    assert first.BRING in captions(start)
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    healthy(start.run())
    assert first.BUNDLED in captions(start) and first.BRING not in captions(start)


def test_it_needs_no_library_that_starts_slowly():
    code = """
import sys
from pages.shared.model import loading
from streamlit.testing.v1 import AppTest
loading.current_job = lambda: None
app = AppTest.from_file("app.py", default_timeout=60).run()
assert not app.exception and app.get("bidi_component"), app
print(sorted({"tensorflow", "keras", "torch", "datasets", "onnxruntime", "transformers"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr[-2000:]
