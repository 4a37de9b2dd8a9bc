"""Cases of files that a visitor brings: each is read, or refused in a sentence, and never unpacks without a limit."""

import io
import itertools
import json
import random
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

from core import checkpoints
from core.evaluation import intake, predictions, verdicts
from core.explain import branch_file, histories
from core.faults.labels import read_labels
from core.lessons import course, reader
from core.lessons.stop import Stop
from core.limits import limits
from core.text.corpus import load_corpus
from core.text.upload import load_dialogue_file
from core.trace import Summary
from core.training import snapshots
from core.visited import file as visited_file
from core.visited import listing
from tests.fuzz import made
from tests.fuzz.house import branches, house, row, trace
from tests.fuzz.run import Family, refusal_of
from tests.visited.visits import MASKS, NOON, STEP

ROWS: tuple[dict[str, Any], ...] = (
    {"id": "1", "dialogue": made.DIALOGUE, "summary": "Ben cannot come.", "topic": "party"},
    {"id": "2", "dialogue": "A: Hi.\nB: Hello.", "references": ["They greet.", "Hi."], "prediction": "A greets B."},
    {"dialogue": "A: x", "summary1": "s", "summary2": "t", "id": 3},
)
TURNS: tuple[Any, ...] = (
    {"dialogue": made.DIALOGUE},
    [{"speaker": "Anna", "text": "Hi"}, {"author": "Ben", "content": [{"text": "Yo"}, "!"]}, {"type": "service"}],
    {"messages": [{"from": "A", "message": "x"}], "turns": [{"name": "B", "text": "y"}]},
)
HISTORY = ("epoch", "train_loss", "validation_loss", "learning_rate", "rouge1")
LABELS = ({"id": "1", "checkpoint": "0" * 64, "summary": "A greets B.", "labels": [{"type": "invented", "text": "B"}]},)
_NUMBERS = itertools.count()


def put(name: str, data: bytes) -> Path:
    """Write a file into a folder of its own, under a plain name."""
    path = house().room / f"{next(_NUMBERS) % 8}-{name}"
    path.write_bytes(data)
    return path


def dialogue_data(rng: random.Random) -> bytes:
    """A dialogue as text or JSON."""
    return made.one_of(
        rng,
        lambda: made.encoded(rng, made.text(rng)),
        lambda: json.dumps(made.varied(rng, rng.choice(TURNS), 0.3)).encode(),
        lambda: made.encoded(rng, json.dumps(rng.choice(TURNS), ensure_ascii=False)),
        lambda: made.deep(rng).encode(),
        lambda: made.mangled(rng, made.encoded(rng, made.DIALOGUE)),
        lambda: rng.choice(made.NO_FILES),
        lambda: b'{"dialogue": "\\ud800 A: x"}',
        lambda: b'[{"text": ' + b"9" * 5000 + b"}]",
    )


def dialogues(rng: random.Random) -> None:
    """Read an uploaded dialogue."""
    text = load_dialogue_file(made.named(rng, ".txt", ".json", ".md"), dialogue_data(rng))
    assert text.strip()


def corpus_data(rng: random.Random) -> tuple[str, bytes]:
    """A corpus and the ending of its name."""
    ending = rng.choice((".jsonl", ".csv", ".jsonl.gz"))
    if ending == ".csv":
        columns = ("id", "dialogue", "summary", "topic")
        cells = [[rng.randint(0, 9), made.DIALOGUE, made.piece(rng), "t"] for _ in range(rng.randint(0, 4))]
        data = made.csv(rng, columns, cells)
    else:
        data = made.jsonl(rng, ROWS)
    if ending.endswith("gz"):
        return ending, made.gzipped(rng, data)
    return ending, made.mangled(rng, data) if rng.random() < 0.3 else data


def corpora(rng: random.Random) -> None:
    """Load a corpus from a file."""
    ending, data = corpus_data(rng)
    path = put(f"data{ending}", data)
    lines, size = limits().corpus_lines, limits().unpacked_file
    options = {"limit": rng.choice((None, 1, 100)), "require_summaries": rng.random() < 0.5}
    corpus = load_corpus(path, most_lines=lines, most_bytes=size, **options)
    assert all(
        each["dialogue"] and not any("\ud800" <= c <= "\udfff" for c in each["dialogue"]) for each in corpus.dataset
    )


def rows_data(rng: random.Random) -> tuple[str, bytes]:
    """A file for the Errors page: scored rows, a corpus, or labels."""
    if rng.random() < 0.3:
        return corpus_data(rng)
    return ".jsonl", made.jsonl(rng, [row().to_dict() | {"labels": []} if rng.random() < 0.1 else row().to_dict()] * 2)


def rows(rng: random.Random) -> None:
    """Take in a file as the Errors page does, and give its labels to its rows."""
    ending, data = rows_data(rng)
    found = intake.read(made.named(rng, ending, ending), data)
    ids = [each.id for each in found.rows]
    assert len(set(ids)) == len(ids) and len(found.given) == len(ids)


def labels_data(rng: random.Random) -> bytes:
    """Labels as the Errors page saves them, and as the labelled set has them."""
    entry = verdicts.Entry(writer="x").judged(row().faults[0], "right").worded(["a tag"], "a note")
    lines = [json.loads(line) for line in verdicts.to_jsonl({verdicts.subject(row()): entry}).splitlines()]
    return made.jsonl(rng, [*lines, *LABELS])


def labels(rng: random.Random) -> None:
    """Read labels, and predictions of another system."""
    data = labels_data(rng)
    refusal_of(lambda: verdicts.read(data.decode("utf-8", "replace"), (row(),)))
    refusal_of(lambda: read_labels(put("labels.jsonl", data)))
    ending = rng.choice((".jsonl", ".txt"))
    lines = made.jsonl(rng, [{"id": each, "summary": "s"} for each in ("1", "2", "3")])
    path = put(f"predictions{ending}", lines if ending == ".jsonl" else made.encoded(rng, "a\nb\nc"))
    refusal_of(lambda: predictions.with_predictions(_corpus(), path))


@cache
def _corpus() -> Any:
    path = house().room / "whole.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return load_corpus(path)


def lesson(rng: random.Random) -> None:
    """Read the file of a lesson under a name of its own; what is taken has nothing that a page must not show."""
    whole = rng.choice(sorted(course.BUNDLED.glob("*.md")))
    lines = whole.read_text(encoding="utf-8").split("\n")
    for _ in range(rng.randint(0, 3)):
        place = rng.randrange(len(lines))
        key = rng.choice(("", *(f"{key}: " for key in (*reader.STOP_KEYS, "stops"))))
        lines[place : place + rng.randint(0, 1)] = [key + made.piece(rng)]
    data = made.encoded(rng, "\n".join(lines))
    name = rng.choice((whole.name, whole.name, made.piece(rng)[:80]))
    if rng.random() < 0.3:
        course.read(put("lesson.md", made.mangled(rng, data)))
        return
    found = reader.parse(name, data.decode("utf-8", "replace"))
    texts = found.text + (found.task if isinstance(found, Stop) else "")
    assert "<script" not in texts and "javascript:" not in texts and "![" not in texts and found.id.isascii()


def history_data(rng: random.Random) -> bytes:
    """A history of a training."""
    made_rows = [[each, 5.0 - each, 5.5 - each, 1e-4, 30 + each] for each in range(rng.randint(0, 6))]
    data = made.csv(rng, HISTORY, made_rows)
    return made.mangled(rng, data) if rng.random() < 0.3 else data


def histories_(rng: random.Random) -> None:
    """Read a history that was uploaded, and one in a checkpoint."""
    data = history_data(rng)
    refusal_of(lambda: histories.reading(histories.parse(made.named(rng, ".csv"), data)))
    checkpoints.read_history(put("history.csv", data))


def repacked(rng: random.Random, data: bytes) -> bytes:
    """A trace, its document and its arrays changed one by one."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    chance = rng.choice((0.0, 0.02, 0.3))
    changed = []
    for name, content in members:
        if name == "document.npy" and rng.random() < 0.7:
            start = content.index(b"\n") + 1
            found = json.dumps(made.varied(rng, json.loads(content[start:]), chance)).encode()
            buffer = io.BytesIO()
            import numpy as np

            np.save(buffer, np.frombuffer(found, dtype=np.uint8))
            content = buffer.getvalue()
        elif rng.random() < 0.1:
            content = made.array(rng, content)
        changed.append((name, content))
    return made.archive(rng, changed) if rng.random() < 0.6 else _zipped(changed)


def _zipped(members: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def trace_data(rng: random.Random) -> bytes:
    """A saved run."""
    whole = trace()
    return made.mangled(rng, whole) if rng.random() < 0.3 else repacked(rng, whole)


def traces(rng: random.Random) -> None:
    """Read a saved run; what is accepted can be saved again."""
    found = Summary.from_bytes(trace_data(rng))
    found.to_bytes()
    json.dumps(found.to_dict())


def branch_data(rng: random.Random) -> bytes:
    """A saved tree of branches."""
    whole = branches()
    kind = rng.randrange(6)
    if kind == 0:
        return made.mangled(rng, whole)
    if kind == 1:
        return trace_data(rng)
    if kind == 2 and rng.random() < 0.1:
        return made.huge("branches.json", b'{"format": 1, "branches": []}')
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    changed = []
    for name, content in members:
        if name.endswith(".json"):
            content = json.dumps(made.varied(rng, json.loads(content), 0.2)).encode()
            content = made.deep(rng).encode() if rng.random() < 0.05 else content
        elif rng.random() < 0.3:
            content = repacked(rng, content)
        changed.append((name, content))
    return made.archive(rng, changed)


def trees(rng: random.Random) -> None:
    """Open a saved tree; what is accepted can be saved again."""
    tree, summaries = branch_file.from_bytes(branch_data(rng))
    assert {each.path for each in tree.items} <= set(summaries)
    branch_file.to_bytes(tree, summaries)


def snapshots_(rng: random.Random) -> None:
    """Read the snapshots of a training."""
    snapshots.read(put("moments.npz", repacked(rng, _moments())))


@cache
def _moments() -> bytes:
    import numpy as np

    attempt = snapshots.Attempt("a", "A greets B.", (5, 2), -1.0, (1.0, 2.0, 3.0), np.zeros((2, 3), np.uint8))
    path = house().room / "whole-moments.npz"
    snapshots.write(path, [snapshots.Snapshot(1.0, (attempt,))])
    return path.read_bytes()


def visited_(rng: random.Random) -> None:
    """Open a saved list of what was visited; what is accepted can be read by people and saved again."""
    whole = visited_file.to_bytes([STEP, MASKS])
    data = made.one_of(
        rng,
        lambda: json.dumps(made.varied(rng, json.loads(whole), 0.1)).encode(),
        lambda: json.dumps(made.varied(rng, json.loads(whole), 0.03)).encode(),
        lambda: made.mangled(rng, whole),
        lambda: made.deep(rng).encode(),
        lambda: rng.choice(made.NO_FILES),
    )
    found = visited_file.from_bytes(data)
    listing.to_html(found, "https://host", NOON.tzinfo)
    assert visited_file.from_bytes(visited_file.to_bytes(found)) == found


FAMILIES = (
    Family("dialogues", "uploaded dialogues: names, encodings, JSON", 1200, dialogues, megabytes=64),
    Family("corpora", "data sets: JSONL, CSV and gzip, bombs too", 500, corpora, megabytes=64),
    Family("rows", "files for the Errors page: scored rows, data sets", 500, rows, megabytes=64),
    Family("labels", "label files and predictions of other systems", 500, labels, megabytes=64),
    Family("lessons", "files of lessons: other lines, keys, encodings, names", 300, lesson, megabytes=64),
    Family("visited", "saved lists of what was visited", 500, visited_, megabytes=64),
    Family("histories", "histories of trainings", 800, histories_, megabytes=64),
    Family("traces", "saved runs: damaged zip, npy, JSON; bombs", 400, traces, megabytes=300),
    Family("trees", "saved branches: the same, and in one another", 300, trees, megabytes=300),
    Family("moments", "snapshots of a training", 400, snapshots_, megabytes=300),
)
