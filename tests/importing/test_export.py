"""A checkpoint that was imported goes back: transformers opens the folder, and reads and writes the same."""

import json
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
from tests.importing.folders import WHOLE, save_whole
from tests.importing.peer_tokenizers import texts


def opened(folder: Path) -> Any:
    """The model of a folder, as transformers opens it."""
    import transformers

    name = json.loads((folder / "config.json").read_text())["architectures"][0]
    return getattr(transformers, name).from_pretrained(folder, local_files_only=True).eval()


def reader(folder: Path) -> Any:
    """The tokenizer of a folder, as transformers opens it."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, local_files_only=True)


def written(model: Any, sources: list[list[int]]) -> list[list[int]]:
    """What a model writes for each source."""
    with torch.no_grad():
        return [model.generate(torch.tensor([each]), do_sample=False)[0].tolist() for each in sources]


@pytest.fixture(
    scope="module", params=[name if name == "bart" else pytest.param(name, marks=pytest.mark.slow) for name in WHOLE]
)
def both(request, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of a family's model, and that of its export."""
    place = tmp_path_factory.mktemp("export")
    save_whole(request.param, place / "peer")
    import_model(place / "peer", place / "ours", name=f"someone/{request.param}", precision="original", prefix="")
    if request.param == "marian":
        with pytest.raises(SettingsError, match="--tokenizer FOLDER"):
            export(place / "ours", place / "back")
    found = export(place / "ours", place / "back", place / "peer" if request.param == "marian" else None)
    assert found.family == request.param and found.parameters > 0 and not found.notes
    return place / "peer", place / "back"


def test_every_family_has_a_class() -> None:
    assert set(ARCHITECTURES) == set(FAMILIES)


def test_transformers_reads_the_same_ids_and_writes_the_same_text(both: tuple[Path, Path]) -> None:
    if (both[0] / "source.spm").exists():  # Marian's files are copied, and need a library that is not installed
        assert all(
            (both[1] / name).read_bytes() == (both[0] / name).read_bytes() for name in ("source.spm", "vocab.json")
        )
        ids = networks.sources(20, 25).tolist()
    else:
        first, second = map(reader, both)
        ids = [first(text).input_ids[:60] for text in texts()[:50]]
        assert [second(text).input_ids[:60] for text in texts()[:50]] == ids
    found = written(opened(both[1]), ids)
    assert found == written(opened(both[0]), ids) and len({tuple(each) for each in found}) > 5
    if len(ids) == 50:
        said = [[each.decode(row, skip_special_tokens=True) for row in found] for each in (first, second)]
        assert said[0] == said[1]


def test_the_tensors_are_those_that_were_imported(both: tuple[Path, Path]) -> None:
    theirs, ours = (opened(folder).state_dict() for folder in both)
    assert set(theirs) == set(ours)
    for name, values in theirs.items():
        offset = 2 if name.endswith("embed_positions.weight") else 0  # rows that no position has
        assert np.array_equal(values[offset:], ours[name][offset:]), name


@pytest.mark.parametrize("network", ["bart", pytest.param("t5", marks=pytest.mark.slow)])
def test_a_start_token_that_was_trained_apart_keeps_what_it_learnt(network: str, tmp_path: Path) -> None:
    save_whole(network, tmp_path / "peer")
    import_model(tmp_path / "peer", tmp_path / "ours", name="someone/model", precision="original", prefix="")
    found = checkpoints.read(tmp_path / "ours")
    weights = dict(found.weights)
    weights["source_embedding/table"] = weights["source_embedding/table"].copy()
    weights["source_embedding/table"][START] += 1
    checkpoints.write(
        tmp_path / "trained", found.config, found.tokenizer, weights, [], dict(found.card), precision="original"
    )
    assert "Its start token" in export(tmp_path / "trained", tmp_path / "back").notes[0]
    peer, network_here = opened(tmp_path / "back"), Summarizer.load(tmp_path / "trained")
    order, start = np.array(found.tokenizer.vocabulary.ours), peer.generation_config.decoder_start_token_id
    ids = networks.sources(3, 20)
    theirs = peer(input_ids=torch.tensor(ids), decoder_input_ids=torch.full((3, 1), start)).logits.detach().numpy()
    ours = np.asarray(network_here.model.replay(order[ids], np.full((3, 1), START))["logits"])[..., order]
    written_here = order > 0  # ours never writes padding
    same_network(ours[..., written_here], theirs[..., : len(order)][..., written_here], found.config)
    assert start in peer.generation_config.suppress_tokens


def test_that_the_import_rounded_the_weights_is_said(tmp_path: Path) -> None:
    save_whole("bart", tmp_path / "peer")
    import_model(tmp_path / "peer", tmp_path / "ours", name="someone/bart", prefix="")
    assert "rounded to half precision" in " ".join(export(tmp_path / "ours", tmp_path / "back").notes)
    theirs, ours = (opened(tmp_path / name).state_dict() for name in ("peer", "back"))
    for name, values in theirs.items():
        offset = 2 if name.endswith("embed_positions.weight") else 0  # rows that no position has
        assert torch.equal(values.half().float()[offset:], ours[name][offset:]), name


def test_what_no_family_holds_is_refused(tiny_checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no family of transformers holds"):
        export(tiny_checkpoint, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    save_whole("bart", tmp_path / "peer")
    import_model(tmp_path / "peer", tmp_path / "ours", name="someone/bart")
    before = {path.name: path.read_bytes() for path in (tmp_path / "peer").iterdir()}
    with pytest.raises(SettingsError, match="must be new or empty"):
        export(tmp_path / "ours", tmp_path / "peer")
    assert {path.name: path.read_bytes() for path in (tmp_path / "peer").iterdir()} == before


def test_a_bias_that_t5_has_no_place_for_is_refused(tmp_path: Path) -> None:
    save_whole("t5", tmp_path / "peer")
    import_model(tmp_path / "peer", tmp_path / "ours", name="someone/t5", precision="original")
    found = checkpoints.read(tmp_path / "ours")
    weights = {key: each + (key.endswith("source_embedding/bias")) for key, each in found.weights.items()}
    checkpoints.write(
        tmp_path / "trained", found.config, found.tokenizer, weights, [], dict(found.card), precision="original"
    )
    with pytest.raises(CheckpointError, match="learnt a bias for every token"):
        export(tmp_path / "trained", tmp_path / "back")


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
