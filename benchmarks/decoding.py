"""Time of decoding beside CTranslate2 and Hugging Face Transformers: networks of the same shape, in the same run.

    python benchmarks/decoding.py [--rounds 10] [--shapes small,shipped,bart-base] [--threads 2]

Every round runs each system once; printed are the median and the quartiles over all rounds in milliseconds, and the
ratio to CTranslate2. Peers have random weights of the same shape without a copy head; every system must write 64
tokens of one or eight sources of 274 tokens. Peers that are not installed are left out (requirements-bench.txt).
"""

import argparse
import importlib.util
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np

from core.config import DecodeSettings, ModelConfig
from core.decoding.engine import Engine
from core.model import families
from core.service import Summarizer

SOURCE, TOKENS, ROWS = 274, 64, 8
SHAPES: Mapping[str, ModelConfig] = {
    "small": ModelConfig(
        source_vocabulary=8000, target_vocabulary=8000, d_model=256, num_heads=4, feed_forward_dim=1024,
        encoder_layers=3, decoder_layers=3, max_source_length=512, max_target_length=96, norm="pre", copy=False,
    ),
    "bart-base": ModelConfig(
        source_vocabulary=50_265, target_vocabulary=50_265, d_model=768, num_heads=12, feed_forward_dim=3072,
        encoder_layers=6, decoder_layers=6, max_source_length=512, max_target_length=96, norm="post",
        positions="learned", activation="gelu", embedding_norm="with_positions", copy=False,
    ),
}  # fmt: skip
Calls = dict[tuple[str, str], Callable[[], object]]


def ours(config: ModelConfig | None, calls: Calls) -> ModelConfig:
    """Add what we do: the shipped checkpoint, or a network of random weights; returns its shape."""
    if config is None:
        engine = Summarizer.load("dialoscope").engine
    else:
        engine = Engine(families.build(config))
    config = engine.model.config
    sources = np.random.default_rng(1).integers(20, config.source_vocabulary, (ROWS, SOURCE)).tolist()
    greedy = DecodeSettings(strategy="greedy", max_tokens=TOKENS, min_tokens=TOKENS - 1, no_repeat_ngram=0)
    beam = greedy.replace(strategy="beam", beam_size=4)
    one, many = engine.encode(sources[0]), engine.encode_rows(sources)
    target = list(engine.beam(one, greedy).hypotheses[0].ids)
    for name, settings in (("greedy", greedy), ("beam 4", beam)):
        calls["ours: encode, loop, replay", f"1, {name}"] = lambda s=settings: (
            engine.beam(engine.encode(sources[0]), s), engine.replay(sources[0], target)
        )  # fmt: skip
        calls["ours: encode, loop", f"1, {name}"] = lambda s=settings: engine.beam(engine.encode(sources[0]), s)
        calls["ours: loop", f"1, {name}"] = lambda s=settings: engine.beam(one, s)
        calls["ours: encode, loop", f"8, {name}"] = lambda s=settings: engine.beam_rows(engine.encode_rows(sources), s)
        calls["ours: loop", f"8, {name}"] = lambda s=settings: engine.beam_rows(many, s)
        calls["ours: encode, loop, read", f"8, {name}"] = lambda s=settings: (
            engine.beam_rows(rows := engine.encode_rows(sources), s), engine.read_rows(rows, sources, [target] * ROWS)
        )  # fmt: skip
    calls["ours: encode", "1, greedy"] = lambda: engine.encode(sources[0])
    calls["ours: encode", "8, greedy"] = lambda: engine.encode_rows(sources)
    calls["ours: replay with every matrix", "1, greedy"] = lambda: engine.replay(sources[0], target)
    return config


def ctranslate2(config: ModelConfig, calls: Calls, threads: int, folder: Path) -> None:
    """Add CTranslate2 with random weights."""
    import ctranslate2
    from ctranslate2.specs import TransformerSpec

    random, width = np.random.default_rng(0), config.d_model

    def weights(*shape: int) -> Any:
        return (random.standard_normal(shape) * shape[-1] ** -0.5).astype(np.float32)

    def dense(layer: Any, out: int, into: int) -> None:
        layer.weight, layer.bias = weights(out, into), np.zeros(out, np.float32)

    def norm(layer: Any) -> None:
        layer.gamma, layer.beta = np.ones(width, np.float32), np.zeros(width, np.float32)

    spec = TransformerSpec.from_config((config.encoder_layers, config.decoder_layers), config.num_heads)
    for side in (spec.encoder, spec.decoder):
        embeddings = side.embeddings if isinstance(side.embeddings, list) else [side.embeddings]
        for each in embeddings:
            each.weight = weights(config.target_vocabulary, width)
        side.position_encodings.encodings = weights(1024, width)
        norm(side.layer_norm)
        for layer in side.layer:
            norm(layer.self_attention.layer_norm)
            dense(layer.self_attention.linear[0], 3 * width, width)
            dense(layer.self_attention.linear[1], width, width)
            norm(layer.ffn.layer_norm)
            dense(layer.ffn.linear_0, config.feed_forward_dim, width)
            dense(layer.ffn.linear_1, width, config.feed_forward_dim)
    for layer in spec.decoder.layer:
        norm(layer.attention.layer_norm)
        for part, out in zip(layer.attention.linear, (width, 2 * width, width), strict=True):
            dense(part, out, width)
    dense(spec.decoder.projection, config.target_vocabulary, width)
    words = ["<blank>", "<s>", "</s>", "<unk>", *(f"t{number}" for number in range(config.target_vocabulary - 4))]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.validate()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    spec.save(str(folder))
    model = ctranslate2.Translator(str(folder), device="cpu", inter_threads=1, intra_threads=threads)
    rows = [[f"t{number}" for number in random.integers(0, config.source_vocabulary - 4, SOURCE)] for _ in range(ROWS)]
    options = {"min_decoding_length": TOKENS, "max_decoding_length": TOKENS, "return_scores": True}
    for count in (1, ROWS):
        for name, beams in (("greedy", 1), ("beam 4", 4)):
            calls["CTranslate2", f"{count}, {name}"] = lambda n=count, b=beams: model.translate_batch(
                rows[:n], beam_size=b, max_batch_size=n, **options
            )


def transformers(config: ModelConfig, calls: Calls, threads: int) -> None:
    """Add a BART of Hugging Face Transformers with random weights, without and with its attentions."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    torch.set_num_threads(threads)
    shape = BartConfig(
        vocab_size=config.target_vocabulary, d_model=config.d_model, max_position_embeddings=1024,
        encoder_layers=config.encoder_layers, decoder_layers=config.decoder_layers,
        encoder_attention_heads=config.num_heads, decoder_attention_heads=config.num_heads,
        encoder_ffn_dim=config.feed_forward_dim, decoder_ffn_dim=config.feed_forward_dim,
        attn_implementation="eager", forced_eos_token_id=None,
    )  # fmt: skip
    model = BartForConditionalGeneration(shape).eval()
    ids = torch.randint(5, config.source_vocabulary, (ROWS, SOURCE))
    length = {"min_new_tokens": TOKENS, "max_new_tokens": TOKENS, "do_sample": False}

    def run(count: int, beams: int, attentions: bool) -> object:
        more = {"output_attentions": attentions, "return_dict_in_generate": attentions}
        with torch.inference_mode():
            return model.generate(ids[:count], num_beams=beams, **length, **more)

    for name, beams in (("greedy", 1), ("beam 4", 4)):
        for count, attentions in ((1, False), (1, True), (ROWS, False)):
            kind = "attentions" if attentions else "no attentions"
            calls[f"Transformers, {kind}", f"{count}, {name}"] = lambda c=count, b=beams, a=attentions: run(c, b, a)


def measure(calls: Calls, rounds: int) -> dict[tuple[str, str], list[float]]:
    """Return the milliseconds of every call in every round, after a round that is not counted."""
    times: dict[tuple[str, str], list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            if number:
                times[name].append(1000 * (time.perf_counter() - started))
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--shapes", default="small,shipped,bart-base")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    columns = [f"{count}, {name}" for count in (1, ROWS) for name in ("greedy", "beam 4")]
    for shape in options.shapes.split(","):
        calls: Calls = {}
        config = ours(SHAPES.get(shape), calls)
        with tempfile.TemporaryDirectory() as folder:
            if importlib.util.find_spec("ctranslate2"):
                ctranslate2(config, calls, options.threads, Path(folder) / "model")
            transformers(config, calls, options.threads)
            times = measure(calls, options.rounds)
        print(
            f"\n{shape}: {config.encoder_layers} + {config.decoder_layers} layers, D {config.d_model}, "
            f"vocabulary {config.target_vocabulary}; median (quartiles) in ms, x CTranslate2"
        )
        print(f"{'':32}" + "".join(f"{column:>28}" for column in columns))
        for system in dict.fromkeys(system for system, _ in calls):
            cells = []
            for column in columns:
                found = times.get((system, column))
                if found is None:
                    cells.append(f"{'':>28}")
                    continue
                low, middle, high = statistics.quantiles(found, n=4)
                base = times.get(("CTranslate2", column))
                ratio = f" {middle / statistics.median(base):5.2f}" if base else ""
                cells.append(f"{f'{middle:6.0f} ({low:.0f}-{high:.0f}){ratio}':>28}")
            print(f"{system:32}" + "".join(cells))


if __name__ == "__main__":
    main()
