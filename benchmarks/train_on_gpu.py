"""Train the recipe of `dialoscope` on a GPU with JAX: two seeds side by side, in minutes.

    python benchmarks/train_on_gpu.py prepare DATA VALIDATION BEGUN PAIRS
    KERAS_BACKEND=jax python benchmarks/train_on_gpu.py train PAIRS BEGUN OUTPUT [--seeds 1 0]

BEGUN is what `python -m core begin` made. `prepare` encodes every epoch: what `train --augment` reads, and what
`refine --candidates wrong --wrong 4` contrasts. `train` needs Keras, JAX, safetensors, tokenizers and Babel, so it runs
where no library for corpora is; OUTPUT gets a folder of each seed with its weights in half precision and its history.

The same commands of `python -m core` would do, but `fit` compiles a program for every shape of a batch, half a minute
each. Here batches have one of three shapes a stage, a call makes four updates, and one program trains all seeds
(`jax.vmap`).
"""

import argparse
import io
import json
import lzma
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from core.config import PRESETS, ModelConfig, TrainConfig
from core.training.risk import ABSENT

WRONG = 4
"""Most wrong summaries of a dialogue."""
UPDATES = 4
"""Updates of a call."""
FULL = 0.88
"""Mean share of a batch that is no padding, by which its rows are counted."""
MIXED = 40
"""Tokens by which lengths are blurred before batches are cut: they mix more than neighbours."""
BASE = PRESETS["minilm"].training.replace(batch_tokens=3000)


class Recipe(NamedTuple):
    """A stage of the training.

    Args:
        training: its settings.
        shapes: source and target positions of a batch, rising; what fits in none is cut to the last.
        targets: targets of a dialogue.
    """

    training: TrainConfig
    shapes: tuple[tuple[int, int], ...]
    targets: int

    def rows(self, shape: int) -> int:
        """Return the number of dialogues of a batch of that shape."""
        source, target = self.shapes[shape]
        return max(1, round(self.training.batch_tokens / (FULL * (source + target * self.targets))))


STAGES = {
    "train": Recipe(
        BASE.replace(epochs=8, augment=True, learning_rate=4.5e-4, warmup_steps=150, encoder_rate=0.35),
        ((144, 48), (256, 64), (512, 96)),
        1,
    ),
    "contrast": Recipe(
        BASE.replace(
            epochs=3, learning_rate=2.5e-4, warmup_steps=100, average=0.98, risk=1.0, guided_copy=0.0, weight_decay=0.0
        ),
        ((144, 48), (256, 64), (512, 80)),
        1 + WRONG,
    ),
}

Row = tuple[NDArray[np.uint16], Sequence[NDArray[np.uint16]]]
"""A source, and its targets: the reference first, then wrong ones."""
Batch = tuple[tuple[NDArray[np.int32], NDArray[np.int32]], NDArray[Any]]
"""Sources, targets, and labels of the loss; each begins with the axes of updates and of seeds."""


def prepare(data: str, validation: str, begun: Path, output: Path, seeds: Sequence[int]) -> None:
    """Encode all epochs of all seeds."""
    from dataclasses import replace

    from core import checkpoints
    from core.text.corpus import load_corpus
    from core.training.recipes import examples as encoding
    from core.training.recipes.contrast import contrasted

    start = checkpoints.read(begun)
    preset = encoding.fitted(replace(PRESETS["minilm"], model=start.config), start.tokenizer)
    corpus = load_corpus(data)
    examples = encoding.encode_examples(corpus, start.tokenizer, preset)
    held_out = encoding.encode_examples(load_corpus(validation), start.tokenizer, preset)
    kept = {"validation": [list(each.pair) for each in held_out]}
    kept["contrast"] = [
        [row.source, row.target, *row.candidates] for row in contrasted(corpus, start.tokenizer, preset, WRONG)
    ]
    for seed in seeds:
        training = STAGES["train"].training.replace(seed=seed)
        made = encoding.training_pairs(examples, start.tokenizer, replace(preset, training=training))
        epochs = [made(epoch) if callable(made) else made for epoch in range(1, training.epochs + 1)]
        # The versions of a dialogue side by side: they hardly differ, and are packed into the room of one.
        kept[f"train{seed}"] = [[ids for pair in versions for ids in pair] for versions in zip(*epochs, strict=True)]
    arrays: dict[str, Any] = {}
    for name, rows in kept.items():
        parts = [np.asarray(ids, dtype=np.uint16) for row in rows for ids in row]
        arrays[f"{name}/counts"] = np.array([len(row) for row in rows], dtype=np.uint8)
        arrays[f"{name}/lengths"] = np.array([len(ids) for ids in parts], dtype=np.uint16)
        arrays[f"{name}/ids"] = np.concatenate(parts)
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    output.write_bytes(lzma.compress(packed.getvalue()))


def unpacked(path: Path) -> dict[str, list[list[NDArray[np.uint16]]]]:
    """Read what `prepare` kept: of each set its rows of ids."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as arrays:
        found = {}
        for name in {each.rpartition("/")[0] for each in arrays.files}:
            parts = np.split(arrays[f"{name}/ids"], np.cumsum(arrays[f"{name}/lengths"], dtype=np.int64)[:-1])
            ends = np.cumsum(arrays[f"{name}/counts"], dtype=np.int64)
            found[name] = [parts[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    return found


def epoch_rows(sets: dict[str, list[list[NDArray[np.uint16]]]], stage: str, seed: int, epoch: int) -> list[Row]:
    """Return the rows of an epoch, from 1."""
    if stage == "train":
        return [(row[2 * epoch - 2], row[2 * epoch - 1 : 2 * epoch]) for row in sets[f"train{seed}"]]
    return [(row[0], row[1:]) for row in sets[stage]]


def groups(recipe: Recipe, rows: Sequence[Row], random: np.random.Generator) -> list[list[list[int]]]:
    """Put rows together for calls: of each shape its calls, each the numbers of its rows.

    What is left over of a shape goes to the next one, and what is left of the last one is not read in this epoch.
    """
    free, found = list(range(len(rows))), []
    for number, (source, target) in enumerate(recipe.shapes):
        last = number == len(recipe.shapes) - 1
        fits = [
            row for row in free if last or len(rows[row][0]) <= source and max(map(len, rows[row][1])) <= target
        ]  # fmt: skip
        size = recipe.rows(number) * UPDATES
        taken = random.permutation(fits)[: len(fits) // size * size].tolist()
        free = sorted(set(free) - set(taken))
        taken.sort(key=lambda row: len(rows[row][0]) + random.uniform(0, MIXED))
        found.append([taken[start : start + size] for start in range(0, len(taken), size)])
        random.shuffle(found[-1])
    return found


def filled(recipe: Recipe, shape: int, rows: Sequence[Row], chosen: Sequence[int], updates: int) -> Batch:
    """Pad the rows of a call: sources [U, B, S], targets [U, B * R, T], and labels, `target` or merits [U, B, R]."""
    (source, target), count = recipe.shapes[shape], recipe.targets
    batch = len(chosen) // updates
    sources = np.zeros((updates, batch, source), dtype=np.int32)
    targets = np.zeros((updates, batch, count, target), dtype=np.int32)
    merits = np.full((updates, batch, count), ABSENT, dtype=np.float32)
    for place, row in enumerate(chosen):
        at = divmod(place, batch)
        ids, written = rows[row]
        sources[at][: len(ids)] = ids[:source]
        for number, each in enumerate(written[:count]):
            targets[at][number, : len(each)] = each[:target]
        if len(written) > 1:
            merits[at][: len(written)] = [1.0, *[0.0] * (len(written[:count]) - 1)]
    flat = targets.reshape(updates, batch * count, target)
    return (sources, flat), (flat if count == 1 else merits)


def calls(
    recipe: Recipe, both: Sequence[Sequence[Row]], seeds: Sequence[int], epoch: int
) -> Iterator[tuple[int, Batch]]:
    """Yield the calls of an epoch: the shape's number, and the batches of all seeds [U, seeds, …]."""
    randoms = [np.random.default_rng([seed, epoch]) for seed in seeds]
    made = [groups(recipe, rows, random) for rows, random in zip(both, randoms, strict=True)]
    plan = [
        (shape, each)
        for shape in range(len(recipe.shapes))
        for each in zip(*(own[shape] for own in made), strict=False)
    ]
    for place in randoms[0].permutation(len(plan)):
        shape, chosen = plan[place]
        parts = [filled(recipe, shape, rows, own, UPDATES) for rows, own in zip(both, chosen, strict=True)]
        (sources, targets), labels = zip(*(part[0] for part in parts), strict=True), [part[1] for part in parts]
        yield shape, ((np.stack(sources, 1), np.stack(targets, 1)), np.stack(labels, 1))


class Stage:
    """The programs of a stage, compiled for each shape in the background.

    Args:
        name: of the stage.
        config: the model's shape.
        sets: from `unpacked`.
        seeds: which are trained.
        pool: compiles.
    """

    def __init__(
        self, name: str, config: ModelConfig, sets: Any, seeds: Sequence[int], pool: ThreadPoolExecutor
    ) -> None:
        import jax
        import keras

        from core.model import families
        from core.training import loop
        from core.training.loss import TeacherForcing
        from core.training.risk import MinimumRisk

        self.name, self.recipe, self.sets, self.seeds = name, STAGES[name], sets, seeds
        training = self.recipe.training
        network = families.build(config, dtype=training.precision)
        first: Any = epoch_rows(sets, name, seeds[0], 1)
        content = loop._content_ids([(source, targets[0]) for source, targets in first], config.target_vocabulary)
        self.model: Any = (MinimumRisk if training.risk else TeacherForcing)(network, training, content)
        found = groups(self.recipe, first, np.random.default_rng(0))
        self.updates = UPDATES * sum(map(len, found))
        steps: Any = SimpleNamespace(steps=lambda epochs: self.updates * epochs)
        self.model.compile(optimizer=loop._optimizer(config, training, steps))
        self.model.optimizer.build(self.model.trainable_variables)
        model, optimizer = self.model, self.model.optimizer
        self.variables = (
            *(model.trainable_variables, model.non_trainable_variables),
            *(optimizer.variables, model.metrics_variables),
        )
        places = {id(variable): place for place, variable in enumerate(optimizer.variables)}
        self.averages = [places[id(each)] for each in optimizer._model_variables_moving_average]
        self.guidance = next(i for i, each in enumerate(model.non_trainable_variables) if each is model.guidance)

        def update(state: Any, batch: Any) -> Any:
            logs, state = model.train_step(state, batch)
            return state, logs["token_loss"]

        def call(state: Any, batches: Any) -> Any:
            return jax.lax.scan(jax.vmap(update), state, batches)

        def score(weights: Any, others: Any, source: Any, target: Any) -> Any:
            values = [*zip(self.variables[0], weights, strict=True), *zip(self.variables[1], others, strict=True)]
            with keras.StatelessScope(state_mapping=values):
                found = TeacherForcing.call(model, (source, target))["target"]
            keep = (target != 0).astype("float32")
            return (found * keep).sum(), keep.sum()

        self.score = jax.jit(score)
        program = jax.jit(call, donate_argnums=0)
        state = tuple(
            [jax.ShapeDtypeStruct((len(seeds), *each.shape), each.value.dtype) for each in part]
            for part in self.variables
        )
        self.programs: list[Future[Any]] = []
        for shape in range(len(self.recipe.shapes)):
            like = filled(self.recipe, shape, first, range(self.recipe.rows(shape) * UPDATES), UPDATES)
            batch = jax.tree.map(
                lambda x: jax.ShapeDtypeStruct((x.shape[0], len(seeds), *x.shape[1:]), x.dtype), like
            )  # fmt: skip
            self.programs.append(pool.submit(program.lower(state, batch).compile))

    def begin(self, weights: Sequence[dict[str, NDArray[Any]]]) -> Any:
        """Return the state before the first update, every tensor with the axis of seeds."""
        import jax.numpy as jnp

        states = []
        for seed, own in zip(self.seeds, weights, strict=True):
            parts = [[np.asarray(variable.value) for variable in part] for part in self.variables]
            parts[0] = [own[variable.path].astype(np.float32) for variable in self.variables[0]]
            for place, variable in enumerate(self.variables[1]):
                if "seed" in variable.path:  # dropout
                    parts[1][place] = np.array([seed, place], dtype=parts[1][place].dtype)
            for place, value in zip(self.averages, parts[0], strict=True):
                parts[2][place] = value
            states.append(parts)
        return tuple(
            [jnp.array(np.stack([parts[kind][place] for parts in states])) for place in range(len(part))]
            for kind, part in enumerate(self.variables)
        )

    def run(
        self, weights: Sequence[dict[str, NDArray[Any]]], held_out: Sequence[Row]
    ) -> tuple[list[dict[str, NDArray[Any]]], list[list[dict[str, float]]]]:
        """Train every epoch; return the averaged weights of each seed, and their histories."""
        import jax.numpy as jnp

        from core.training.loop import GUIDED_SHARE

        training, state = self.recipe.training, self.begin(weights)
        histories: list[list[dict[str, float]]] = [[] for _ in self.seeds]
        for epoch in range(1, training.epochs + 1):
            started, losses = time.perf_counter(), []
            weight = training.guided_copy if epoch - 1 < training.epochs * GUIDED_SHARE else 0.0
            state[1][self.guidance] = jnp.full(len(self.seeds), weight, dtype=state[1][self.guidance].dtype)
            both = [epoch_rows(self.sets, self.name, seed, epoch) for seed in self.seeds]
            for shape, batch in calls(self.recipe, both, self.seeds, epoch):
                state, loss = self.programs[shape].result()(state, batch)
                losses.append(loss[-1])  # a running mean of the epoch
            seconds = time.perf_counter() - started
            for number, history in enumerate(histories):
                row = {
                    "train_loss": float(losses[-1][number]),
                    "validation_loss": self.validate(state, number, held_out),
                }
                history.append({"epoch": epoch, **row, "learning_rate": self.rate(epoch), "seconds": seconds})
                print(f"{self.name}, seed {self.seeds[number]}: {history[-1]}", file=sys.stderr, flush=True)
            state[3][:] = [jnp.zeros_like(each) for each in state[3]]
        averaged = [
            {
                variable.path: np.asarray(state[2][place][number])
                for variable, place in zip(self.variables[0], self.averages, strict=True)
            }
            for number in range(len(self.seeds))
        ]
        return averaged, histories

    def rate(self, epoch: int) -> float:
        """Return the learning rate after an epoch."""
        return float(self.model.optimizer._learning_rate(self.updates * epoch - 1))

    def validate(self, state: Any, seed: int, rows: Sequence[Row], batch: int = 61) -> float:
        """Return the validation loss of the averaged weights of a seed, in nats a token."""
        recipe = Recipe(self.recipe.training, ((512, 96),), 1)
        order = sorted(range(len(rows)), key=lambda row: len(rows[row][0]))
        weights, total, count = [state[2][place][seed] for place in self.averages], 0.0, 0.0
        for start in range(0, len(order), batch):
            (source, target), _ = filled(recipe, 0, rows, order[start : start + batch], 1)
            found, tokens = self.score(weights, [each[seed] for each in state[1]], source[0], target[0])
            total, count = total + float(found), count + float(tokens)
        return -total / max(count, 1.0)


def train(pairs: Path, begun: Path, output: Path, seeds: Sequence[int]) -> None:
    """Train all stages, and write of each seed its weights and its history."""
    from safetensors.numpy import load_file, save_file

    from core import checkpoints

    sets = unpacked(pairs)
    config = ModelConfig.from_dict(json.loads((begun / "config.json").read_text(encoding="utf-8")))
    started, pool = time.perf_counter(), ThreadPoolExecutor(8)
    stages = [Stage(name, config, sets, seeds, pool) for name in STAGES]
    weights = [load_file(begun / "weights.safetensors")] * len(seeds)
    histories: list[list[dict[str, float]]] = [[] for _ in seeds]
    for stage in stages:
        weights, rows = stage.run(weights, epoch_rows(sets, "validation", 0, 1))
        for history, more in zip(histories, rows, strict=True):
            history += [{**row, "epoch": len(history) + row["epoch"]} for row in more]
    for seed, own, history in zip(seeds, weights, histories, strict=True):
        folder = output / f"seed{seed}"
        folder.mkdir(parents=True, exist_ok=True)
        save_file({path: np.ascontiguousarray(each, np.float16) for path, each in own.items()},
                  folder / "weights.safetensors")  # fmt: skip
        checkpoints.write_history(folder / "history.csv", history)
    print(f"{math.ceil(time.perf_counter() - started)} s for {len(seeds)} seeds", file=sys.stderr)


def main() -> None:
    """Prepare the data, or train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command, names in (
        ("prepare", ("data", "validation", "begun", "pairs")),
        ("train", ("pairs", "begun", "output")),
    ):
        own = commands.add_parser(command)
        for name in names:
            own.add_argument(name, type=str if name in ("data", "validation") else Path)
        own.add_argument("--seeds", type=int, nargs="+", default=[1, 0])
    told = parser.parse_args()
    if told.command == "prepare":
        prepare(told.data, told.validation, told.begun, told.pairs, told.seeds)
    elif os.environ.get("KERAS_BACKEND") != "jax":
        parser.error("train needs KERAS_BACKEND=jax")
    else:
        train(told.pairs, told.begun, told.output, told.seeds)


if __name__ == "__main__":
    main()
