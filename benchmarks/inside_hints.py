"""Whether signs from inside the model find wrong summaries better than the hint *Low confidence*, on the labelled set.

    nice python benchmarks/inside_hints.py DATA --output FOLDER [--labels FILE] [--checkpoint dialoscope]

DATA holds the dialogues of the labels (DialogSum's validation split for those that ship, which a language model made).
Each summary that is measured is a file of FOLDER: a second call goes on there. Signs of a written token: reliance,
share of the dialogue (ALTI+), probability, and a linear probe on the decoder's last state, cross-validated by dialogue.
Of a summary: their mean and their worst token. Each ranks; where it has found as many errors as *Low confidence* finds,
the precisions are compared. Intervals of the differences: bootstrap over dialogues, 95 % over all comparisons
(Bonferroni), so that one of many does not win by chance.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.experiments.attribution.registry import attribute
from core.faults.detectors import DETECTORS
from core.faults.form_rules import LOW_PROBABILITY
from core.faults.labels import LABELS_FILE, LabelledSummary, read_labels
from core.faults.measure import check_ids, weights_hash
from core.service import Summarizer
from core.text.corpus import load_corpus

RESAMPLES, FOLDS, SHUFFLES = 10_000, 10, 5
STRENGTHS = (1e-5, 1e-4, 1e-3, 1e-2)
"""Inverse strengths of the probe's penalty; the best inside the training folds is taken."""
Values = NDArray[np.float64]
Row = dict[str, Values]


def signs(summarizer: Summarizer, row: LabelledSummary, dialogue: str) -> dict[str, NDArray[Any]]:
    """Return the signs of each token that has characters, and whether it lies in words that are labelled as wrong."""
    run = summarizer.force(dialogue, row.summary)
    kept = [place for place, token in enumerate(run.tokens) if token.end > token.start]
    shares, relied = (attribute(method, summarizer, run) for method in ("contributions", "reliance"))
    for found in (shares, relied):
        if not found.check.holds:
            raise SystemExit(f"{row.id}: {found.method} did not pass its check")
    spans = [row.span(label) for label in row.labels if label.type != "missing" and label.text]
    wrong = [any(a < run.tokens[each].end and run.tokens[each].start < b for a, b in spans) for each in kept]
    return {
        "probability": np.array([run.steps[each].log_probability for each in kept]),
        "reliance": relied.values[kept, 0],
        "share": shares.values[kept].sum(axis=1),
        "states": run.decoder_hidden[-1][kept],
        "wrong": np.array(wrong),
        "positive": np.array(not {label.type for label in row.labels}.isdisjoint(positive_types())),
    }


def positive_types() -> set[str]:
    """Return the labels that confirm *Low confidence*: any error of the text."""
    return set(DETECTORS["low_confidence"].confirmed_by)


def probe(rows: list[Row], wrong: NDArray[np.bool_]) -> Values:
    """Return for each token the probability of an error, from a probe that saw no token of its dialogue."""
    states, owner = np.concatenate([row["states"] for row in rows]), owners(rows)
    found = np.zeros(len(wrong))
    for train, test in GroupKFold(FOLDS).split(states, wrong, owner):
        inner = list(GroupKFold(5).split(states[train], wrong[train], owner[train]))
        steps = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        search = GridSearchCV(steps, {"logisticregression__C": STRENGTHS}, scoring="roc_auc", cv=inner)
        found[test] = search.fit(states[train], wrong[train]).predict_proba(states[test])[:, 1]
    return found


def owners(rows: list[Row]) -> NDArray[np.int64]:
    """Return the dialogue of each token."""
    return np.repeat(np.arange(len(rows)), [len(row["wrong"]) for row in rows])


def precision(order: NDArray[np.int64], right: Values, weight: Values, wanted: float) -> float:
    """Return the precision of a ranking where it has found `wanted` right ones, each counted by its weight."""
    hits, all_of_them = np.cumsum((right * weight)[order]), np.cumsum(weight[order])
    place = int(np.searchsorted(hits, wanted - 1e-9))
    return float(hits[place] / all_of_them[place])


def compared(
    names: dict[str, Values], low: Values, right: Values, owner: NDArray[np.int64], comparisons: int
) -> list[str]:
    """Return a line for each sign: its precision at the recall of `low`, and the difference with its interval.

    Args:
        names: how suspicious each summary or token is, by sign.
        low: 1 where *Low confidence* flags.
        right: 1 where there is an error.
        owner: the dialogue of each.
        comparisons: that are made in all.
    """
    orders = {name: np.argsort(-values, kind="stable") for name, values in names.items()}
    dialogues = int(owner.max()) + 1
    generator, gaps = np.random.default_rng(0), {name: list[float]() for name in names}

    def one(weight: Values, name: str) -> tuple[float, float]:
        wanted = float((low * right * weight).sum())
        return precision(orders[name], right, weight, wanted), wanted / float((low * weight).sum())

    for _ in range(RESAMPLES):
        weight = np.bincount(generator.integers(0, dialogues, dialogues), minlength=dialogues)[owner].astype(float)
        if (low * right * weight).sum():
            for name in names:
                own, other = one(weight, name)
                gaps[name].append(own - other)
    tail, lines = 50 * 0.05 / comparisons, []
    for name in names:
        own, other = one(np.ones(len(right)), name)
        low_end, high_end = np.percentile(gaps[name], (tail, 100 - tail))
        area = roc_auc_score(right, names[name])
        cells = f"{own:.0%}", f"{100 * (own - other):+.0f} ({100 * low_end:+.0f} to {100 * high_end:+.0f})"
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {area:.2f} | {'yes' if low_end > 0 else 'no'} |")
    return lines


def report(rows: list[Row]) -> None:
    """Print the tables of summaries and of tokens."""
    owner, wrong = owners(rows), np.concatenate([row["wrong"] for row in rows]).astype(bool)
    probed = probe(rows, wrong)
    generator = np.random.default_rng(0)
    shuffled = []
    for _ in range(SHUFFLES):
        drawn = generator.permutation(wrong)
        shuffled.append(roc_auc_score(drawn, probe(rows, drawn)))
    tokens = {name: -np.concatenate([row[name] for row in rows]) for name in ("reliance", "share")} | {"probe": probed}
    logs = np.concatenate([row["probability"] for row in rows])
    whole: dict[str, Values] = {}
    for name, values in {"probability": -logs, **tokens}.items():
        parts = [values[owner == number] for number in range(len(rows))]
        whole[f"{name}, mean of the tokens"] = np.array([each.mean() for each in parts])
        if name != "probability":  # the least probable token ranks as Low confidence does
            whole[f"{name}, worst token"] = np.array([each.max() for each in parts])
    right = np.array([bool(row["positive"]) for row in rows], dtype=float)
    count = len(whole) + len(tokens)
    print(f"{count} comparisons; the probe finds wrong tokens with an area of {roc_auc_score(wrong, probed):.2f},")
    print(f"with shuffled labels {np.mean(shuffled):.3f} ({min(shuffled):.2f} to {max(shuffled):.2f})\n")
    lowest = np.array([row["probability"].min() for row in rows])
    for what, names, logp, truth, places in (
        ("summaries", whole, lowest, right, np.arange(len(rows))),
        ("tokens", tokens, logs, wrong.astype(float), owner),
    ):
        flags = (logp < np.log(LOW_PROBABILITY)).astype(float)
        hit = (flags * truth).sum()
        print(
            f"{len(truth)} {what}, {truth.sum():.0f} wrong ({truth.mean():.0%}); Low confidence flags "
            f"{flags.sum():.0f}, {hit:.0f} rightly: precision {hit / flags.sum():.0%}, recall {hit / truth.sum():.0%}, "
            f"area {roc_auc_score(truth, -logp):.2f}\n"
        )
        print(f"| {what} | precision at that recall | less or more than Low confidence | area | better |")
        print("|---|---|---|---|---|", *compared(names, flags, truth, places, count), sep="\n", end="\n\n")


def main() -> None:
    """Measure what is missing, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--labels", type=Path, default=LABELS_FILE)
    parser.add_argument("--checkpoint", default="dialoscope")
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    labelled = [row for row in read_labels(asked.labels) if not row.todo]
    dialogues = {row["id"]: row["dialogue"] for row in load_corpus(asked.data).dataset}
    check_ids(labelled, dialogues)
    summarizer = Summarizer.load(asked.checkpoint)
    if {row.checkpoint for row in labelled} != {weights_hash(summarizer)}:
        raise SystemExit(f"the labels are about summaries of other weights than those of {asked.checkpoint}")
    rows = []
    for row in labelled:
        file = asked.output / f"{row.id}.npz"
        if not file.exists():
            whole = file.with_suffix(".part.npz")
            np.savez(whole, **signs(summarizer, row, dialogues[row.id]))
            whole.rename(file)
        with np.load(file) as kept:
            rows.append({name: kept[name] for name in kept.files})
    report(rows)


if __name__ == "__main__":
    main()
