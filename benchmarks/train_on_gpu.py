"""Train the recipe of `dialoscope` on a GPU with JAX: two seeds side by side, in minutes.

    python benchmarks/train_on_gpu.py prepare DATA VALIDATION BEGUN PAIRS [--pretraining FOLDER]
    KERAS_BACKEND=jax python benchmarks/train_on_gpu.py train PAIRS BEGUN OUTPUT [--seeds 1 0] [--epochs train=9]
    python benchmarks/train_on_gpu.py mean OUTPUT CHECKPOINT=1 CHECKPOINT=3
    python benchmarks/train_on_gpu.py chats DATA OUTPUT --seed 7 [--share 0.65] [--groups 0.6] [--facts 3300]

BEGUN is what `python -m core begin` made. `prepare` encodes every version of each dialogue: as it is, augmented,
rewritten as a chat, and with the wrong summaries that the last stage contrasts; FOLDER holds other dialogues with
which the decoder reads English first. `train` needs Keras, JAX, safetensors, tokenizers and Babel, so it runs where no
library for corpora is; OUTPUT gets a folder of each seed with its history and its weights in half precision, the last
ones of each stage, of the first seed those of every epoch. `mean` writes the weighted mean of checkpoints that began
alike (Wortsman et al. 2022, "model soups"), with the history of the last one. `chats` rewrites a corpus, and adds
chats of two to five people that are made from facts.

`fit` compiles a program for every shape of a batch, half a minute each. Here batches have one of three shapes a stage,
a call makes four updates, and one program trains all seeds (`jax.vmap`).
"""

import argparse
import io
import json
import lzma
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from core.config import PRESETS, ModelConfig, TrainConfig
from core.training.risk import ABSENT

WRONG = 5
"""Most wrong summaries of a dialogue."""
SUMMARISED, TOLD, LONGEST = ("crd3.jsonl.gz", "mts_dialog.jsonl.gz"), "dailydialog.jsonl.gz", 430
"""Files of the pre-training: dialogues with summaries, of which those with at most so many words are read; others."""
_PACKING = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 1, "pb": 1, "dict_size": 1 << 26}]
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
    "pretrain": Recipe(
        BASE.replace(epochs=1, learning_rate=4.5e-4, warmup_steps=150, encoder_rate=0.35),
        ((144, 48), (256, 64), (512, 96)),
        1,
    ),
    "train": Recipe(
        BASE.replace(epochs=7, augment=True, learning_rate=4.5e-4, warmup_steps=150, encoder_rate=0.35),
        ((144, 48), (256, 64), (512, 96)),
        1,
    ),
    "contrast": Recipe(
        BASE.replace(
            epochs=1,
            batch_tokens=4000,
            learning_rate=2.5e-4,
            warmup_steps=100,
            average=0.98,
            risk=1.0,
            guided_copy=0.0,
            weight_decay=0.0,
        ),
        ((144, 56), (256, 72), (512, 96)),
        1 + WRONG,
    ),
}

Row = tuple[NDArray[np.uint16], Sequence[NDArray[np.uint16]]]
"""A source, and its targets: the reference first, then wrong ones."""
Batch = tuple[tuple[NDArray[np.int32], NDArray[np.int32]], NDArray[Any]]
"""Sources, targets, and labels of the loss; each begins with the axes of updates and of seeds."""


def prepare(told: argparse.Namespace) -> None:
    """Encode what every stage reads: all versions of each dialogue."""
    import multiprocessing
    from dataclasses import replace

    from benchmarks.chats.mixture import Maker
    from core import checkpoints
    from core.text.corpus import load_corpus
    from core.training.recipes import examples as encoding

    start = checkpoints.read(told.begun)
    preset = encoding.fitted(replace(PRESETS["minilm"], model=start.config), start.tokenizer)
    held_out = encoding.encode_examples(load_corpus(told.validation, limit=told.limit), start.tokenizer, preset)
    kept = {"validation": [list(each.pair) for each in held_out]}
    maker = Maker(load_corpus(told.data, limit=told.limit), start.tokenizer, preset, wrong=WRONG)
    _Worker.work = maker
    with multiprocessing.get_context("fork").Pool(told.workers) as pool:
        made = []
        for row in pool.imap(_work, range(len(maker.examples)), chunksize=32):
            made.append(row)
            if len(made) % 1000 == 0:
                print(f"{len(made)} dialogues", file=sys.stderr, flush=True)
    kept["plain"] = [[ids for pair in row.plain for ids in pair] for row in made]
    kept["chats"] = [[ids for pair in row.chats for ids in pair] for row in made]
    for number, name in enumerate(("judged", "judged_chats")):
        kept[name] = [
            [each.source, each.target, *each.candidates] for row in made for each in [row.judged[-1 * number]]
        ]
    if told.pretraining:
        kept["pretrain"] = [list(pair) for pair in reading(told, start.tokenizer, preset.model, maker.examples)]
    arrays: dict[str, Any] = {}
    for name, rows in kept.items():
        parts = [np.asarray(ids, dtype=np.uint16) for row in rows for ids in row]
        arrays[f"{name}/counts"] = np.array([len(row) for row in rows], dtype=np.uint8)
        arrays[f"{name}/lengths"] = np.array([len(ids) for ids in parts], dtype=np.uint16)
        arrays[f"{name}/ids"] = np.concatenate(parts)
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    told.pairs.write_bytes(lzma.compress(packed.getvalue(), filters=_PACKING))


class _Worker:
    """What a process that was forked works with."""

    work: Any = None


def _work(place: int) -> Any:
    return _Worker.work(place)


def names_of(text: str) -> set[str]:
    """Return the words of a text that begin with a capital or a digit, in small letters."""
    return {word.casefold() for word in re.findall(r"\w+", text) if not word[0].islower()}


def reading(told: argparse.Namespace, tokenizer: Any, config: ModelConfig, examples: Sequence[Any]) -> list[Any]:
    """Return pairs to learn to write English from: other summaries of dialogues, and dialogues with gaps."""
    from core.text.corpus import load_corpus
    from core.training.denoising import LONGER, Denoising
    from core.training.recipes.examples import encode_dialogues, encode_pair

    preset, pairs = SimpleNamespace(model=config), []
    for name in SUMMARISED:
        for row in load_corpus(told.pretraining / name, limit=told.limit).dataset:
            summary = row["references"][0]
            if len(row["dialogue"].split()) > LONGEST or not 5 < len(summary.split()) < 75:
                continue
            if not names_of(summary) <= set(
                re.findall(r"\w+", row["dialogue"].casefold())
            ):  # it tells what is not there
                continue
            pair: Any = encode_pair(row["dialogue"], summary, tokenizer, preset)  # type: ignore[arg-type]
            if pair and len(pair[0]) < config.max_source_length:
                pairs.append(pair)
    room = config.max_source_length - LONGER
    told_only = load_corpus(told.pretraining / TOLD, require_summaries=False, limit=told.limit)
    dialogues = [*encode_dialogues(told_only, tokenizer, room), *(each.pair[0] for each in examples)]
    return [*pairs, *Denoising(dialogues, tokenizer, config.max_target_length)(1)]


def unpacked(path: Path) -> dict[str, list[list[NDArray[np.uint16]]]]:
    """Read what `prepare` kept: of each set its rows of ids."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as arrays:
        found = {}
        for name in {each.rpartition("/")[0] for each in arrays.files}:
            parts = np.split(arrays[f"{name}/ids"], np.cumsum(arrays[f"{name}/lengths"], dtype=np.int64)[:-1])
            ends = np.cumsum(arrays[f"{name}/counts"], dtype=np.int64)
            found[name] = [parts[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    return found


class Data:
    """What `prepare` kept, as each epoch reads it.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        from benchmarks.chats.mixture import Versions
        from core.training.risk import Judged

        self.sets = unpacked(path)
        judged = ([Judged(row[0], row[1], row[2:]) for row in self.sets[name]] for name in ("judged", "judged_chats"))
        self.versions = [
            Versions(_pairs(plain), _pairs(chats), both)
            for plain, chats, both in zip(
                self.sets["plain"], self.sets["chats"], zip(*judged, strict=True), strict=True
            )
        ]

    def rows(self, stage: str, seed: int, epoch: int, epochs: int) -> list[Row]:
        """Return the rows of an epoch, from 1."""
        from benchmarks.chats import mixture

        if stage == "train":
            return [(source, [target]) for source, target in mixture.mixed(self.versions, epoch, epochs, seed)]
        if stage == "contrast":
            chosen = mixture.mixed_judged(self.versions, epoch, seed)
            return [(row.source, [row.target, *row.candidates]) for row in chosen]
        return [(row[0], row[1:2]) for row in self.sets[stage]]


def _pairs(row: list[NDArray[np.uint16]]) -> list[Any]:
    return list(zip(row[::2], row[1::2], strict=True))


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
        recipe: its settings and shapes.
        config: the model's shape.
        data: what is read.
        seeds: which are trained.
        pool: compiles.
    """

    def __init__(
        self,
        name: str,
        recipe: Recipe,
        config: ModelConfig,
        data: Data,
        seeds: Sequence[int],
        pool: ThreadPoolExecutor,
    ) -> None:
        import jax
        import keras

        from core.model import families
        from core.training import loop
        from core.training.loss import TeacherForcing
        from core.training.risk import MinimumRisk

        self.name, self.recipe, self.data, self.seeds = name, recipe, data, seeds
        training = self.recipe.training
        network = families.build(config, dtype=training.precision)
        first: Any = data.rows(name, seeds[0], 1, training.epochs)
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
        self,
        weights: Sequence[dict[str, NDArray[Any]]],
        held_out: Sequence[Row],
        keep: Callable[[int, Callable[[int], dict[str, NDArray[Any]]]], None],
        most: int | None = None,
    ) -> tuple[list[dict[str, NDArray[Any]]], list[list[dict[str, float]]]]:
        """Train every epoch; return the averaged weights of each seed, and their histories.

        Args:
            weights: of each seed at the beginning.
            held_out: rows of the validation loss.
            keep: is called after each epoch with its number and with what returns the averaged weights of a seed.
            most: calls of an epoch; None makes all.
        """
        import jax.numpy as jnp

        from core.training.loop import GUIDED_SHARE

        training, state = self.recipe.training, self.begin(weights)
        histories: list[list[dict[str, float]]] = [[] for _ in self.seeds]
        for epoch in range(1, training.epochs + 1):
            started, losses = time.perf_counter(), []
            weight = training.guided_copy if epoch - 1 < training.epochs * GUIDED_SHARE else 0.0
            state[1][self.guidance] = jnp.full(len(self.seeds), weight, dtype=state[1][self.guidance].dtype)
            both = [self.data.rows(self.name, seed, epoch, training.epochs) for seed in self.seeds]
            for shape, batch in islice(calls(self.recipe, both, self.seeds, epoch), most):
                state, loss = self.programs[shape].result()(state, batch)
                losses.append(loss[-1])  # a running mean of the epoch
            losses[-1].block_until_ready()
            seconds = time.perf_counter() - started
            for number, history in enumerate(histories):
                row = {
                    "train_loss": float(losses[-1][number]),
                    "validation_loss": self.validate(state, number, held_out),
                }
                history.append({"epoch": epoch, **row, "learning_rate": self.rate(epoch), "seconds": seconds})
                print(f"{self.name}, seed {self.seeds[number]}: {history[-1]}", file=sys.stderr, flush=True)
            keep(epoch, partial(self.averaged, state))
            state[3][:] = [jnp.zeros_like(each) for each in state[3]]
        return [self.averaged(state, number) for number in range(len(self.seeds))], histories

    def averaged(self, state: Any, number: int) -> dict[str, NDArray[Any]]:
        """Return the averaged weights of a seed."""
        return {
            variable.path: np.asarray(state[2][place][number])
            for variable, place in zip(self.variables[0], self.averages, strict=True)
        }

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


def train(told: argparse.Namespace) -> None:
    """Train all stages; write of each seed its history, and the weights of each epoch."""
    from safetensors.numpy import load_file

    from core import checkpoints

    data, seeds = Data(told.pairs), told.seeds
    epochs = dict(each.split("=") for each in told.epochs)
    recipes = {
        name: recipe._replace(training=recipe.training.replace(epochs=int(epochs.get(name, recipe.training.epochs))))
        for name, recipe in STAGES.items()
        if name in data.sets or name != "pretrain"
        if epochs.get(name) != "0"
    }
    config = ModelConfig.from_dict(json.loads((told.begun / "config.json").read_text(encoding="utf-8")))
    started, pool = time.perf_counter(), ThreadPoolExecutor(9)
    stages = [Stage(name, recipe, config, data, seeds, pool) for name, recipe in recipes.items()]
    weights = [load_file(told.begun / "weights.safetensors")] * len(seeds)
    histories: list[list[dict[str, float]]] = [[] for _ in seeds]
    for stage in stages:

        def keep(epoch: int, averaged: Callable[[int], dict[str, NDArray[Any]]], stage: Stage = stage) -> None:
            for number, seed in enumerate(seeds):
                if number == 0 or epoch == stage.recipe.training.epochs:  # the time-lapse is of the first seed
                    write(told.output / f"seed{seed}" / f"{stage.name}{epoch}.safetensors", averaged(number))

        weights, rows = stage.run(weights, data.rows("validation", 0, 1, 1), keep, told.calls)
        for seed, history, more in zip(seeds, histories, rows, strict=True):
            history += [{**row, "epoch": len(history) + row["epoch"]} for row in more]
            checkpoints.write_history(told.output / f"seed{seed}" / "history.csv", history)
    print(f"{math.ceil(time.perf_counter() - started)} s for {len(seeds)} seeds", file=sys.stderr)


def write(path: Path, weights: dict[str, NDArray[Any]]) -> None:
    """Write weights in half precision; no file is left half written."""
    from safetensors.numpy import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    half = {name: np.ascontiguousarray(each, np.float16) for name, each in weights.items()}
    save_file(half, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def mean(told: argparse.Namespace) -> None:
    """Write the weighted mean of checkpoints."""
    from core import checkpoints

    parts = [(checkpoints.read(name), float(share)) for name, _, share in (each.rpartition("=") for each in told.parts)]
    total = sum(share for _, share in parts)
    last = parts[-1][0]
    weights = {
        name: sum(np.asarray(each.weights[name], np.float32) * (share / total) for each, share in parts)
        for name in last.weights
    }
    checkpoints.write(told.output, last.config, last.tokenizer, weights, last.history, last.card)


def rewritten(told: argparse.Namespace) -> None:
    """Write a corpus as chats, and chats made from facts.

    Dialogues that cannot be rewritten are left out, or stay as they are with --share.
    """
    from benchmarks.chats.facts import doings, group_chat
    from benchmarks.chats.rewriting import rewrite, small_talk
    from core.text.corpus import load_corpus

    rows = list(load_corpus(told.data).dataset)
    talk = small_talk(row["dialogue"] for row in rows)
    doing = doings(text for row in rows for text in (row["references"][0], row["dialogue"])) if told.facts else []
    with told.output.open("w", encoding="utf-8") as file:
        for place, row in enumerate(rows):
            random = np.random.default_rng([told.seed, place, 0])
            plain = {"dialogue": row["dialogue"], "summary": row["references"][0]}
            chat = rewrite(*plain.values(), random, talk, told.groups)
            if told.share is None and chat is None:
                continue
            as_chat = chat is not None and (told.share is None or random.random() < told.share)
            text = chat._asdict() if chat and as_chat else plain
            file.write(json.dumps({"id": row["id"], **text}, ensure_ascii=False) + "\n")
        for place in range(told.facts):
            chat = group_chat(doing, np.random.default_rng([told.seed, place, 1]), talk)
            if chat is not None:
                file.write(json.dumps({"id": f"facts_{place}", **chat._asdict()}, ensure_ascii=False) + "\n")


def main() -> None:
    """Prepare the data, or train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    own = commands.add_parser("prepare")
    for name in ("data", "validation"):
        own.add_argument(name)
    for name in ("begun", "pairs"):
        own.add_argument(name, type=Path)
    own.add_argument("--pretraining", type=Path, help="folder of other dialogues")
    own.add_argument("--workers", type=int, default=os.cpu_count())
    own.add_argument("--limit", type=int, help="dialogues of each file")
    own = commands.add_parser("train")
    for name in ("pairs", "begun", "output"):
        own.add_argument(name, type=Path)
    own.add_argument("--seeds", type=int, nargs="+", default=[1, 0])
    own.add_argument("--epochs", nargs="*", default=[], help="such as train=9 contrast=3; 0 leaves a stage out")
    own.add_argument("--calls", type=int, help="most calls of an epoch: a trial")
    own = commands.add_parser("mean")
    own.add_argument("output", type=Path)
    own.add_argument("parts", nargs="+", help="folder=share")
    own = commands.add_parser("chats")
    own.add_argument("data")
    own.add_argument("output", type=Path)
    own.add_argument("--seed", type=int, default=7)
    own.add_argument("--share", type=float, help="of the dialogues that are rewritten; the others stay as they are")
    own.add_argument("--groups", type=float, default=0.35, help="share of chats that get more people")
    own.add_argument("--facts", type=int, default=0, help="chats made from facts, a tenth of them left out")
    told = parser.parse_args()
    if told.command in ("prepare", "mean", "chats"):
        {"prepare": prepare, "mean": mean, "chats": rewritten}[told.command](told)
    elif os.environ.get("KERAS_BACKEND") != "jax":
        parser.error("train needs KERAS_BACKEND=jax")
    else:
        train(told)


if __name__ == "__main__":
    main()
