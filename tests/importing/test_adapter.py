"""LoRA adapters: merged as `peft` merges them; alone, of another kind or of another base they are refused by name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from core import checkpoints
from core.errors import CheckpointError
from core.importing import adapter
from core.importing.folder import open_folder
from core.importing.run import import_model
from core.importing.source import look_up
from core.text.dialogue import parse_dialogue
from core.text.import_notes import in_app
from tests.closeness import near
from tests.refusals import refused

Whole = Callable[[str], Path]
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "lora": ("t5", {"target_modules": ["q", "v"], "lora_alpha": 32}),
    "rslora": ("t5", {"target_modules": ["q", "wo"], "lora_alpha": 5, "use_rslora": True}),
    "ranks": ("bart", {"target_modules": ["q_proj", "fc1"], "rank_pattern": {"fc1": 2}, "alpha_pattern": {"fc1": 9}}),
    "fan_in_fan_out": ("bart", {"target_modules": ["fc1", "v_proj"], "fan_in_fan_out": True}),
    "bias": ("bart", {"target_modules": ["v_proj"], "bias": "all"}),
    "modules_to_save": ("bart", {"target_modules": ["q_proj"], "modules_to_save": ["fc2", "layernorm_embedding"]}),
}


def trained(base: Path, folder: Path, rows: int | None = None, **settings: Any) -> Any:
    """Save an adapter whose every number is random, and return the model that peft merges from both."""
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForSeq2SeqLM

    torch.manual_seed(3)
    model = AutoModelForSeq2SeqLM.from_pretrained(base)
    if rows:
        model.resize_token_embeddings(rows)
    found = get_peft_model(model, LoraConfig(r=4, task_type="SEQ_2_SEQ_LM", **settings))
    with torch.no_grad():
        for weights in found.parameters():
            if weights.requires_grad:
                weights.normal_(std=0.1)
    found.save_pretrained(folder)
    return found.merge_and_unload()


@pytest.mark.numeric
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_merged_are_the_weights_of_peft(kind: str, whole: Whole, tmp_path: Path) -> None:
    family, settings = KINDS[kind]
    peer = trained(whole(family), tmp_path / "mine", **settings).state_dict()
    theirs = {name.removeprefix("model."): each.numpy() for name, each in peer.items()}
    before = {name.removeprefix("model."): each.read() for name, each in open_folder(whole(family)).tensors.items()}
    changed = 0
    for name, tensor in adapter.open_model(tmp_path / "mine", whole(family)).tensors.items():
        values = tensor.read()
        near(values.reshape(theirs[name].shape), theirs[name], terms=4, depth=3, message=name)
        changed += not np.array_equal(values, before[name])
    assert changed >= 4


def test_an_adapter_with_new_tokens_brings_their_rows(whole: Whole, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(whole("bart"))
    tokenizer.add_tokens(["<file_photo>", "<file_gif>"])
    peer = trained(whole("bart"), tmp_path / "mine", rows=416, target_modules=["q_proj"])
    tokenizer.save_pretrained(tmp_path / "mine")
    report = import_model(tmp_path / "mine", tmp_path / "out", name="mine", base=whole("bart"), precision="original")
    found = checkpoints.read(tmp_path / "out")
    table = found.weights["source_embedding/table"][np.array(found.tokenizer.vocabulary.ours)]  # type: ignore[union-attr]
    assert np.array_equal(table, peer.get_input_embeddings().weight.detach().numpy()) and len(table) == 416
    encoded = found.tokenizer.encode_dialogue(parse_dialogue("Ann: see <file_photo>"))
    assert "<file_photo>" in [token.text for token in encoded.tokens]
    assert report.notes[0] == ("adapter", {"base": "bart", "named": str(whole("bart"))})
    assert {"adapter_config.json", "adapter_model.safetensors", "base/model.safetensors"} < set(report.files)


@pytest.fixture
def lora(whole: Whole, tmp_path: Path) -> Path:
    """A plain adapter of the T5, in peft's form."""
    folder = tmp_path / "lora"
    folder.mkdir()
    layer, shapes = "base_model.model.encoder.block.0.layer.0.SelfAttention.q", {"A": (4, 32), "B": (24, 4)}
    tensors = {f"{layer}.lora_{part}.weight": np.ones(shape, np.float32) for part, shape in shapes.items()}
    save_file(tensors, folder / adapter.WEIGHTS)
    _write(folder)
    return folder


def _write(folder: Path, **changed: Any) -> None:
    plain = {"peft_type": "LORA", "base_model_name_or_path": "google/flan-t5-small", "r": 4, "lora_alpha": 8}
    (folder / adapter.CONFIG).write_text(json.dumps(plain | changed))


def test_alone_it_says_whose_adapter_it_is_and_the_lines_that_merge_it(lora: Path) -> None:
    said = "lora is a LoRA adapter of google/flan-t5-small, not a whole model. Name the folder of that model: --base"
    with pytest.raises(CheckpointError, match=said) as error:
        look_up(str(lora))
    assert "merge_and_unload()" in str(error.value) and "save_pretrained(" in str(error.value)
    with in_app(), pytest.raises(CheckpointError, match="at Base of an adapter") as error:
        look_up(str(lora))
    assert "--" not in str(error.value)


def test_with_its_base_it_is_looked_at(lora: Path, whole: Whole) -> None:
    found = look_up(str(lora), f" {whole('t5')} ")
    assert (found.name, found.family, found.base) == ("lora", "T5", whole("t5"))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"peft_type": "IA3"}, "of the kind IA3, which is not merged here"),
        ({"use_dora": True}, "of the kind DoRA, which is not merged here"),
        ({"peft_type": "PREFIX_TUNING"}, "PREFIX_TUNING, which changes no weight and cannot be merged"),
        ({"init_lora_weights": "pissa"}, "LoRA with init_lora_weights"),
        ({"layer_replication": [[0, 2]]}, "LoRA with layer_replication"),
        ({"alpha_pattern": {"q|v": 3}}, "LoRA with alpha_pattern"),
        ({"lora_alpha": "8"}, "lora_alpha must be a number. Received: '8'"),
    ],
)
def test_other_adapters_are_refused_by_name(changed: dict[str, Any], why: str, lora: Path, whole: Whole) -> None:
    _write(lora, **changed)
    refused(CheckpointError, why, adapter.open_model, lora, whole("t5"))


def test_another_base_and_a_base_of_no_adapter_are_refused(lora: Path, whole: Whole) -> None:
    def fails(why: str, folder: Path, base: str) -> None:
        refused(CheckpointError, why, adapter.open_model, folder, whole(base))

    fails("SelfAttention.q, which its base does not have", lora, "bart")
    fails("bart is no adapter, so that it needs no base", whole("bart"), "t5")
    weights = lora / adapter.WEIGHTS
    save_file({name: values[..., :3] for name, values in load_file(weights).items()}, weights)
    fails("the adapter does not fit its base", lora, "t5")
    weights.unlink()
    fails("there is no adapter_model.safetensors in lora", lora, "t5")
