"""A folder or a name becomes a checkpoint: what is said before, what is there afterwards."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from huggingface_hub import constants

from core import checkpoints
from core.errors import CheckpointError, DownloadError
from core.importing import download, source
from tests.importing import peers
from tests.importing.hub import COMMIT, serve

NAME = "somebody/t5-dialogsum"


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as transformers writes it."""
    return peers.save("t5", tmp_path_factory.mktemp("peers") / "t5-dialogsum")


def test_a_folder_is_looked_at(peer):
    found = source.look_up(f" {peer} ")
    name = "t5-dialogsum"
    assert (found.name, found.short, found.family, found.licence) == (name, name, "T5", "apache-2.0")
    assert (found.dialogue, found.prefix, found.origin) == ("tags", "summarize: ", peer)
    assert found.bytes > (peer / "model.safetensors").stat().st_size


def test_a_folder_of_the_librarys_cache_has_the_models_name(peer, tmp_path):
    snapshot = tmp_path / "models--somebody--t5-dialogsum" / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    blobs = snapshot.parents[1] / "blobs"
    blobs.mkdir()
    for file in peer.iterdir():
        blob = f"blob-{file.name}"
        shutil.copy(file, blobs / blob)
        (snapshot / file.name).symlink_to(Path("..") / ".." / "blobs" / blob)
    assert source.look_up(str(snapshot)).name == NAME


def test_a_folder_of_another_kind_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match=r"there is no config.json in"):
        source.look_up(str(tmp_path))


def test_a_name_becomes_a_checkpoint_with_its_revision(peer, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with serve() as hub:
        hub.models[NAME] = peer
        monkeypatch.setattr(download, "describe", partial(download.describe, endpoint=hub.url))
        with pytest.raises(DownloadError, match="no revision 'old'"):
            source.look_up(f"{NAME}@old")
        found = source.look_up(f"{NAME}@refs/pr/1")
        moves: list[tuple[int, int]] = []
        source.read(found, tmp_path / "mine", prefix="", progress=lambda *move: moves.append(move))
    card = checkpoints.read(tmp_path / "mine").card
    assert (card["source"], card["revision"], card["licence"]) == (NAME, COMMIT, "apache-2.0")
    assert (card["dialogue"], card["prefix"]) == ("tags", "")
    assert moves[-1] == (found.bytes, found.bytes)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_decoding_that_is_not_supported_is_refused_before_the_download(peer, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    model = shutil.copytree(peer, tmp_path / "hub")
    settings = json.loads((model / "generation_config.json").read_text())
    (model / "generation_config.json").write_text(json.dumps({**settings, "num_beams": 20}))
    with serve() as hub:
        hub.models[NAME] = model
        monkeypatch.setattr(download, "describe", partial(download.describe, endpoint=hub.url))
        found = source.look_up(NAME)
        with pytest.raises(CheckpointError, match="num_beams=20"):
            source.read(found, tmp_path / "mine")
        assert not hub.downloads("model.safetensors")
        source.read(found, tmp_path / "mine", decoding="default")
    assert checkpoints.card_decoding(checkpoints.read_card(tmp_path / "mine")).beam_size < 20


@pytest.mark.slow
def test_the_command_downloads_with_a_bar_and_installs(peer, tmp_path):
    def run(name: str) -> subprocess.CompletedProcess[str]:
        changed = {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_HOME": str(tmp_path / "cache")}
        changed["DIALOSCOPE_IMPORTED"] = str(tmp_path / "imported")
        command = [sys.executable, "-m", "core", "import", name]
        return subprocess.run(command, env={**os.environ, **changed}, capture_output=True, text=True, timeout=300)

    with serve() as hub:
        hub.models[NAME] = peer
        done = run(NAME)
        assert done.returncode == 0, done.stderr
        assert "download: 100%" in done.stderr and f"{NAME}: T5, " in done.stderr
        assert (tmp_path / "imported" / "t5-dialogsum" / "card.json").is_file()
        missing = run("somebody/nothing")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.count("\n") == 1 and "no model 'somebody/nothing' on the hub" in missing.stderr


def test_what_does_not_fit_is_refused_from_the_heads_on_the_hub(peer, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    model, adapter = shutil.copytree(peer, tmp_path / "hub"), tmp_path / "lora"
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**config, "d_ff": 40}))
    adapter.mkdir()
    asked = {"peft_type": "LORA", "base_model_name_or_path": "google/flan-t5-small"}
    (adapter / "adapter_config.json").write_text(json.dumps(asked))
    with serve() as hub:
        hub.models |= {NAME: model, "somebody/lora": adapter, "somebody/whole": peer}
        monkeypatch.setattr(download, "describe", partial(download.describe, endpoint=hub.url))
        with pytest.raises(CheckpointError, match="does not fit the weights: .*DenseReluDense"):
            source.check(source.look_up(NAME))
        with pytest.raises(
            DownloadError, match="somebody/lora is a LoRA adapter of google/flan-t5-small, which is merged"
        ):
            source.look_up("somebody/lora")
        assert source.check(source.look_up("somebody/whole")).files is None
