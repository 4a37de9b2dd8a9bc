"""What a training leaves behind opens, and what transformers would do otherwise is said."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file, save_file

from core import checkpoints
from core.errors import CheckpointError
from core.importing import families, source
from core.importing.export import export
from core.importing.folder import CONFIG, GENERATION, WEIGHTS, open_folder
from core.importing.generation import read_generation
from core.importing.run import import_model, plan
from core.service import Summarizer
from core.text.dialogue import parse_dialogue
from core.text.import_notes import in_app, of_text, said
from tests.closeness import decided
from tests.importing import networks
from tests.importing.folders import change, peer_text, save_whole
from tests.refusals import refused

DIALOGUE = "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?"
TASK = {"summarization": {"num_beams": 3, "max_length": 21, "min_length": 4, "prefix": "summarize it: "}}


@pytest.fixture
def step(whole: Callable[[str], Path], tmp_path: Path) -> Path:
    """What a Trainer left behind of a T5: its tokenizer lies in the folder above."""
    found = Path(shutil.copytree(whole("t5"), tmp_path / "run" / "checkpoint-500"))
    for file in found.iterdir():
        if file.name not in (CONFIG, GENERATION, WEIGHTS):
            file.rename(found.parent / file.name)
    for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth", "training_args.bin"):
        (found / name).write_bytes(b"PK\x03\x04 nobody reads this")
    return found


def test_a_step_of_a_training_opens_with_the_tokenizer_above_and_its_prefix(step: Path, tmp_path: Path) -> None:
    change(step / CONFIG, _name_or_path="google-t5/t5-small", task_specific_params=TASK)
    found = source.look_up(str(step))
    assert (found.short, found.prefix) == ("run-checkpoint-500", "summarize it: ")
    report = source.read(found, tmp_path / "out", precision="original")
    notes = said(report.notes)
    assert "checkpoint-500 has no tokenizer: that of the folder above it was read." in notes
    assert any("“--decoding task” takes them" in note and "num_beams=3" in note for note in notes)
    with in_app():
        assert "--" not in " ".join(said(report.notes))
    assert "tokenizer.json" in report.files and not any(name.endswith((".pt", ".bin")) for name in report.files)
    tasked = source.read(found, tmp_path / "task", decoding="task").decoding
    assert (tasked.beam_size, tasked.max_tokens, tasked.min_tokens) == (3, 20, 3)


@pytest.mark.parametrize(
    ("config", "prefix"),
    [
        ({"prefix": "sum: "}, "sum: "),
        ({"prefix": " "}, ""),
        ({"_name_or_path": "google/flan-t5-base"}, "summarize: "),
        ({"task_specific_params": "none"}, ""),
    ],
)
def test_the_prefix_is_that_of_the_configuration(config: dict[str, Any], prefix: str, step: Path) -> None:
    change(step / CONFIG, **config)
    assert source.look_up(str(step)).prefix == prefix


def test_the_folder_of_a_training_names_its_steps(step: Path) -> None:
    shutil.copytree(step, step.parent / "checkpoint-1000")
    why = "the steps of a training. Name one of them: checkpoint-500, checkpoint-1"
    refused(CheckpointError, why, source.look_up, str(step.parent))


@pytest.mark.parametrize("lead", ["_orig_mod.", "module.", "module._orig_mod."])
def test_names_of_compiled_and_parallel_trainings_are_read(lead: str, bart: Path, tmp_path: Path) -> None:
    import_model(bart, tmp_path / "plain", name="bart", precision="original")
    save_file({f"{lead}{name}": each for name, each in load_file(bart / WEIGHTS).items()}, bart / WEIGHTS)
    report = import_model(bart, tmp_path / "out", name="bart", precision="original")
    cards = [checkpoints.read_card(tmp_path / name)["sha256"]["weights.safetensors"] for name in ("out", "plain")]
    assert cards[0] == cards[1]
    assert "begin with random weights" in said(report.notes)[0] and lead.rstrip(".").split(".")[-1] in str(report.notes)


def test_the_same_tensor_twice_is_refused(bart: Path) -> None:
    tensors = load_file(bart / WEIGHTS)
    save_file(tensors | {f"module.{name}": each for name, each in tensors.items()}, bart / WEIGHTS)
    refused(CheckpointError, "twice, once with module in its name", source.look_up, str(bart))


@pytest.mark.parametrize("beams", [1, 4])
def test_several_end_tokens_end_a_summary(beams: int, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    peer, _ = save_whole("bart", tmp_path / "bart", {"max_length": 30, "num_beams": beams})
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "bart")
    whole = peer_ids(peer, tokenizer, DIALOGUE)
    ends = peer.generation_config.eos_token_id = [2, *set(whole[4:])]
    change(tmp_path / "bart" / GENERATION, eos_token_id=ends)
    report = import_model(tmp_path / "bart", tmp_path / "out", name="bart", precision="original")
    assert "A summary also ends at" in " ".join(said(report.notes))
    summarizer = Summarizer.load(tmp_path / "out")
    summary = summarizer.summarize(DIALOGUE)
    ours = [summarizer.tokenizer.peer_id(token.id) for token in summary.tokens]
    assert ours == peer_ids(peer, tokenizer, DIALOGUE) != whole
    export(tmp_path / "out", tmp_path / "back")
    assert set(json.loads((tmp_path / "back" / GENERATION).read_text())["eos_token_id"]) == set(ends)
    assert beams > 1 or (summary.finished and ours[-1] in ends[1:])  # beams run to the end that is forced


def peer_ids(peer: Any, tokenizer: Any, text: str) -> list[int]:
    return list(peer.generate(**tokenizer(text, return_tensors="pt"), do_sample=False)[0, 1:].tolist())


def test_a_minimum_above_the_maximum_has_a_way_out() -> None:
    own = {"decoder_start_token_id": 2, "eos_token_id": 2, "min_length": 30, "max_length": 20}
    with in_app(), pytest.raises(CheckpointError, match="Received: 30, 20. Choose “As in this app” at Decoding"):
        read_generation({"pad_token_id": 1}, own).settings()
    found = read_generation({"pad_token_id": 1}, own, own=False).settings()
    assert (found.max_tokens, found.min_tokens) == (19, 0)


def test_a_minimum_that_the_forced_end_cuts_is_said(tmp_path: Path) -> None:
    asked = {"min_length": 40, "max_length": 20, "forced_eos_token_id": 2}
    save_whole("bart", tmp_path / "bart", asked)
    planned = plan(open_folder(tmp_path / "bart"))
    assert (planned.settings.max_tokens, planned.settings.min_tokens) == (19, 18)
    assert "It writes at least 18 tokens, not 39: its longest summary has fewer." in said(planned.notes)


@pytest.mark.parametrize("rows", [True, False])
def test_special_tokens_with_and_without_rows_are_letters_and_said(rows: bool, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    peer, size = save_whole("bart", tmp_path / "bart", spare=0)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "bart")
    tokenizer.add_special_tokens({"extra_special_tokens": ["<sep>"]})
    tokenizer.save_pretrained(tmp_path / "bart")
    if rows:
        peer.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=8)
        peer.save_pretrained(tmp_path / "bart")
    report = import_model(tmp_path / "bart", tmp_path / "out", name="bart", precision="original")
    summarizer = Summarizer.load(tmp_path / "out")
    key, text = ("special", "holds letters here") if rows else ("no_row", "stops there with an index error")
    assert [note[0] for note in report.notes] == [key] and "<sep>" in said(report.notes)[0]
    read = summarizer.tokenizer
    ids = read.encode_dialogue(parse_dialogue("Ann: a <sep> b")).ids
    assert "".join(read.id_text(token) for token in ids).count("<sep>") == 1
    assert [text in note and "<sep>" in note for note in of_text(read, "Ann: a <sep> b")] == [True]
    assert of_text(read, "Ann: a b") == []
    summary = summarizer.summarize(DIALOGUE)
    same = summary.text == peer_text(tmp_path / "bart", peer, DIALOGUE)
    assert same or decided(summary.beam.scores) < len(summary.beam.scores)


def test_mbart_may_be_told_its_language(tmp_path: Path) -> None:
    save_whole("mbart", tmp_path / "mbart")
    change(tmp_path / "mbart" / CONFIG, decoder_start_token_id=2)
    change(tmp_path / "mbart" / GENERATION, decoder_start_token_id=2)
    report = import_model(tmp_path / "mbart", tmp_path / "out", name="mbart")
    assert any("chance decides on the language" in note and "de_DE" in note for note in said(report.notes))
    report = import_model(tmp_path / "mbart", tmp_path / "told", name="mbart", language="ro_RO")
    assert not any("chance" in note for note in said(report.notes))
    assert Summarizer.load(tmp_path / "told").summarize(DIALOGUE).tokens[0].text == "ro_RO"
    why = "no such language. Received: 'xx'; allowed: ar_AR"
    refused(CheckpointError, why, import_model, tmp_path / "mbart", tmp_path / "no", name="mbart", language="xx")


def test_byt5_reads_bytes(tmp_path: Path) -> None:
    from transformers import AutoTokenizer, ByT5Tokenizer

    peer = networks.save("flan-t5", tmp_path / "byt5", {"max_length": 16}, rows=384, eos_token_id=1, pad_token_id=0)
    ByT5Tokenizer().save_pretrained(tmp_path / "byt5")
    report = import_model(tmp_path / "byt5", tmp_path / "out", name="byt5-small", precision="original")
    summarizer = Summarizer.load(tmp_path / "out")
    text = "Zoë: ζ 😀 ok"
    summary, inputs = summarizer.summarize(text), ByT5Tokenizer()(text).input_ids
    assert [summarizer.tokenizer.peer_id(each.id) for each in summary.source] == inputs
    theirs = peer_ids(peer, ByT5Tokenizer(), text)
    assert [summarizer.tokenizer.peer_id(token.id) for token in summary.tokens] == theirs
    assert any("It reads bytes" in note for note in said(report.notes))
    export(tmp_path / "out", tmp_path / "back")
    again = AutoTokenizer.from_pretrained(tmp_path / "back", local_files_only=True)
    assert again(text).input_ids == inputs


@pytest.mark.parametrize("name", families.OTHERS)
def test_other_families_are_refused_by_name_with_what_would_do(name: str) -> None:
    why = rf"\({name}\) is not read here: .* What would do instead: .*; allowed: bart"
    refused(CheckpointError, why, families.checked, {"model_type": name, "is_encoder_decoder": True})


def test_what_does_not_fit_is_said_before_the_weights_are_read(bart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.importing.folder.Tensor.read", lambda tensor: pytest.fail(f"{tensor.name} was read"))
    assert source.check(source.look_up(str(bart))).notes == ()
    change(bart / CONFIG, encoder_ffn_dim=40, decoder_ffn_dim=40)
    why = "does not fit the weights: encoder.layers.0.fc1.weight must have the shape"
    refused(CheckpointError, why, source.check, source.look_up(str(bart)))
