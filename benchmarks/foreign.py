"""Time and memory of networks of well-known shapes, ours beside transformers' `generate`, in one run.

    python benchmarks/foreign.py [t5-small] [bart-base] [bart-large]

Both have the same shape and random weights, read the same number of tokens and must write the same number. Each system
runs in its own process, one after the other, several times over; the table has medians over all its runs, the spread,
and the peak memory of the process. "With attention" means: every attention matrix of the run can be shown afterwards.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

WRITTEN = 64
ROUNDS = 2
"""Processes of each system; they alternate."""
REPEATS = {"t5-small": 5, "bart-base": 5, "bart-large": 2}
"""Timed calls in each process, after one that is not counted."""
SOURCE = {"t5-small": 274, "bart-base": 274, "bart-large": 1000}
"""Tokens that are read."""
SYSTEMS = ("ours", "transformers")


def ours(shape: str) -> dict[str, Callable[[], object]]:
    """Return the runs of our own engine."""
    import numpy as np

    from core.config import END, DecodeSettings, ModelConfig
    from core.decoding.engine import Engine
    from core.model.transformer import Transformer

    common: dict[str, Any] = {"max_target_length": 128, "dropout": 0.0, "share_embeddings": True}
    common |= {"share_output": True, "output_bias": True, "embedding_scale": False}
    if shape == "t5-small":
        size = {"vocabulary": 32_130, "d_model": 512, "num_heads": 8, "feed_forward_dim": 2048, "layers": 6}
        common |= {"norm": "pre", "normalization": "rms", "positions": "relative", "biases": False}
        common |= {"score_scale": False, "output_scale": True, "max_source_length": 512}
    else:
        large = shape == "bart-large"
        size = {"d_model": 1024, "num_heads": 16, "feed_forward_dim": 4096, "layers": 12}
        size = size if large else {"d_model": 768, "num_heads": 12, "feed_forward_dim": 3072, "layers": 6}
        size["vocabulary"] = 50_267
        common |= {"positions": "learned", "embedding_norm": "with_positions", "activation": "gelu", "epsilon": 1e-5}
        common |= {"max_source_length": 1024, "target_positions": 1024}
    vocabulary, layers = size.pop("vocabulary"), size.pop("layers")
    sizes = {"source_vocabulary": vocabulary, "target_vocabulary": vocabulary, **size}
    model = Transformer(ModelConfig(encoder_layers=layers, decoder_layers=layers, **sizes, **common))
    engine = Engine(model)
    random = np.random.default_rng(0)
    source = [*random.integers(5, vocabulary, SOURCE[shape] - 1).tolist(), END]
    rules = {"max_tokens": WRITTEN, "min_tokens": WRITTEN - 1, "no_repeat_ngram": 0, "whole_words": False}
    settings = {
        "greedy": DecodeSettings(strategy="greedy", **rules),
        "beam 4": DecodeSettings(strategy="beam", beam_size=4, **rules),
    }

    def write(name: str, attention: bool) -> object:
        ids = list(engine.beam_rows(engine.encode(source), settings[name])[0].hypotheses[0].ids)
        return engine.replay(source, ids) if attention else ids

    return _runs(write)


def transformers(shape: str) -> dict[str, Callable[[], object]]:
    """Return the runs of the library."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration, T5Config, T5ForConditionalGeneration

    torch.manual_seed(0)
    torch.set_num_threads(2)
    if shape == "t5-small":
        model: Any = T5ForConditionalGeneration(T5Config(vocab_size=32_128, decoder_start_token_id=0))
    elif shape == "bart-large":
        model = BartForConditionalGeneration(BartConfig())
    else:
        config = BartConfig(
            **{"d_model": 768, "encoder_layers": 6, "decoder_layers": 6, "encoder_ffn_dim": 3072},
            **{"decoder_ffn_dim": 3072, "encoder_attention_heads": 12, "decoder_attention_heads": 12},
        )
        model = BartForConditionalGeneration(config)
    model.eval()
    source = torch.randint(5, model.config.vocab_size, (1, SOURCE[shape]), generator=torch.Generator().manual_seed(0))

    def write(name: str, attention: bool) -> object:
        model.set_attn_implementation("eager" if attention else "sdpa")
        with torch.inference_mode():
            return model.generate(
                source,
                num_beams=4 if name == "beam 4" else 1,
                do_sample=False,
                min_new_tokens=WRITTEN,
                max_new_tokens=WRITTEN,
                output_attentions=attention,
                return_dict_in_generate=attention,
            )

    return _runs(write)


def _runs(write: Callable[[str, bool], object]) -> dict[str, Callable[[], object]]:
    return {
        f"{name}, {'with' if attention else 'without'} attention": (lambda n=name, a=attention: write(n, a))
        for name in ("greedy", "beam 4")
        for attention in (True, False)
    }


def measure(system: str, shape: str) -> dict[str, Any]:
    """Run one system in this process: milliseconds of every call, and the peak memory."""
    started = time.perf_counter()
    runs = {"ours": ours, "transformers": transformers}[system](shape)
    found: dict[str, Any] = {"built": time.perf_counter() - started}
    for name, run in runs.items():
        started = time.perf_counter()
        run()
        first, times = time.perf_counter() - started, []
        for _ in range(REPEATS[shape]):
            started = time.perf_counter()
            run()
            times.append(1000 * (time.perf_counter() - started))
        found[name] = {"first": first, "times": times}
    return found | {"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def main() -> None:
    """Measure every system and print a table for each shape."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(*sys.argv[2:4])))
        return
    for shape in sys.argv[1:] or list(REPEATS):
        found: dict[str, list[dict[str, Any]]] = {system: [] for system in SYSTEMS}
        for _ in range(ROUNDS):
            for system in SYSTEMS:
                command = [sys.executable, __file__, "--one", system, shape]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                found[system].append(json.loads(done.stdout.splitlines()[-1]))
        print(
            f"\n{shape}: {SOURCE[shape]:,} tokens read, {WRITTEN} written, medians of {ROUNDS * REPEATS[shape]} calls"
        )
        print(f"{'':28} {'ours':>24} {'transformers':>24} {'times faster':>13}")
        for name in [key for key in found["ours"][0] if "," in key]:
            times = {system: [each for run in runs for each in run[name]["times"]] for system, runs in found.items()}
            middle = {system: statistics.median(each) for system, each in times.items()}
            said = [f"{middle[each]:8.0f} ms ({min(times[each]):.0f}–{max(times[each]):.0f})" for each in SYSTEMS]
            print(f"{name:28} {said[0]:>24} {said[1]:>24} {middle['transformers'] / middle['ours']:12.2f}x")
        peak = [f"{max(run['megabytes'] for run in found[system]):,.0f} MB" for system in SYSTEMS]
        print(f"{'peak memory':28} {peak[0]:>24} {peak[1]:>24}")
        first = sum(found["ours"][0][name]["first"] for name in found["ours"][0] if "," in name)
        print(f"{'first calls (ours compile)':28} {first:>21.1f} s")


if __name__ == "__main__":
    main()
