"""A LoRA adapter of the library `peft`, merged into its base: W + scale · B A (Hu et al. 2021, section 4.1).

Other adapters are refused by name. `scale` is alpha / r, or alpha / √r with rsLoRA (Kalajdzievski 2023, section 3).
"""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import CheckpointError
from core.importing import folder as folders
from core.importing.folder import Folder, Tensor
from core.text.import_notes import way
from core.words import say

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
_PLAIN = re.compile(r"\^?[\w.]+")
"""A pattern of modules that is the end of a name, or a whole one."""
_LEAD = "base_model.model."
_SAVED = re.compile(r"modules_to_save\.(default\.)?|base_layer\.")
_TABLES = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
_HEAD = "lm_head.weight"
_NEUTRAL: Mapping[str, tuple[Any, ...]] = {
    "init_lora_weights": (True, False, "gaussian", "orthogonal", "eva"),  # the others change the base
    "bias": ("none", "all", "lora_only"),
    **dict.fromkeys(("use_dora", "lora_bias", "use_qalora"), (False,)),
}
"""Settings with the values that leave W + scale · B A as it is."""
_READ = frozenset(
    """alpha_pattern auto_mapping base_model_name_or_path corda_config ensure_weight_tying eva_config exclude_modules
    fan_in_fan_out inference_mode layers_pattern layers_to_transform lora_alpha lora_dropout loftq_config
    megatron_config megatron_core modules_to_save peft_type peft_version qalora_group_size r rank_pattern revision
    target_modules task_type use_rslora""".split()
)
"""Settings that are read, or that change nothing in the weights. Of a linear layer peft ignores fan_in_fan_out, too."""
_NEVER_MERGED = ("PREFIX_TUNING", "PROMPT_TUNING", "P_TUNING", "MULTITASK_PROMPT_TUNING", "ADAPTION_PROMPT")


@dataclass(frozen=True)
class Merged(Tensor):
    """A tensor of the base with what an adapter adds to it.

    Args:
        down: A, [r, inputs].
        up: B, [outputs, r].
        scale: of the product.
        turned: whether the product is transposed, for a table of embeddings.
    """

    down: Tensor
    up: Tensor
    scale: float
    turned: bool

    def read(self) -> NDArray[Any]:
        """Read and merge in float32; raises CheckpointError."""
        change = self.scale * (self.up.read().astype(np.float32) @ self.down.read().astype(np.float32))
        merged: NDArray[np.float32] = super().read().astype(np.float32) + (change.T if self.turned else change)
        return merged


@dataclass(frozen=True)
class Longer(Tensor):
    """A bias of every token, with zeros for the tokens that an adapter added.

    Args:
        short: the bias of the base.
    """

    short: Tensor

    def read(self) -> NDArray[Any]:
        """Read and fill up; raises CheckpointError."""
        return np.pad(self.short.read(), ((0, 0), (0, self.shape[1] - self.short.shape[1])))


def is_adapter(path: Path) -> bool:
    """Return whether a folder holds an adapter and no whole model."""
    whole = any(os.path.isfile(path / name) for name in (folders.WEIGHTS, folders.INDEX))
    return os.path.isfile(path / CONFIG) and not whole


def open_model(path: Path, base: Path | None = None) -> Folder:
    """Open a folder of a model, or an adapter's with that of its base.

    Raises:
        CheckpointError: as `core.importing.folder.open_folder`; an adapter without its base, of another base, or of
            a kind that is not merged here; a base for what is a whole model.
    """
    if is_adapter(path):
        settings = folders.read_json(path / CONFIG)
        check(settings, path.name)
        if base is None:
            raise needs_base(settings, path.name)
        return _merged(path, settings, folders.open_folder(base))
    if base is not None:
        raise CheckpointError(
            "{folder} is no adapter, so that it needs no base. Received: {base!r}", folder=path.name, base=str(base)
        )
    return folders.open_folder(path)


def check(settings: Mapping[str, Any], name: str) -> None:
    """Refuse what is not W + scale · B A; raises CheckpointError.

    Args:
        settings: content of adapter_config.json.
        name: of the adapter.
    """
    kind = str(settings.get("peft_type"))
    if kind in _NEVER_MERGED:
        raise CheckpointError(
            "{name} is an adapter of the kind {kind}, which changes no weight and cannot be merged. Only LoRA is read: "
            "summarize with it in peft, and open what it wrote as predictions",
            name=name,
            kind=kind,
        )
    known = _READ | set(_NEUTRAL)
    other = {key: value for key, value in settings.items() if key not in known and value not in (None, False, {}, [])}
    other |= {key: settings[key] for key, allowed in _NEUTRAL.items() if settings.get(key, allowed[0]) not in allowed}
    patterns = settings.get("alpha_pattern") or {}
    if not isinstance(patterns, dict) or any(not _PLAIN.fullmatch(key) for key in patterns):
        other["alpha_pattern"] = patterns
    if kind != "LORA" or other:
        what = "DoRA" if settings.get("use_dora") else kind if kind != "LORA" else f"LoRA with {min(other)}"
        raise CheckpointError(
            "{name} is an adapter of the kind {kind}, which is not merged here, only plain LoRA. Merge it where peft "
            "is installed: {lines}",
            name=name,
            kind=what,
            lines=_lines(name),
        )


def needs_base(settings: Mapping[str, Any], name: str) -> CheckpointError:
    """Return the error for an adapter alone."""
    return CheckpointError(
        "{name} is a LoRA adapter of {base}, not a whole model. {advice}, or merge it where peft is installed: {lines}",
        name=name,
        base=str(settings.get("base_model_name_or_path") or say("a model that it does not name")),
        advice=way("base"),
        lines=_lines(name),
    )


def _lines(name: str) -> str:
    load = f'model = AutoPeftModelForSeq2SeqLM.from_pretrained("{name}").merge_and_unload()'
    return f'{load}; model.save_pretrained("merged")'


def _merged(path: Path, settings: Mapping[str, Any], base: Folder) -> Folder:
    """Return the base with the tensors of an adapter merged into its own; raises CheckpointError."""
    if not (path / WEIGHTS).is_file():
        raise CheckpointError(
            "there is no {weights} in {folder}: only safetensors are read", weights=WEIGHTS, folder=path.name
        )
    tensors = {name.removeprefix("model."): tensor for name, tensor in base.tensors.items()}
    given = {_SAVED.sub("", each.name.removeprefix(_LEAD)): each for each in folders.read_tensors(path / WEIGHTS)}
    given = {name.removeprefix("model."): tensor for name, tensor in given.items()}
    parts = [name for name in given if ".lora_" in name]
    whole = {name: tensor for name, tensor in given.items() if name not in parts}
    config = dict(base.config)
    _replace(tensors, whole, config, path.name)
    for name in parts:
        module, _, part = name.partition(".lora_")
        if part in ("A.weight", "embedding_A"):
            up = given.get(f"{module}.lora_{part.replace('A', 'B')}")
            target = tensors.get(f"{module}.weight")
            tensors[f"{module}.weight"] = _with(target, given[name], up, _scale(module, given[name], settings), module)
        elif part not in ("B.weight", "embedding_B"):
            raise _unfit(path.name, name)
    tokenizer = folders.tokenizer_of(path)
    if not any((tokenizer / each).is_file() for each in folders.TOKENIZER):
        tokenizer = base.tokenizer
    files = {name: path / name for name in (CONFIG, WEIGHTS)} | {
        f"base/{name}": file for name, file in base.files.items() if name not in folders.TOKENIZER
    }
    files |= {name: tokenizer / name for name in folders.TOKENIZER if (tokenizer / name).is_file()}
    named = str(settings.get("base_model_name_or_path"))
    notes = (("adapter", {"base": base.path.name, "named": named}), *base.notes)
    return replace(base, path=path, config=config, tensors=tensors, files=files, tokenizer=tokenizer, notes=notes)


def _replace(tensors: dict[str, Tensor], whole: Mapping[str, Tensor], config: dict[str, Any], name: str) -> None:
    """Put the tensors that an adapter keeps whole in the place of the base's own; raises CheckpointError."""
    if any(key in whole for key in _TABLES):  # the base's copies are older
        for key in (*_TABLES, *([_HEAD] if config.get("tie_word_embeddings") is not False else [])):
            tensors.pop(key, None)
    rows = next((whole[key].shape[0] for key in _TABLES if key in whole and whole[key].shape), None)
    if rows is not None and rows != config.get("vocab_size"):
        config["vocab_size"] = rows
        bias = tensors.get("final_logits_bias")
        if bias is not None and len(bias.shape) == 2 and bias.shape[1] < rows:
            tensors["final_logits_bias"] = Longer(**{**vars(bias), "shape": (1, rows)}, short=bias)
    for key, tensor in whole.items():
        if key not in tensors and key not in (*_TABLES, _HEAD):
            raise _unfit(name, key)
        tensors[key] = tensor


def _with(target: Tensor | None, down: Tensor, up: Tensor | None, scale: float, module: str) -> Merged:
    """Return a tensor of the base with the product of A and B; raises CheckpointError if they do not fit."""
    if target is None or up is None or {len(up.shape), len(down.shape)} != {2}:
        raise _unfit(down.path.parent.name, module)
    turned = "embedding" in down.name.rpartition(".lora_")[2]
    shape = (up.shape[0], down.shape[-1])
    if up.shape[-1] != down.shape[0] or target.shape != (shape[::-1] if turned else shape):
        raise CheckpointError(
            "the adapter does not fit its base: {name} must have the shape {wanted}. Received: {shape}",
            name=f"{module}.weight",
            wanted=[*(shape[::-1] if turned else shape)],
            shape=[*target.shape],
        )
    return Merged(**vars(target), down=down, up=up, scale=scale, turned=turned)


def _scale(module: str, down: Tensor, settings: Mapping[str, Any]) -> float:
    """Return alpha / r of a module, or alpha / √r; raises CheckpointError if alpha is no number."""
    own = settings.get("alpha_pattern") or {}
    alphas = [value for key, value in own.items() if f".{module}".endswith(f".{key.removeprefix('^')}")]
    alpha = alphas[0] if alphas else settings.get("lora_alpha")
    if not isinstance(alpha, int | float) or not math.isfinite(alpha):
        raise CheckpointError("{file}: lora_alpha must be a number. Received: {alpha!r}", file=CONFIG, alpha=alpha)
    rank = max(down.shape[0], 1)
    return float(alpha) / (math.sqrt(rank) if settings.get("use_rslora") else rank)


def _unfit(folder: str, name: str) -> CheckpointError:
    return CheckpointError(
        "{folder} changes {name}, which its base does not have as a tensor of its own: it belongs to another base, or "
        "changes a table that several layers share. Merge it where peft is installed: {lines}",
        folder=folder,
        name=name,
        lines=_lines(folder),
    )
