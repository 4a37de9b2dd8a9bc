"""Checkpoint folders: whole or absent, verified when read, never a pickle."""

import os
import re
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from core import checkpoints
from core.errors import CheckpointError
from core.model.transformer import Transformer
from core.text.tokenizer import Tokenizer
from tests.models import contents, rehash, small
from tests.refusals import refusals, refused

TEXTS = ["we went to the park and then to the zoo", "they talk about the park"]
ROW = dict(zip(checkpoints.HISTORY, (1, 5.5, 5.25, 1e-3, 1234.5, 60.0, 40.0, 12.5, 30.0), strict=True))
SOURCE, TARGET = np.array([[5, 6, 7, 2]]), np.array([[1, 5, 6]])


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train_words(TEXTS, min_frequency=1)


@pytest.fixture(scope="module")
def config(tokenizer):
    return small(tokenizer.size, 1, (12, 9), d_model=8, feed_forward_dim=12, copy=True, share_embeddings=True)


@pytest.fixture(scope="module")
def model(config):
    return Transformer(config)


@pytest.fixture
def folder(tmp_path, config, tokenizer, model):
    path = tmp_path / "tiny"
    checkpoints.write(path, config, tokenizer, checkpoints.weights_of(model), [ROW], {"licence": "none", "naïve": "ü"})
    return path


def test_round_trip(folder, config, tokenizer, model, monkeypatch):
    read = checkpoints.read(folder)
    assert read.name == "tiny"
    assert read.config == config
    assert read.tokenizer.to_json() == tokenizer.to_json()
    assert read.history == [ROW]
    assert read.card["licence"] == "none" and read.card["naïve"] == "ü"
    assert read.identity == f"tiny@{checkpoints._sha256(folder / 'weights.safetensors')[:12]}"
    expected = checkpoints.weights_of(model)
    assert set(read.weights) == set(expected)
    for name, values in read.weights.items():
        assert values.dtype == np.float16
        np.testing.assert_array_equal(values, expected[name].astype(np.float16))
    assert sorted(path.name for path in folder.iterdir()) == [
        "card.json", "config.json", "history.csv", "tokenizer.json", "weights.safetensors",
    ]  # fmt: skip
    arrays = load_file(folder / "weights.safetensors")
    assert {values.dtype.name for values in arrays.values()} == {"float16"}
    save_file({name: values.astype(np.float32) for name, values in arrays.items()}, folder / "weights.safetensors")
    rehash(folder)  # full precision is read as well
    checkpoints.set_weights(model, checkpoints.read(folder).weights)
    # The working folder has a name.
    monkeypatch.chdir(folder)
    assert checkpoints.read(".").name == "tiny"


def test_weights_of_the_second_model_load_into_the_first(tmp_path, config, tokenizer, model):
    """Keras numbers the second model of a process: no name may depend on that."""
    second = Transformer(config)
    assert np.max(np.abs(np.asarray(second((SOURCE, TARGET))) - np.asarray(model((SOURCE, TARGET))))) > 1e-3
    checkpoints.write(tmp_path / "second", config, tokenizer, checkpoints.weights_of(second), [], {})
    first = Transformer(config)
    checkpoints.set_weights(first, checkpoints.read(tmp_path / "second").weights)
    np.testing.assert_allclose(first((SOURCE, TARGET)), second((SOURCE, TARGET)), rtol=0, atol=5e-3)  # kept in float16
    for name, values in checkpoints.weights_of(first).items():
        np.testing.assert_array_equal(values, checkpoints.weights_of(second)[name].astype(np.float16))


DAMAGES = {
    "missing": None,
    "empty": "",
    "a pointer": "version https://git-lfs.github.com/spec/v1\noid sha256:0",
    "a web page": "\n<!doctype HTML><title>Log in</title>",
}


def test_a_changed_or_missing_file_is_refused(snapshot, folder):
    for name in (*checkpoints.FILES, "card.json"):
        whole = (folder / name).read_bytes()

        def damage(text, path=folder / name):
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text)
            checkpoints.read(folder)

        # The hashes of weights of random numbers are left out.
        assert re.sub(r"[0-9a-f]{12}…", "…", refusals(CheckpointError, damage, DAMAGES)) == snapshot
        refused(CheckpointError, f"tiny/{name} .*copy the checkpoint's folder again", damage, "[" * 100_000)
        data = bytearray(whole)
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(bytes(data))
        if name != "card.json":
            said = rf"tiny/{name} is damaged or was changed: SHA-256 .*the card says"
            refused(CheckpointError, said, checkpoints.read, folder)
        (folder / name).write_bytes(whole)


def test_no_folder_is_refused_with_what_there_is(snapshot, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    cases = ["nothing", "", ".", "../tiny/weights.safetensors", "a\0b", "x" * 5000]
    assert refusals(CheckpointError, checkpoints.read, cases) == snapshot
    for name in checkpoints.MARKS:
        assert checkpoints.installed() == ["tiny"]
        (folder / name).unlink()
    refused(CheckpointError, "none is installed", checkpoints.read, "tiny")


def test_wrong_files_are_refused(snapshot, folder):
    def read(name, text):
        (folder / name).write_text(text)
        if name == "config.json":
            rehash(folder)
        checkpoints.read(folder)

    cases = [
        ("config.json", text) for text in ("", "{", "[]", '{"d_model": 0}', '{"colour": "red"}', '{"d_model": NaN}')
    ]
    cases += [("card.json", text) for text in ("", "[]", "{}", '{"sha256": 5}', '{"sha256": {}}')]
    assert refusals(CheckpointError, read, cases) == snapshot


def test_a_foreign_tokenizer_is_refused(folder, config):
    foreign = Tokenizer.train_words([*TEXTS, "quite another vocabulary"], min_frequency=1)
    foreign.save(folder / "tokenizer.json")
    refused(CheckpointError, "tokenizer.json is damaged or was changed", checkpoints.read, folder)
    rehash(folder)
    refused(CheckpointError, f"the tokenizer has {foreign.size} ids, the model only", checkpoints.read, folder)
    (folder / "tokenizer.json").write_text('{"kind": "bpe"}')
    rehash(folder)
    refused(CheckpointError, "tokenizer.json is damaged or no tokenizer", checkpoints.read, folder)


def test_a_configuration_that_does_not_fit_the_weights(snapshot, config, model):
    weights = checkpoints.weights_of(model)

    def call(changes):
        return checkpoints.set_weights(Transformer(config.replace(**changes)), weights, "tiny")

    cases = [{"decoder_layers": 2}, {"copy": False}, {"feed_forward_dim": 16}]
    assert refusals(CheckpointError, call, cases) == snapshot


def test_writing_replaces_the_whole_folder_or_leaves_the_old_one(folder, config, tokenizer, model, monkeypatch):
    weights, replace = checkpoints.weights_of(model), os.replace
    (folder / "left over").write_text("old")
    checkpoints.write(folder, config, tokenizer, weights, [ROW, ROW], {})
    assert "left over" not in contents(folder)
    assert len(checkpoints.read(folder).history) == 2
    before = contents(folder)
    with pytest.raises(TypeError):  # fails on the last file
        checkpoints.write(folder, config, tokenizer, weights, [], {"no JSON": object()})
    assert contents(folder) == before
    monkeypatch.setattr(checkpoints, "exchange", lambda one, other: False)  # as on systems that cannot
    for fails_at in (1, 2):
        calls = []

        def failing(*arguments, calls=calls, fails_at=fails_at):
            calls.append(arguments)
            if len(calls) == fails_at:
                raise OSError("disk gone")
            replace(*arguments)

        monkeypatch.setattr(checkpoints.os, "replace", failing)
        with pytest.raises(CheckpointError, match=r"/tiny cannot be written: disk gone\. Make room there"):
            checkpoints.write(folder, config, tokenizer, weights, [], {})
        assert contents(folder) == before, fails_at
        assert [path.name for path in folder.parent.iterdir()] == ["tiny"]


def test_recover_after_a_kill(folder):
    """Killed between the two renames, or while the new folder was written."""
    before, other = contents(folder), folder.with_name(".tiny-two-abcd_123")
    other.mkdir()
    for moved_away in (True, False):
        half = folder.with_name(".tiny-abcd_123")
        half.mkdir()
        (half / "config.json").write_text("{")
        if moved_away:
            folder.rename(folder.with_name(".tiny-abcd_123-old"))
        checkpoints.recover(folder)
        assert contents(folder) == before
        assert sorted(path.name for path in folder.parent.iterdir()) == [other.name, "tiny"]


def test_installed_lists_whole_folders_only(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    for name in (".tiny-abcd_123", "dialoscope", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    assert checkpoints.installed() == ["dialoscope", "a", "tiny"]
    assert checkpoints.locate("tiny") == folder


def test_history(tmp_path):
    path = tmp_path / "history.csv"
    assert checkpoints.read_history(path) == []
    checkpoints.write_history(path, [ROW | {"not a column": 5}, ROW])
    assert checkpoints.read_history(path) == [ROW, ROW]
    without = {name: value for name, value in ROW.items() if name not in checkpoints.SCORES}
    checkpoints.write_history(path, [without, ROW])  # epochs before the scoring began
    assert checkpoints.read_history(path) == [without, ROW]
    checkpoints.write_history(path, [without])
    assert path.read_text().splitlines()[0] == ",".join(without) and checkpoints.read_history(path) == [without]
    for text in ("epoch,train_loss\n1,much\n", "epoch,train_loss\n1\n", "epoch\n1,2\n"):
        path.write_text(text)
        refused(CheckpointError, "no training history", checkpoints.read_history, path)


def test_imported_checkpoints_are_installed_from_their_own_folder(tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    shutil.copytree(tiny_checkpoint, checkpoints.place_of("mine"))
    assert checkpoints.installed() == ["mine"] and checkpoints.locate("mine") == tmp_path / "imported" / "mine"
    shutil.copytree(tiny_checkpoint, tmp_path / "elsewhere" / "other")
    monkeypatch.setenv("DIALOSCOPE_IMPORTED", str(tmp_path / "elsewhere"))
    assert checkpoints.installed() == ["other"]


def test_an_imported_checkpoint_takes_no_name_that_is_taken_or_none(snapshot, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    for folder in ("tiny", "imported", "recorded"):
        (tmp_path / folder).mkdir()
    names = ["", "..", "a/b", ".hidden", "a" * 65, "tiny", "imported", "recorded"]
    assert refusals(CheckpointError, checkpoints.place_of, names, tmp_path) == snapshot
