"""Downloads from a hub on this machine: what is refused before, what is left behind, what goes on."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import huggingface_hub
import numpy as np
import pytest
from huggingface_hub import constants
from safetensors.numpy import save_file

from core.errors import CheckpointError, DownloadError
from core.importing import download
from tests.importing.hub import COMMIT, PIECE, Hub, serve
from tests.needs import room
from tests.refusals import refused

NAME = "somebody/bart-tiny"
LARGE = 20 * PIECE
"""About the bytes of the weights."""


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with one model; tests run with HF_HUB_OFFLINE=1, which is read when the library is imported."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(download, "PAUSE", 0.01)
    model = tmp_path / "hub"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "bart", "is_encoder_decoder": true}')
    (model / "README.md").write_text("---\nlicense: apache-2.0\n---\n")
    (model / "tokenizer.json").write_text("{}")
    (model / "training_args.bin").write_bytes(b"not for us")
    save_file({"a": np.arange(LARGE // 4, dtype=np.int32)}, model / "model.safetensors")
    with serve() as hub:
        hub.models[NAME] = model
        yield hub


def describe(hub: Hub, name: str = NAME, revision: str | None = None) -> download.Remote:
    return download.describe(name, revision, endpoint=hub.url)


def left(folder: Path) -> list[str]:
    """Names of all files in and below a folder, the lock left out."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "lock")


def fails(remote: download.Remote, folder: Path, said: str) -> None:
    with pytest.raises(DownloadError, match=said), download.fetched(remote, folder / "mine"):
        pass


def arrives(hub: Hub, folder: Path, *progress: Callable[[int, int], None]) -> None:
    with download.fetched(describe(hub), folder / "mine", *progress) as found:
        assert left(found) == ["README.md", "config.json", "model.safetensors", "tokenizer.json"]
        for path in found.iterdir():
            assert path.read_bytes() == (hub.models[NAME] / path.name).read_bytes()


# What it is -----------------------------------------------------------------------------------------------------------


def test_a_model_is_described_before_its_weights_are_asked_for(hub):
    remote = describe(hub)
    names = ["config.json", "README.md", "tokenizer.json", "model.safetensors"]
    assert [file.name for file in remote.files] == names
    assert remote.bytes == sum((hub.models[NAME] / name).stat().st_size for name in names)
    assert (remote.name, remote.revision, remote.licence) == (NAME, COMMIT, "apache-2.0")
    assert not hub.downloads("model.safetensors")


def test_the_shards_that_the_index_names_are_the_weights(hub):
    model = hub.models[NAME]
    (model / "model.safetensors").rename(model / "model-00001-of-00001.safetensors")
    shutil.copy(model / "model-00001-of-00001.safetensors", model / "adapter.safetensors")
    index = model / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "model-00001-of-00001.safetensors"}}))
    assert [file.name for file in describe(hub).files][-2:] == [index.name, "model-00001-of-00001.safetensors"]
    index.write_text(json.dumps({"weight_map": {"a": "model-00001-of-00001.safetensors", "b": "other.safetensors"}}))
    refused(DownloadError, "not complete: other.safetensors", describe, hub)


@pytest.mark.parametrize("name", ["../secret", "/no/such/folder", "a/b/c", "with blank", ""])
def test_what_is_no_name_is_refused_without_asking_the_hub(hub, name):
    refused(DownloadError, "no such folder", describe, hub, name)
    assert not hub.asked


def test_a_name_or_revision_that_does_not_exist_is_refused(hub):
    refused(DownloadError, "there is no model 'somebody/nothing' on the hub", describe, hub, "somebody/nothing")
    refused(DownloadError, "has no revision 'v9'", describe, hub, revision="v9")
    assert describe(hub, revision="refs/pr/1").revision == COMMIT


def test_a_gated_model_is_refused(hub):
    hub.gated.add(NAME)
    refused(DownloadError, "only for those who accept its terms", describe, hub)


def test_without_safetensors_the_model_is_refused_by_name(hub):
    model = hub.models[NAME]
    (model / "model.safetensors").rename(model / "pytorch_model.bin")
    refused(DownloadError, "no model.safetensors, only pytorch_model.bin.*refs/pr/NUMBER", describe, hub)
    (model / "config.json").unlink()
    refused(DownloadError, "has no config.json.*It has: README.md", describe, hub)


def test_a_decoder_alone_is_refused_before_the_download(hub):
    (hub.models[NAME] / "config.json").write_text('{"model_type": "gpt2"}')
    refused(CheckpointError, "gpt2", describe, hub)
    assert not hub.downloads("model.safetensors")


def test_without_a_network_it_is_said(hub, monkeypatch):
    refused(DownloadError, "cannot be reached", download.describe, NAME, endpoint="http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    refused(DownloadError, "HF_HUB_OFFLINE=1", describe, hub)


# The download ---------------------------------------------------------------------------------------------------------


def test_a_download_has_the_files_and_leaves_nothing(hub, tmp_path):
    moves: list[tuple[int, int]] = []
    arrives(hub, tmp_path / "out", lambda *move: moves.append(move))
    assert not [*(tmp_path / "out").iterdir()]
    size = describe(hub).bytes
    assert moves[0] == (0, size) and moves[-1] == (size, size)
    assert moves == sorted(moves) and len(moves) > 4


def test_a_cancelled_download_leaves_nothing(hub, tmp_path):
    hub.pace = 0.01
    moves: list[int] = []
    with (
        pytest.raises(DownloadError, match="cancelled"),
        download.fetched(
            describe(hub), tmp_path / "mine", lambda done, _: moves.append(done), lambda: moves[-1] > LARGE // 3
        ),
    ):
        raise AssertionError("it was not cancelled")
    assert moves[-1] < LARGE * 2 // 3
    assert not [*tmp_path.glob(".mine*")]


def test_a_connection_that_breaks_off_goes_on_where_it_was(hub, tmp_path):
    hub.cut, hub.cuts = 5 * PIECE, 2
    arrives(hub, tmp_path)
    assert hub.downloads("model.safetensors") == [0, 5 * PIECE, 5 * PIECE]


def test_after_a_failure_the_next_call_goes_on(hub, tmp_path):
    hub.cut, hub.cuts = 5 * PIECE, 99
    fails(describe(hub), tmp_path, "broke off at model.safetensors")
    assert "model.safetensors.part" in left(tmp_path / ".mine.download")
    hub.cut, before = None, len(hub.downloads("model.safetensors"))
    arrives(hub, tmp_path)
    assert hub.downloads("model.safetensors")[before:] == [5 * PIECE]


def test_a_server_without_ranges_sends_the_file_again(hub, tmp_path):
    hub.cut, hub.ranges = 5 * PIECE, False
    arrives(hub, tmp_path)


def test_a_file_that_is_not_what_the_hub_says_is_refused(hub, tmp_path):
    hub.spoilt = True
    fails(describe(hub), tmp_path, r"model.safetensors .* arrived damaged")
    assert "model.safetensors.part" not in left(tmp_path)


def test_what_another_one_downloads_is_refused(hub, tmp_path):
    remote = describe(hub)
    with download.fetched(remote, tmp_path / "mine"):
        fails(remote, tmp_path, "another process is downloading mine")
        assert "model.safetensors" in left(tmp_path / ".mine.download")


def test_a_full_disk_is_said_before_the_start(hub, tmp_path, monkeypatch):
    remote = describe(hub)
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 10**6 - 9, 9))
    fails(remote, tmp_path, r"too full .*: 328 kB are missing, 9 bytes are free")
    assert not hub.downloads("model.safetensors") and not [*tmp_path.glob(".mine*")]


def test_a_disk_that_becomes_full_is_said(hub, tmp_path):
    remote = describe(hub)
    with room(LARGE // 2):
        fails(remote, tmp_path, "cannot be written: File too large")


def test_what_the_cache_of_the_library_has_is_not_downloaded_again(hub, tmp_path):
    huggingface_hub.hf_hub_download(NAME, "model.safetensors", endpoint=hub.url, cache_dir=tmp_path / "cache")
    before = len(hub.downloads("model.safetensors"))
    with download.fetched(describe(hub), tmp_path / "mine") as folder:
        assert (folder / "model.safetensors").stat().st_size > LARGE
    assert len(hub.downloads("model.safetensors")) == before
    cached = tmp_path / "cache" / "models--somebody--bart-tiny" / "snapshots" / COMMIT / "model.safetensors"
    assert cached.exists()


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1_625_000_000, "1.6 GB")]
)
def test_sizes_are_readable(count, text):
    assert download.size(count) == text
