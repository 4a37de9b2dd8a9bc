"""Training speed and memory: our loop against padding everything alike, and against the same network of `keras.layers`.

    python benchmarks/training.py DATA [--rows 1200] [--rounds 2]
    python benchmarks/training.py DATA --pairs 10 [--rows 160]

DATA is a corpus as `train` takes it, DialogSum's train split for instance. Each case is a process of its own that
trains one epoch to compile and warm up, and then one that counts, with the same rows; the rounds go through the cases
in turn, and the fastest counts: whatever else a machine does only ever slows. Prints real tokens a second (padding does
not count), ratios within this run, and each process's peak of memory. KERAS_BACKEND=jax measures the other backend.

`--pairs` trains our network, that of `keras.layers` and PyTorch's own Transformer in one process, in float32, on the
same batches in turn, and prints how often ours was the faster of a pair, with the sign test.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

PADDED = (384, 80)
"""Source and target positions of the batches that are all alike."""
CASES = ("ours", "padded", "keras.layers")
PRECISIONS = ("float32", "mixed_bfloat16")


def measure(data: str, rows: int, case: str, precision: str) -> dict[str, float]:
    """Real tokens a second of the second epoch, and the peak of this process in megabytes."""
    from core.config import PRESETS
    from core.runtime.backend import stream
    from core.training.batches import Batches

    pairs = encoded(data, rows)
    training = PRESETS["dialoscope"].training
    wrapped = compiled(case, precision)
    seconds = 0.0
    for epoch in range(2):
        batches = Batches(pairs, training.batch_tokens, seed=1, epoch=1)
        if case == "padded":
            batches = alike(batches)
        started = time.perf_counter()
        wrapped.fit(stream(batches), epochs=1, shuffle=False, verbose=0)
        seconds = time.perf_counter() - started if epoch else 0.0
    tokens = sum(len(source) + len(target) for source, target in pairs)
    return {
        "tokens_per_second": tokens / seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "parameters": wrapped.transformer.count_params(),
    }


def encoded(data: str, rows: int) -> list[tuple[list[int], list[int]]]:
    """Return the ids of dialogues and summaries, cut to the padded lengths."""
    from core import checkpoints
    from core.config import PRESETS
    from core.text.corpus import load_corpus
    from core.text.tokenizer import Tokenizer
    from core.training.recipes.examples import encode_pair

    tokenizer = Tokenizer.load(checkpoints.locate("dialoscope-scratch") / "tokenizer.json")
    corpus, preset = load_corpus(data, limit=rows), PRESETS["dialoscope"]
    found = (encode_pair(row["dialogue"], row["references"][0], tokenizer, preset) for row in corpus.dataset)
    return [(list(pair[0][: PADDED[0]]), list(pair[1][: PADDED[1]])) for pair in found if pair]


def compiled(case: str, precision: str) -> Any:
    """Return a network under teacher forcing, ready to be fitted."""
    import keras

    from core.config import PRESETS
    from core.model.transformer import Transformer
    from core.training.loss import TeacherForcing

    keras.utils.set_random_seed(1)
    preset = PRESETS["dialoscope"]
    config = preset.model.replace(copy=False)
    model = from_layers(config, precision) if case == "keras.layers" else Transformer(config, dtype=precision)
    wrapped = TeacherForcing(model, preset.training.replace(precision=precision))
    wrapped.compile(optimizer=keras.optimizers.Adam(1e-4, global_clipnorm=1.0), steps_per_execution=8)
    return wrapped


def from_torch(batches: Any) -> Callable[[], object]:
    """Return what trains PyTorch's Transformer of the same shape on the batches once, with the same loss."""
    import torch
    from torch import nn

    from core.config import PRESETS, START

    config, training = PRESETS["dialoscope"].model, PRESETS["dialoscope"].training
    embedding = nn.Embedding(config.source_vocabulary, config.d_model)
    network = nn.Transformer(
        config.d_model, config.num_heads, config.encoder_layers, config.decoder_layers, config.feed_forward_dim,
        config.dropout, batch_first=True, norm_first=True,
    )  # fmt: skip
    places = nn.Parameter(torch.zeros(512, config.d_model), requires_grad=False)
    weights = [*embedding.parameters(), *network.parameters()]
    optimizer = torch.optim.Adam(weights, 1e-4)
    loss = nn.CrossEntropyLoss(ignore_index=0, label_smoothing=training.label_smoothing)

    def embed(ids: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(embedding(ids) * config.d_model**0.5 + places[: ids.shape[1]], config.dropout)

    def epoch() -> None:
        for number in range(len(batches)):
            (source, target), _ = batches[number]
            before = np.pad(target[:, :-1], ((0, 0), (1, 0)), constant_values=START)
            read, given, right = (torch.from_numpy(each).long() for each in (source, before, target))
            states = network(
                embed(read), embed(given),
                tgt_mask=nn.Transformer.generate_square_subsequent_mask(given.shape[1]), tgt_is_causal=True,
                src_key_padding_mask=read == 0, memory_key_padding_mask=read == 0,
            )  # fmt: skip
            optimizer.zero_grad()
            loss((states @ embedding.weight.T).flatten(0, 1), right.flatten()).backward()
            nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()

    return epoch


def in_pairs(data: str, rows: int, count: int) -> None:
    """Train three networks on the same batches in turn, in one process, and print the sign test."""
    from core.config import PRESETS
    from core.runtime.backend import stream
    from core.training.batches import Batches

    pairs = encoded(data, rows)
    batches = Batches(pairs, PRESETS["dialoscope"].training.batch_tokens, seed=1, epoch=1)
    runs: dict[str, Callable[[], object]] = {"PyTorch's Transformer": from_torch(batches)}
    for case in ("ours", "keras.layers"):
        wrapped = compiled(case, "float32")
        runs[case] = lambda w=wrapped: w.fit(stream(batches), epochs=1, shuffle=False, verbose=0)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(count + 1):
        for name in sorted(runs, reverse=bool(number % 2)):
            started = time.perf_counter()
            runs[name]()
            if number:
                seconds[name].append(time.perf_counter() - started)
    tokens = sum(len(source) + len(target) for source, target in pairs)
    for name, found in seconds.items():
        line = f"{name:24}{tokens / statistics.median(found):8.0f} tokens/s"
        if name != "ours":
            ratios = [other / mine for other, mine in zip(found, seconds["ours"], strict=True)]
            wins = sum(ratio > 1 for ratio in ratios)
            rare = sum(math.comb(count, k) for k in range(max(wins, count - wins), count + 1)) / 2 ** (count - 1)
            line += f"; ours is {statistics.median(ratios):.2f} x as fast ({min(ratios):.2f} to {max(ratios):.2f}), "
            line += f"faster in {wins} of {count}, sign test p = {min(1.0, rare):.3f}"
        print(line)


def alike(batches: Any) -> Any:
    """The same pairs, padded to one size, as many tokens in a batch."""
    import keras
    import numpy as np

    class Alike(keras.utils.PyDataset):
        inputs, wanted = batches.inputs, batches.wanted

        def __init__(self) -> None:
            super().__init__()
            self.pairs = batches.pairs
            self.count = batches.tokens // sum(PADDED)

        def __len__(self) -> int:
            return -(-len(self.pairs) // self.count)

        def __getitem__(self, index: int) -> Any:
            rows = self.pairs[index * self.count : (index + 1) * self.count]
            tables = [np.zeros((len(rows), width), dtype=np.int32) for width in PADDED]
            for number, row in enumerate(rows):
                for table, ids in zip(tables, row, strict=True):
                    table[number, : len(ids)] = ids
            return tuple(tables), tables[1]

    return Alike()


def from_layers(config: Any, precision: str) -> Any:
    """The network of `config`, pre-norm and without a copy head, of the layers that Keras ships."""
    import keras
    from keras import ops

    from core.model.masks import padding_mask, target_mask
    from core.model.positional import sinusoidal_encoding

    layers = keras.layers
    keras.config.set_dtype_policy(precision)

    class FeedForward(keras.Sequential):
        def __init__(self) -> None:
            super().__init__(
                [
                    layers.Dense(config.feed_forward_dim, activation="relu"),
                    layers.Dropout(config.dropout),
                    layers.Dense(config.d_model),
                ]
            )

    class Block(layers.Layer):
        def __init__(self, attentions: int) -> None:
            super().__init__()
            self.attentions = [
                layers.MultiHeadAttention(config.num_heads, config.key_dim, dropout=config.attention_dropout)
                for _ in range(attentions)
            ]
            self.norms = [layers.LayerNormalization(epsilon=1e-6) for _ in range(attentions + 1)]
            self.drops = [layers.Dropout(config.dropout) for _ in range(attentions + 1)]
            self.feed_forward = FeedForward()

        def call(self, x: Any, masks: Any, memory: Any = None, training: bool = False) -> Any:
            for number, (attention, mask) in enumerate(zip(self.attentions, masks, strict=True)):
                query = self.norms[number](x)
                value = memory if number else query
                output = attention(query, value, attention_mask=mask, training=training)
                x = x + self.drops[number](output, training=training)
            output = self.feed_forward(self.norms[-1](x), training=training)
            return x + self.drops[-1](output, training=training)

    class FromLayers(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = layers.Embedding(config.source_vocabulary, config.d_model)
            self.drop = layers.Dropout(config.dropout)
            self.encoder = [Block(1) for _ in range(config.encoder_layers)]
            self.decoder = [Block(2) for _ in range(config.decoder_layers)]
            self.norms = [layers.LayerNormalization(epsilon=1e-6) for _ in range(2)]

        def embed(self, ids: Any, training: bool) -> Any:
            table = sinusoidal_encoding(512, config.d_model)
            vectors = self.embedding(ids) * config.d_model**0.5
            places = ops.cast(ops.convert_to_tensor(table), vectors.dtype)[: ops.shape(ids)[1]]
            return self.drop(vectors + places, training=training)

        def encode(self, source: Any, training: bool = False) -> Any:
            x, mask = self.embed(source, training), padding_mask(source)[:, 0]
            for block in self.encoder:
                x = block(x, [mask], training=training)
            return SimpleNamespace(source=source, states=self.norms[0](x), mask=mask)

        def decode(self, target: Any, encoded: Any, training: bool = False) -> Any:
            x, mask = self.embed(target, training), target_mask(target)[:, 0]
            for block in self.decoder:
                x = block(x, [mask, encoded.mask], encoded.states, training=training)
            return self.norms[1](x)

        def target_scores(self, decoded: Any, source: Any, target: Any) -> dict[str, Any]:
            table = ops.cast(self.embedding.embeddings, decoded.dtype)
            logits = ops.cast(ops.matmul(decoded, ops.transpose(table)), "float32")
            total = ops.logsumexp(logits, axis=-1)
            chosen = ops.take_along_axis(logits, target[..., None], axis=-1)[..., 0]
            return {"target": chosen - total, "smooth": ops.mean(logits, axis=-1) - total}

    model = FromLayers()
    ids = ops.ones((1, 4), dtype="int32")
    model.decode(ids, model.encode(ids))
    model.built = True
    return model


def main() -> None:
    """Run every case in a process of its own, in turns, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--rows", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--case", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.pairs:
        in_pairs(arguments.data, arguments.rows, arguments.pairs)
        return
    if arguments.case:
        print(json.dumps(measure(arguments.data, arguments.rows, *arguments.case)))
        return
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    for _ in range(arguments.rounds):
        for precision in PRECISIONS:
            for case in CASES:
                words = [sys.executable, __file__, arguments.data, "--rows", str(arguments.rows)]
                words += ["--case", case, precision]
                result = subprocess.run(words, stdout=subprocess.PIPE, check=True)
                found.setdefault((precision, case), []).append(json.loads(result.stdout.splitlines()[-1]))
    print(f"{'':16}{'':14}{'tokens/s':>10}{'ours is':>10}{'MB':>8}{'parameters':>12}")
    for precision in PRECISIONS:
        best = max(each["tokens_per_second"] for each in found[precision, "ours"])
        for case in CASES:
            rows = found[precision, case]
            speed = max(each["tokens_per_second"] for each in rows)
            memory = max(each["megabytes"] for each in rows)
            ratio = f"{best / speed:.2f} x"
            print(f"{precision:16}{case:14}{speed:10.0f}{ratio:>10}{memory:8.0f}{rows[0]['parameters']:12,}")


if __name__ == "__main__":
    main()
