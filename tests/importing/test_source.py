"""A folder or a name becomes a checkpoint: what is said before, what is there afterwards."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from huggingface_hub import constants

from core import checkpoints
from core.errors import CheckpointError, DownloadError
from core.importing import download, source
from tests.importing import peers
from tests.importing.folders import change
from tests.importing.hub import COMMIT, Hub, serve
from tests.refusals import refused

NAME = "somebody/t5-dialogsum"


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as transformers writes it."""
    return peers.save("t5", tmp_path_factory.mktemp("peers") / "t5-dialogsum")


@pytest.fixture
def hub(peer, monkeypatch) -> Iterator[Hub]:
    """A hub that has the model, and that downloads ask."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with serve() as hub:
        hub.models[NAME] = peer
        monkeypatch.setattr(download, "describe", partial(download.describe, endpoint=hub.url))
        yield hub


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


def test_a_name_becomes_a_checkpoint_with_its_revision(hub, tmp_path):
    refused(DownloadError, "no revision 'old'", source.look_up, f"{NAME}@old")
    found = source.look_up(f"{NAME}@refs/pr/1")
    moves: list[tuple[int, int]] = []
    source.read(found, tmp_path / "mine", prefix="", progress=lambda *move: moves.append(move))
    card = checkpoints.read(tmp_path / "mine").card
    assert (card["source"], card["revision"], card["licence"]) == (NAME, COMMIT, "apache-2.0")
    assert (card["dialogue"], card["prefix"]) == ("tags", "")
    assert moves[-1] == (found.bytes, found.bytes)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_decoding_that_is_not_supported_is_refused_before_the_download(hub, peer, tmp_path):
    hub.models[NAME] = Path(shutil.copytree(peer, tmp_path / "hub"))
    change(hub.models[NAME] / "generation_config.json", num_beams=20)
    found = source.look_up(NAME)
    refused(CheckpointError, "num_beams=20", source.read, found, tmp_path / "mine")
    assert not hub.downloads("model.safetensors")
    source.read(found, tmp_path / "mine", decoding="default")
    assert checkpoints.card_decoding(checkpoints.read_card(tmp_path / "mine")).beam_size < 20


@pytest.mark.slow
def test_the_command_downloads_with_a_bar_and_installs(hub, tmp_path):
    def run(name: str) -> subprocess.CompletedProcess[str]:
        changed = {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_HOME": str(tmp_path / "cache")}
        changed["DIALOSCOPE_IMPORTED"] = str(tmp_path / "imported")
        command = [sys.executable, "-m", "core", "import", name]
        return subprocess.run(command, env={**os.environ, **changed}, capture_output=True, text=True, timeout=300)

    done = run(NAME)
    assert done.returncode == 0, done.stderr
    assert "download: 100%" in done.stderr and f"{NAME}: T5, " in done.stderr
    assert (tmp_path / "imported" / "t5-dialogsum" / "card.json").is_file()
    missing = run("somebody/nothing")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.count("\n") == 1 and "no model 'somebody/nothing' on the hub" in missing.stderr


def test_what_does_not_fit_is_refused_from_the_heads_on_the_hub(hub, peer, tmp_path):
    model, adapter = Path(shutil.copytree(peer, tmp_path / "hub")), tmp_path / "lora"
    change(model / "config.json", d_ff=40)
    adapter.mkdir()
    asked = {"peft_type": "LORA", "base_model_name_or_path": "google/flan-t5-small"}
    (adapter / "adapter_config.json").write_text(json.dumps(asked))
    hub.models |= {"somebody/other": model, "somebody/lora": adapter}
    why = "does not fit the weights: .*DenseReluDense"
    refused(CheckpointError, why, source.check, source.look_up("somebody/other"))
    why = "somebody/lora is a LoRA adapter of google/flan-t5-small, which is merged"
    refused(DownloadError, why, source.look_up, "somebody/lora")
    assert source.check(source.look_up(NAME)).files is None
