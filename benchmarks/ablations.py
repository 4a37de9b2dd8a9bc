"""What each part of the recipe gains: our preset with one thing changed, trained and scored alike.

    python benchmarks/ablations.py DATA VALIDATION OUTPUT [--rows 4000] [--epochs 8] [--seeds 1]
        [--dialogues FILE…] [--precision float32] [--small] [--begin BERT] [--only NAME…]

DATA and VALIDATION are corpora as `train` takes them; OUTPUT is a folder that keeps what is done, so a stopped run goes
on. Every variant is trained for the same number of epochs in a process of its own, and its last epoch summarizes the
whole of VALIDATION with the preset's decoding. `--small` halves width, heads and batches, takes two layers a side and a
warm-up of 300 steps: a third of the time an epoch, and enough updates for few rows. The variants with pre-training need
`--dialogues`: on these and on DATA the network is pre-trained once, for as many epochs as it is trained. Prints ROUGE,
and the paired difference to the unchanged preset with its 95 % bootstrap interval over dialogues (means over seeds
first): noise of the data, not of the training.

`--begin` takes the `minilm` preset instead, begun with the BERT of that folder and with its encoder frozen, and other
variants. The whole of the chosen rows is encoded once a variant.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from core.config import PRESETS, Preset
from core.scoring.bootstrap import paired_difference
from core.scoring.rouge import NAMES, Rouge

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint
    from core.text.corpus import Corpus
    from core.training.loop import TrainingResult

UNCHANGED = "unchanged"
TOPIC_MARK = " | "


@dataclass(frozen=True)
class Variant:
    """One change.

    Args:
        change: makes the preset of it.
        pretrained: begins with the pre-trained checkpoint.
        topic: the target is the topic, a mark and the summary.
        random: parts of the paths of those weights that begin as random numbers although a BERT is there.
        refined: is not trained but refined (minimum risk), from the unchanged one.
        truecase: reads words that begin a sentence in their commoner spelling.
    """

    change: Callable[[Preset], Preset] = lambda preset: preset
    pretrained: bool = False
    topic: bool = False
    random: tuple[str, ...] = ()
    refined: bool = False
    truecase: bool = True


def _model(**changes: Any) -> Callable[[Preset], Preset]:
    return lambda preset: replace(preset, model=preset.model.replace(**changes))


def _training(**changes: Any) -> Callable[[Preset], Preset]:
    return lambda preset: replace(preset, training=preset.training.replace(**changes))


VARIANTS = {
    UNCHANGED: Variant(),
    "no copy head": Variant(_model(copy=False)),
    "no guided copying": Variant(_training(guided_copy=0.0)),
    "post-norm": Variant(_model(norm="post")),
    "three embedding tables": Variant(_model(copy=False, share_embeddings=False, share_output=False)),
    "no label smoothing": Variant(_training(label_smoothing=0.0)),
    "dropout 0.1": Variant(_model(dropout=0.1)),
    "dropout 0.3": Variant(_model(dropout=0.3)),
    "no weight decay": Variant(_training(weight_decay=0.0)),
    "no averaged weights": Variant(_training(average=0.0)),
    "batches twice as large": Variant(lambda preset: _training(batch_tokens=2 * preset.training.batch_tokens)(preset)),
    "float32": Variant(_training(precision="float32")),
    "topic before the summary": Variant(topic=True),
    "augmentation": Variant(_training(augment=True)),
    "pre-training": Variant(pretrained=True),
    "pre-training and augmentation": Variant(_training(augment=True), pretrained=True),
}
"""Against the preset without augmentation and pre-training; "three embedding tables" cannot copy either."""
BEGUN = {
    UNCHANGED: Variant(),
    "upper two encoder layers trained": Variant(_training(frozen=1, encoder_rate=0.3)),
    "whole encoder trained": Variant(_training(frozen=0, encoder_rate=0.3)),
    "cross-attention random": Variant(random=("/cross_",)),
    "decoder random": Variant(random=("decoder/",)),
    "all random, all trained": Variant(_training(frozen=0), random=("",)),
    "copy head beside the attention": Variant(_model(copy_heads=0)),
    "no vectors of speakers": Variant(_model(speakers=0)),
    "all six layers read": Variant(lambda preset: _training(frozen=6)(_model(encoder_layers=6)(preset))),
    "one copying head": Variant(_model(copy_heads=1)),
    "all heads copy": Variant(_model(copy_heads=12)),
    "no guided copying": VARIANTS["no guided copying"],
    "batches twice as large": VARIANTS["batches twice as large"],
    "refined": Variant(refined=True),
    "sentence beginnings as they are written": Variant(truecase=False),
}
"""Against the preset `minilm` with a frozen encoder, begun with a BERT (`--begin`)."""


def train_and_score(arguments: argparse.Namespace, name: str, seed: int, folder: Path) -> None:
    """Train one variant with one seed; leave the scores of every validation dialogue in `folder`/scores.json."""
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from core.text.corpus import load_corpus
    from core.training.loop import train
    from core.training.recipes import examples as encoding

    variant = _variants(arguments)[name]
    recipe = "minilm" if arguments.begin else "dialoscope"
    base = PRESETS[recipe]
    precision = arguments.precision or base.training.precision
    plain = base.training.replace(epochs=arguments.epochs, seed=seed, augment=False, patience=0, precision=precision)
    base = replace(base, training=plain)
    base = small(base) if arguments.small else base
    if arguments.begin:
        base = _training(frozen=base.model.encoder_layers)(base)
    preset = variant.change(base)
    data, validation = load_corpus(arguments.data, limit=arguments.rows), load_corpus(arguments.validation)
    if variant.refined:
        refined(arguments, data, validation, seed, folder)
        return
    start = pretrained(arguments, base, data, validation) if variant.pretrained else None
    if arguments.begin:
        start = begun(arguments.begin, data, preset, variant, seed)
    tokenizer = start.tokenizer if start else encoding.learn_tokenizer(data, preset)
    preset = encoding.fitted(preset, tokenizer)
    if variant.topic:
        data = replace(data, dataset=data.dataset.map(_with_topic))
    examples = encoding.encode_examples(data, tokenizer, preset)
    held_out = [each.pair for each in encoding.encode_examples(validation, tokenizer, preset)]
    result = train(
        encoding.training_pairs(examples, tokenizer, preset),
        held_out,
        preset.model,
        preset.training,
        tokenizer,
        folder / "run",
        {"about": name, "preset": recipe, "decoding": preset.decoding.to_dict()},
        initial=start.weights if start else None,
        resume=(folder / "run" / "state").is_dir(),
    )
    score(result, validation, folder)


def score(result: "TrainingResult", validation: "Corpus", folder: Path) -> None:
    """Leave what the last epoch makes of every validation dialogue in `folder`/scores.json."""
    from core import checkpoints
    from core.evaluation.local import in_order, summarize_corpus
    from core.scoring.rouge import rouge
    from core.service import Summarizer

    rows = in_order(list(summarize_corpus(validation, Summarizer(checkpoints.read(result.last)))))
    found = by_name(rouge(row.summary.split(TOPIC_MARK)[-1], row.references) for row in rows)
    found["minutes"] = sum(row["seconds"] for row in result.history) / 60
    found["validation_loss"] = result.history[-1]["validation_loss"]
    (folder / "scores.json").write_text(json.dumps(found), encoding="utf-8")
    shutil.rmtree(folder / "run" / "states", ignore_errors=True)


def begun(bert: Path, data: "Corpus", preset: Preset, variant: Variant, seed: int) -> "Checkpoint":
    """Begin with a BERT; the weights that the variant names, and those that a BERT lacks, are random."""
    import keras

    from core import checkpoints
    from core.importing.warm_start import warm_start
    from core.model import families
    from core.training.recipes.examples import fitted
    from core.training.recipes.refining import with_layers

    texts = (text for row in data.dataset for text in (row["dialogue"], *row["references"][:1]))
    start = warm_start(bert, texts, (2, 4, 6), copy_heads=preset.model.copy_heads or 1)
    start = with_layers(start, range(1, 1 + preset.model.encoder_layers))
    start.tokenizer.truecase = variant.truecase
    keras.utils.set_random_seed(seed)
    weights = checkpoints.weights_of(families.build(fitted(preset, start.tokenizer).model))
    kept = {path: value for path, value in start.weights.items() if not any(part in path for part in variant.random)}
    return replace(start, weights={path: kept.get(path, value) for path, value in weights.items()})


def refined(arguments: argparse.Namespace, data: "Corpus", validation: "Corpus", seed: int, folder: Path) -> None:
    """Refine the unchanged network, and score it."""
    from core.training.recipes import fitting, refining

    start = _folder(arguments.output, UNCHANGED, seed) / "run" / "last"
    plan = fitting.Plan("benchmarks/ablations.py", "not shared", resume=(folder / "run").is_dir(), keep="last")
    training = refining.REFINING.replace(seed=seed, precision=arguments.precision or refining.REFINING.precision)
    score(refining.refine(start, data, validation, folder / "run", plan, training), validation, folder)


def pretrained(arguments: argparse.Namespace, preset: Preset, data: "Corpus", validation: "Corpus") -> "Checkpoint":
    """The unchanged network after pre-training on dialogues alone; trained if it is not there yet."""
    from core import checkpoints
    from core.text.corpus import load_corpus
    from core.training.recipes import fitting

    folder = arguments.output / "pretrained"
    if not (folder / "done").is_file():
        training = preset.pretraining.replace(epochs=arguments.epochs, precision=preset.training.precision)
        plan = fitting.Plan("benchmarks/ablations.py", "not shared", resume=(folder / "state").is_dir())
        dialogues = [load_corpus(file, require_summaries=False) for file in arguments.dialogues]
        fitting.pretrain("dialoscope", replace(preset, training=training), [data, *dialogues], validation, folder, plan)
        (folder / "done").touch()
    return checkpoints.read(folder / "checkpoint")


def small(preset: Preset) -> Preset:
    """The same recipe for a network and a number of updates that two cores manage a dozen times in two hours."""
    model, training, pretraining = preset.model, preset.training, preset.pretraining
    return replace(
        preset,
        model=model.replace(
            d_model=model.d_model // 2,
            num_heads=model.num_heads // 2,
            feed_forward_dim=model.feed_forward_dim // 2,
            encoder_layers=2,
            decoder_layers=2,
        ),
        training=training.replace(batch_tokens=training.batch_tokens // 2, warmup_steps=300),
        pretraining=pretraining.replace(batch_tokens=pretraining.batch_tokens // 2, warmup_steps=300),
    )


def _with_topic(row: dict[str, Any]) -> dict[str, Any]:
    return {"references": [f"{row['topic']}{TOPIC_MARK}{row['references'][0]}"]}


def by_name(scores: Iterable[Rouge]) -> dict[str, Any]:
    """The scores of every dialogue under the name of each score."""
    found = list(scores)
    return {name: [getattr(each, name) for each in found] for name in NAMES}


def report(output: Path, names: list[str], seeds: int) -> None:
    """Print a Markdown table of what is done."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        files = [_folder(output, name, seed) / "scores.json" for seed in range(1, seeds + 1)]
        done = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]
        if done:
            found[name] = done
    table(found)


def table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Print a Markdown table: of every change, its runs with the scores of every dialogue and the minutes they took."""
    print("| change | seeds | ROUGE-1 | ROUGE-2 | ROUGE-L | minutes |\n|---|---|---|---|---|---|")
    for name, runs in found.items():
        cells = [name, str(len(runs))]
        for score in NAMES:
            mine, base = (np.mean([run[score] for run in each], axis=0) for each in (runs, found[UNCHANGED]))
            cell = f"{mine.mean():.1f}"
            if name != UNCHANGED:
                interval = paired_difference(mine, base).interval
                cell += f" ({interval.mean:+.1f}; {interval.low:+.1f} to {interval.high:+.1f})"
            cells.append(cell)
        cells.append(f"{np.mean([run['minutes'] for run in runs]):.1f}")
        print(f"| {' | '.join(cells)} |")


def _variants(arguments: argparse.Namespace) -> dict[str, Variant]:
    return BEGUN if arguments.begin else VARIANTS


def _folder(output: Path, name: str, seed: int) -> Path:
    return output / f"{name.replace(' ', '-')}-{seed}"


def main() -> None:
    """Train what is missing, variant by variant, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "validation"):
        parser.add_argument(name)
    parser.add_argument("output", type=Path)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--dialogues", nargs="+", default=[], metavar="FILE", help="what to pre-train on besides DATA")
    parser.add_argument("--precision", choices=("float32", "mixed_bfloat16"), help="instead of the preset's")
    parser.add_argument("--small", action="store_true", help="a smaller network, smaller batches, a shorter warm-up")
    parser.add_argument("--begin", type=Path, metavar="BERT", help="folder of a BERT: the preset minilm begins with it")
    parser.add_argument("--only", nargs="*", choices=list(VARIANTS | BEGUN), default=list(VARIANTS | BEGUN))
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.begin and arguments.small:
        parser.error("--small makes a network that no BERT fits: use fewer --rows with --begin")
    if arguments.one:
        name, seed = arguments.one
        train_and_score(arguments, name, int(seed), _folder(arguments.output, name, int(seed)))
        return
    variants = _variants(arguments)
    names = [name for name in variants if name in (UNCHANGED, *arguments.only)]
    if not arguments.dialogues:
        names = [name for name in names if not variants[name].pretrained]
    for seed in range(1, arguments.seeds + 1):
        for name in names:
            if not (_folder(arguments.output, name, seed) / "scores.json").is_file():
                print(f"{name}, seed {seed}", file=sys.stderr)
                words = [sys.executable, __file__, *sys.argv[1:], "--one", name, str(seed)]
                subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    report(arguments.output, names, arguments.seeds)


if __name__ == "__main__":
    main()
