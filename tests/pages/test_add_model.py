"""The dialog that adds a model: what it says before, what it refuses, what is there afterwards."""

import json
import shutil
import time
from pathlib import Path
from threading import Event

import pytest

from core import checkpoints
from core.errors import CheckpointError, SettingsError
from core.importing import source
from pages.shared.controls import add_model
from pages.shared.model import model_imports, models
from tests.importing import peers
from tests.importing.folders import change
from tests.pages.driver import enter, healthy, press, press_label, said
from tests.refusals import refused


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as transformers writes it."""
    return peers.save("bart", tmp_path_factory.mktemp("peers") / "bart-tiny")


@pytest.fixture
def dialog(app, tmp_path, monkeypatch):
    """The open dialog; what it imports goes into a folder of its own."""
    monkeypatch.setenv("DIALOSCOPE_IMPORTED", str(tmp_path / "imported"))
    loaded = models.job("tiny")
    monkeypatch.setattr(models, "job", lambda name: loaded)  # nothing compiles when the tests are over
    return press(healthy(app.run()), "add_model")


def look(app, text):
    app.text_input(key=add_model.SOURCE).set_value(str(text))
    return press_label(app, "Look", may_refuse=True)


def finish(app):
    """Wait until the import is over, and let the page see it."""
    job = app.session_state[add_model.JOB]
    assert job.done.wait(60)
    app.run()
    return app


def is_open(app) -> bool:
    return any(each.key == add_model.SOURCE for each in app.text_input)


def test_a_model_is_described_and_its_dialogue_shown(dialog, peer):
    look(dialog, peer)
    assert "bart-tiny: BART" in said(dialog) and "licence apache-2.0" in said(dialog)
    assert dialog.code[0].value.startswith("Maya: ")
    dialog.segmented_control(key=add_model.STYLE.name).set_value("tags").run()
    enter(dialog, add_model.PREFIX, "summarize: ")
    assert dialog.code[0].value.startswith("summarize: #Person1#: ")


def test_an_added_model_is_opened_and_stays(dialog, peer):
    look(dialog, peer)
    press(dialog, "add_begin")
    assert not is_open(dialog)
    finish(dialog)
    assert dialog.selectbox(key="checkpoint").value == "bart-tiny" and not dialog.error
    assert "Words" not in [each.label for each in dialog.segmented_control]  # no rule about words of our own tokenizers
    assert (checkpoints.imports() / "bart-tiny" / "config.json").is_file()
    assert checkpoints.installed() == ["tiny", "bart-tiny"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "There is no such folder"),
        ("x" * 50_000, "There is no such folder"),
        ("/no/<b>such</b>", "Received: '/no/<b>such</b>'"),
        ("somebody/nothing", "HF_HUB_OFFLINE=1"),
        ("{tmp}", "There is no config.json in"),
    ],
)
def test_what_cannot_be_added_is_refused_and_stays_typed(dialog, tmp_path, text, why):
    text = text.format(tmp=tmp_path)
    look(dialog, text)
    assert why in said(dialog) and is_open(dialog)
    assert dialog.text_input(key=add_model.SOURCE).value == text
    assert not any(each.key == "add_begin" for each in dialog.button)


def test_what_its_own_settings_ask_in_vain_is_said_before_and_answered(dialog, peer, tmp_path):
    model = shutil.copytree(peer, tmp_path / "bart")
    change(model / "generation_config.json", num_beams=20)
    look(dialog, model)
    assert "Choose “As in this app” at Decoding" in said(dialog) and "--" not in said(dialog)
    assert dialog.segmented_control(key=add_model.DECODING.name).value == "default"
    assert "“As in this app” is chosen for it." in said(dialog)
    press(dialog, "add_begin")
    finish(dialog)
    assert dialog.selectbox(key="checkpoint").value == "bart" and not dialog.error


def test_what_does_not_fit_is_refused_before_it_can_be_added(dialog, peer, tmp_path):
    model = shutil.copytree(peer, tmp_path / "bart")
    change(model / "config.json", encoder_ffn_dim=40, decoder_ffn_dim=40)
    look(dialog, model)
    assert "does not fit the weights" in said(dialog)
    assert not any(each.key == "add_begin" for each in dialog.button)


def test_an_adapter_asks_for_its_base(dialog, tmp_path):
    (tmp_path / "adapter").mkdir()
    config = {"peft_type": "LORA", "base_model_name_or_path": "google/flan-t5-small"}
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps(config))
    assert not any(each.key == add_model.BASE for each in dialog.text_input)
    look(dialog, tmp_path / "adapter")
    assert "a LoRA adapter of google/flan-t5-small" in said(dialog) and "at Base of an adapter" in said(dialog)
    for base in (str(tmp_path / "nothing"), "y" * 50_000):
        dialog.text_input(key=add_model.BASE).set_value(base)
        look(dialog, tmp_path / "adapter")
        assert "There is no such folder" in said(dialog)


@pytest.mark.parametrize(("name", "why"), [("tiny", "already"), ("../up", "cannot be called so")])
def test_a_name_that_is_taken_or_no_name_is_refused(dialog, peer, name, why):
    look(dialog, peer)
    enter(dialog, add_model.NAME, name)
    press(dialog, "add_begin", may_refuse=True)
    assert why in said(dialog) and dialog.text_input(key=add_model.NAME).value == name


def test_an_import_that_fails_says_why_and_keeps_what_was_chosen(dialog, peer, tmp_path, monkeypatch):
    look(dialog, peer)
    enter(dialog, add_model.PREFIX, "mine: ")
    (tmp_path / "imported").write_text("a file where the folder should be")
    press(dialog, "add_begin")
    app = finish(dialog)
    assert app.error and not is_open(app)
    press(app, "add_again")
    assert app.text_input(key=add_model.PREFIX).value == "mine: "


def test_a_cancelled_import_leaves_nothing(dialog, peer, monkeypatch):
    read = source.read

    def waiting(*arguments, cancelled, **options):
        while not cancelled():
            time.sleep(0.01)
        return read(*arguments, cancelled=cancelled, **options)

    monkeypatch.setattr(source, "read", waiting)
    look(dialog, peer)
    press(dialog, "add_begin")
    assert any("Adding bart" in each.proto.text for each in dialog.get("progress"))
    job = dialog.session_state[add_model.JOB]  # the page forgets it as soon as it has stopped
    press(dialog, "add_cancel")
    assert job.done.wait(60)
    dialog.run()
    assert not dialog.error and checkpoints.installed() == ["tiny"]
    assert any(each.key == "add_model" for each in dialog.button)


def test_two_imports_at_once_are_refused(peer, tmp_path, monkeypatch):
    over = Event()
    monkeypatch.setattr(source, "read", lambda *_, **__: over.wait(60))
    found = model_imports.look(str(peer)).source
    first = model_imports.begin(found, tmp_path / "one", {})
    refused(CheckpointError, "one is being added", model_imports.begin, found, tmp_path / "two", {})
    over.set()
    assert first.done.wait(60)


def test_a_demonstration_offers_and_allows_nothing(app, peer, tmp_path, monkeypatch):
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    healthy(app.run())
    assert not any(each.key == "add_model" for each in app.button)
    refused(SettingsError, "demonstration", model_imports.look, str(peer))
    refused(SettingsError, "demonstration", model_imports.begin, None, tmp_path / "mine", {})
