"""A checkpoint that was imported goes back: transformers opens the folder, and reads and writes the same."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core import checkpoints
from core.config import START
from core.errors import CheckpointError, SettingsError
from core.importing.export import ARCHITECTURES, export
from core.importing.families import FAMILIES
from core.importing.run import import_model
from core.service import Summarizer
from tests.closeness import same_network
from tests.importing import networks
from tests.importing.folders import WHOLE
from tests.importing.peer_tokenizers import texts
from tests.refusals import refused

Whole = Callable[[str], Path]


def opened(folder: Path) -> Any:
    """The model of a folder, as transformers opens it."""
    import transformers

    name = json.loads((folder / "config.json").read_text())["architectures"][0]
    return getattr(transformers, name).from_pretrained(folder, local_files_only=True).eval()


def same_tensors(ours: Path, theirs: Mapping[str, Any]) -> None:
    """Assert that a folder has these tensors, but for the two rows of positions that no position has."""
    found = opened(ours).state_dict()
    assert set(found) == set(theirs)
    for name, values in theirs.items():
        offset = 2 if name.endswith("embed_positions.weight") else 0
        assert torch.equal(values[offset:], found[name][offset:]), name


def changed(place: Path, name: str, change: float | np.ndarray) -> checkpoints.Checkpoint:
    """Write the checkpoint `ours` of a folder as `trained`, with a number added to some of its weights."""
    found = checkpoints.read(place / "ours")
    weights = {key: each + change if key.endswith(name) else each for key, each in found.weights.items()}
    checkpoints.write(place / "trained", found.config, found.tokenizer, weights, [], found.card, precision="original")
    return found


def written(model: Any, sources: list[list[int]]) -> list[list[int]]:
    """What a model writes for each source."""
    return [model.generate(torch.tensor([each]), do_sample=False)[0].tolist() for each in sources]


@pytest.fixture(
    scope="module", params=[name if name == "bart" else pytest.param(name, marks=pytest.mark.slow) for name in WHOLE]
)
def both(request, whole: Whole, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of a family's model, and that of its export."""
    peer, place, marian = whole(request.param), tmp_path_factory.mktemp("export"), request.param == "marian"
    import_model(peer, place / "ours", name=f"someone/{request.param}", precision="original", prefix="")
    if marian:
        refused(SettingsError, "--tokenizer FOLDER", export, place / "ours", place / "back")
    found = export(place / "ours", place / "back", peer if marian else None)
    assert found.family == request.param and found.parameters > 0 and not found.notes
    return peer, place / "back"


def test_every_family_has_a_class() -> None:
    assert set(ARCHITECTURES) == set(FAMILIES)


def test_transformers_reads_the_same_ids_and_writes_the_same_text(both: tuple[Path, Path]) -> None:
    from transformers import AutoTokenizer

    if (both[0] / "source.spm").exists():  # Marian's files are copied, and need a library that is not installed
        for name in ("source.spm", "vocab.json"):
            assert (both[1] / name).read_bytes() == (both[0] / name).read_bytes()
        ids = networks.sources(20, 25).tolist()
    else:
        first, second = (AutoTokenizer.from_pretrained(folder, local_files_only=True) for folder in both)
        ids = [first(text).input_ids[:60] for text in texts()[:50]]
        assert [second(text).input_ids[:60] for text in texts()[:50]] == ids
    found = written(opened(both[1]), ids)
    assert found == written(opened(both[0]), ids) and len({tuple(each) for each in found}) > 5
    if len(ids) == 50:
        said = [[each.decode(row, skip_special_tokens=True) for row in found] for each in (first, second)]
        assert said[0] == said[1]


def test_the_tensors_are_those_that_were_imported(both: tuple[Path, Path]) -> None:
    same_tensors(both[1], opened(both[0]).state_dict())


@pytest.mark.parametrize("network", ["bart", pytest.param("t5", marks=pytest.mark.slow)])
def test_a_start_token_that_was_trained_apart_keeps_what_it_learnt(network: str, whole: Whole, tmp_path: Path) -> None:
    report = import_model(whole(network), tmp_path / "ours", name="someone/model", precision="original", prefix="")
    start_row = np.arange(report.model.source_vocabulary)[:, None] == START
    found = changed(tmp_path, "source_embedding/table", start_row.astype(np.float32))
    assert "Its start token" in export(tmp_path / "trained", tmp_path / "back").notes[0]
    peer, network_here = opened(tmp_path / "back"), Summarizer.load(tmp_path / "trained")
    order, start = np.array(found.tokenizer.vocabulary.ours), peer.generation_config.decoder_start_token_id
    ids = networks.sources(3, 20)
    theirs = peer(input_ids=torch.tensor(ids), decoder_input_ids=torch.full((3, 1), start)).logits.detach().numpy()
    ours = np.asarray(network_here.model.replay(order[ids], np.full((3, 1), START))["logits"])[..., order]
    written_here = order > 0  # ours never writes padding
    same_network(ours[..., written_here], theirs[..., : len(order)][..., written_here], found.config)
    assert start in peer.generation_config.suppress_tokens


def test_that_the_import_rounded_the_weights_is_said(whole: Whole, tmp_path: Path) -> None:
    import_model(whole("bart"), tmp_path / "ours", name="someone/bart", prefix="")
    assert "rounded to half precision" in " ".join(export(tmp_path / "ours", tmp_path / "back").notes)
    theirs = opened(whole("bart")).state_dict()
    same_tensors(tmp_path / "back", {name: values.half().float() for name, values in theirs.items()})


def test_what_no_family_holds_is_refused(tiny_checkpoint: Path, tmp_path: Path) -> None:
    refused(CheckpointError, "no family of transformers holds", export, tiny_checkpoint, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_folder_that_holds_something_is_left_alone(bart: Path, tmp_path: Path) -> None:
    import_model(bart, tmp_path / "ours", name="someone/bart")
    before = {path.name: path.read_bytes() for path in bart.iterdir()}
    refused(SettingsError, "must be new or empty", export, tmp_path / "ours", bart)
    assert {path.name: path.read_bytes() for path in bart.iterdir()} == before


def test_a_bias_that_t5_has_no_place_for_is_refused(whole: Whole, tmp_path: Path) -> None:
    import_model(whole("t5"), tmp_path / "ours", name="someone/t5", precision="original")
    changed(tmp_path, "source_embedding/bias", 1)
    refused(CheckpointError, "learnt a bias for every token", export, tmp_path / "trained", tmp_path / "back")


@pytest.mark.slow
@pytest.mark.parametrize("network", [name for name in networks.NETWORKS if name not in WHOLE])
def test_settings_of_every_network_come_back(network: str) -> None:
    from core.importing.export import _settings
    from core.importing.families import model_config
    from core.text.vocabulary import Vocabulary

    family, settings = networks.NETWORKS[network]
    config = networks.classes(family)[0](**settings).to_dict()
    vocabulary = Vocabulary(networks.ROWS, 58, 58, 2, 7)
    model = model_config(config, vocabulary, 20)
    again = model_config(_settings(config["model_type"], model, networks.ROWS), vocabulary, 20)
    assert again == model
