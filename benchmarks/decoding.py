"""Time of decoding beside CTranslate2 and Hugging Face Transformers: networks of the same shape, in the same run.

    python benchmarks/decoding.py [--rounds 10] [--shapes small,shipped,bart-base] [--threads 2]
    python benchmarks/decoding.py --growth 64,128,256,512,1024          (the small shape, one dialogue)
    python benchmarks/decoding.py --corpus dialogues.jsonl [--limit 64]     (the shipped shape, batches of eight)

Every round runs each system once; printed are the median and the quartiles over all rounds in milliseconds, and the
ratio to CTranslate2. Peers have random weights of the same shape without a copy head; every system must write 64
tokens of one or eight sources of 274 tokens. Peers that are not installed are left out (requirements-bench.txt).
`--growth` prints a table over the length of the source, and the same as a chart in Mermaid's language. `--corpus` reads
the dialogues of a file, shortest first, and writes 32 tokens of each; it prints dialogues a second.
"""

import argparse
import importlib.util
import json
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
from core.decoding import fast
from core.decoding.engine import Engine
from core.model import families
from core.service import Summarizer

SOURCE, TOKENS, ROWS = 274, 64, 8
SHAPES: Mapping[str, ModelConfig] = {
    "small": ModelConfig(
        source_vocabulary=8000, target_vocabulary=8000, d_model=256, num_heads=4, feed_forward_dim=1024,
        encoder_layers=3, decoder_layers=3, max_source_length=1024, max_target_length=96, norm="pre", copy=False,
    ),
    "bart-base": ModelConfig(
        source_vocabulary=50_265, target_vocabulary=50_265, d_model=768, num_heads=12, feed_forward_dim=3072,
        encoder_layers=6, decoder_layers=6, max_source_length=512, max_target_length=96, norm="post",
        positions="learned", activation="gelu", embedding_norm="with_positions", copy=False,
    ),
}  # fmt: skip
Calls = dict[tuple[str, str], Callable[[], object]]


def engine_of(config: ModelConfig | None) -> Engine:
    """Return the shipped checkpoint, or a network of random weights."""
    return Summarizer.load("dialoscope").engine if config is None else Engine(families.build(config))


def settings_of(tokens: int) -> tuple[DecodeSettings, DecodeSettings]:
    """Return greedy decoding and beam search that write so many tokens."""
    greedy = DecodeSettings(strategy="greedy", max_tokens=tokens, min_tokens=tokens - 1, no_repeat_ngram=0)
    return greedy, greedy.replace(strategy="beam", beam_size=4)


def random_sources(config: ModelConfig, length: int = SOURCE) -> list[list[int]]:
    """Return the ids of as many sources as a batch has."""
    found: list[list[int]] = np.random.default_rng(1).integers(20, config.source_vocabulary, (ROWS, length)).tolist()
    return found


def ours(engine: Engine, sources: list[list[int]], calls: Calls) -> None:
    """Add what we do."""
    greedy, beam = settings_of(TOKENS)
    one, many = engine.encode(sources[0]), engine.encode_rows(sources)
    target = list(engine.beam_rows(one, greedy)[0].hypotheses[0].ids)
    for name, settings in (("greedy", greedy), ("beam 4", beam)):
        calls["ours: encode, loop, replay", f"1, {name}"] = lambda s=settings: (
            engine.beam_rows(engine.encode(sources[0]), s)[0], engine.replay(sources[0], target)
        )  # fmt: skip
        calls["ours: encode, loop", f"1, {name}"] = lambda s=settings: engine.beam_rows(engine.encode(sources[0]), s)[0]
        calls["ours: loop", f"1, {name}"] = lambda s=settings: engine.beam_rows(one, s)[0]
        calls["ours: encode, loop", f"8, {name}"] = lambda s=settings: engine.beam_rows(engine.encode_rows(sources), s)
        calls["ours: loop", f"8, {name}"] = lambda s=settings: engine.beam_rows(many, s)
        calls["ours: encode, loop, read", f"8, {name}"] = lambda s=settings: (
            engine.beam_rows(rows := engine.encode_rows(sources), s), engine.read_rows(rows, sources, [target] * ROWS)
        )  # fmt: skip
    calls["ours: encode", "1, greedy"] = lambda: engine.encode(sources[0])
    calls["ours: encode", "8, greedy"] = lambda: engine.encode_rows(sources)
    calls["ours: replay with every matrix", "1, greedy"] = lambda: engine.replay(sources[0], target)


def translator(config: ModelConfig, threads: int, folder: Path) -> Any:
    """Return CTranslate2 with random weights."""
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
        side.position_encodings.encodings = weights(1026, width)
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
    return ctranslate2.Translator(str(folder), device="cpu", inter_threads=1, intra_threads=threads)


def written(tokens: int) -> dict[str, Any]:
    """Return the options with which CTranslate2 writes so many tokens."""
    return {"min_decoding_length": tokens, "max_decoding_length": tokens, "return_scores": True}


def ctranslate2(model: Any, sources: list[list[int]], calls: Calls) -> None:
    """Add CTranslate2."""
    rows = [[f"t{number - 4}" for number in row] for row in sources]
    for count in (1, ROWS):
        for name, beams in (("greedy", 1), ("beam 4", 4)):
            calls["CTranslate2", f"{count}, {name}"] = lambda n=count, b=beams: model.translate_batch(
                rows[:n], beam_size=b, max_batch_size=n, **written(TOKENS)
            )


def transformers(config: ModelConfig, sources: list[list[int]], calls: Calls, threads: int) -> None:
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
    ids = torch.tensor(sources)
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


def growth(lengths: list[int], rounds: int, threads: int) -> None:
    """Print the time of one dialogue by the length of its source."""
    config, columns = SHAPES["small"], ("1, greedy", "1, beam 4")
    engine = engine_of(config)
    systems = {
        "ours: encode, loop": "ours",
        "ours: encode, loop, replay": "ours, every matrix",
        "CTranslate2": "CTranslate2",
        "Transformers, attentions": "Transformers, attentions",
    }
    found: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        peer = translator(config, threads, Path(folder) / "model") if importlib.util.find_spec("ctranslate2") else None
        for length in lengths:
            calls: Calls = {}
            sources = random_sources(config, length)
            ours(engine, sources, calls)
            if peer:
                ctranslate2(peer, sources, calls)
            transformers(config, sources, calls, threads)
            wanted = {name: call for name, call in calls.items() if name[0] in systems and name[1] in columns}
            for name, times in measure(wanted, rounds).items():
                found.setdefault(name, []).append(statistics.median(times))
    for column in columns:
        print(f"\n| {column}, ms | " + " | ".join(map(str, lengths)) + " |\n|---" * 1 + "|---" * len(lengths) + "|")
        for system, name in systems.items():
            print(f"| {name} | " + " | ".join(f"{value:.0f}" for value in found[system, column]) + " |")
        chart = ["xychart-beta", f'title "ms for 64 tokens, {column.removeprefix("1, ")}"']
        chart += [f'x-axis "source tokens" {json.dumps(list(map(str, lengths)))}', 'y-axis "ms"']
        chart += [f"line {json.dumps([round(value) for value in found[system, column]])}" for system in systems]
        print("\n```mermaid\n" + "\n    ".join(chart) + "\n```")


def corpus(path: Path, limit: int, rounds: int) -> None:
    """Print the dialogues a second of a file, ours and CTranslate2's, on one core and on two."""
    summarizer = Summarizer.load("dialoscope")
    lines = path.read_text(encoding="utf-8").splitlines()[:limit]
    sources = sorted((list(summarizer.encode(json.loads(line)["dialogue"]).ids) for line in lines), key=len)
    for threads in (1, 2):
        fast.THREADS = threads
        with tempfile.TemporaryDirectory() as folder:
            peer = translator(summarizer.config, threads, Path(folder) / "model")
            calls = corpus_calls(Engine(summarizer.engine.model), peer, sources)
            times = {name: statistics.median(found) for name, found in measure(calls, rounds).items()}
        for name in ("greedy", "beam 4"):
            both = [times[who, name] for who in ("ours", "CTranslate2")]
            speeds = [f"{1000 * len(sources) / value:.1f}" for value in both]
            print(
                f"{threads} threads, {name}: ours {speeds[0]}, CTranslate2 {speeds[1]} dialogues a second; "
                f"ours {both[0] / both[1]:.2f} x its time"
            )


def corpus_calls(engine: Engine, peer: Any, sources: list[list[int]]) -> Calls:
    """Return how both write 32 tokens of every source."""
    tokens, calls = 32, Calls()
    batches = [sources[first : first + ROWS] for first in range(0, len(sources), ROWS)]
    words = [[f"t{number}" for number in row] for row in sources]
    for name, settings, beams in zip(("greedy", "beam 4"), settings_of(tokens), (1, 4), strict=True):
        calls["ours", name] = lambda s=settings: [engine.beam_rows(engine.encode_rows(batch), s) for batch in batches]
        calls["CTranslate2", name] = lambda b=beams: peer.translate_batch(
            words, beam_size=b, max_batch_size=ROWS, **written(tokens)
        )
    return calls


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--shapes", default="small,shipped,bart-base")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--growth", metavar="LENGTHS")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--limit", type=int, default=64)
    options = parser.parse_args()
    if options.growth:
        growth([int(length) for length in options.growth.split(",")], options.rounds, options.threads)
    elif options.corpus:
        corpus(options.corpus, options.limit, options.rounds)
    else:
        shapes(options)


def shapes(options: argparse.Namespace) -> None:
    """Measure networks of several shapes, and print."""
    columns = [f"{count}, {name}" for count in (1, ROWS) for name in ("greedy", "beam 4")]
    for shape in options.shapes.split(","):
        calls: Calls = {}
        engine = engine_of(SHAPES.get(shape))
        config = engine.model.config
        sources = random_sources(config)
        ours(engine, sources, calls)
        with tempfile.TemporaryDirectory() as folder:
            if importlib.util.find_spec("ctranslate2"):
                ctranslate2(translator(config, options.threads, Path(folder) / "model"), sources, calls)
            transformers(config, sources, calls, options.threads)
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
