"""Every kind of file that the project reads: how a whole one is made, how it is read, and which damage it may bear.

`tests/damage/test_places.py` fails when a module opens files in a place that is not in `places.txt`.
"""

import gzip
import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import datasets
import numpy as np

from core import checkpoints, words
from core.config import END, DecodeSettings
from core.evaluation import intake, label_file, parts, predictions, written
from core.evaluation.local import Batch
from core.evaluation.rows import ScoredSummary, read_rows, to_line
from core.experiments.start import opening
from core.explain.attention import catalogue
from core.explain.decoding import branch_file
from core.explain.decoding.branches import Branches, branch_of
from core.explain.training import histories
from core.faults import groups, labels, measure
from core.lessons import course
from core.lessons.stop import Stop
from core.model import families
from core.scoring import baselines, encoders
from core.scoring.encoders import Encoder
from core.scoring.rouge import Rouge
from core.text import examples, glossary, judged
from core.text.corpus import load_corpus
from core.text.tokenizer import Tokenizer
from core.text.upload import read_file
from core.trace import Summary
from core.training import snapshots, states
from core.training.loop import _State
from core.training.recipes import refining
from core.training.risk import Judged
from core.training.snapshots import Attempt, Snapshot
from core.visited import file as visited_file
from core.visited import listing
from tests.damage.damages import DAMAGES
from tests.models import rehash, roberta
from tests.traces import summary
from tests.visited.visits import MASKS, NOON, STEP

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "data" / "formats"
SHIPPED = ROOT / "checkpoints" / "dialoscope"
ALL = frozenset(each.name for each in DAMAGES)
NUMBERS = frozenset(name for name in ALL if "number" in name)
"""Damage to single numbers of a text: where a word or an id would do as well, nobody can know."""
BITS = frozenset({"a flipped bit"})
LITTLE = BITS | NUMBERS
CUTS = frozenset({"cut at 50 %", "cut at 99 %"})
ABSENT = frozenset({"missing", "a link to nothing"})
FILES = frozenset({"missing", "a folder", "a link to nothing", "a device without end", "a pipe"})
"""Damage that only a file on a disk has, not what somebody uploads."""
EMPTY = frozenset({"wrong shape: an object"})
OBJECTS = EMPTY | {"wrong shape: an object of lists"}
"""What has neither a name that is needed nor one that is not known."""


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    Args:
        name: in words.
        form: json, jsonl, csv, text, plain, npz, npy, zip, document, weights, gzip or pieces.
        file: its name inside the folder that `make` fills.
        make: makes a folder with everything that is needed to read it.
        read: reads it at its path; what it returns is whole.
        bears: damages that reading may not notice.
        said: what a refusal calls the file; its name unless given.
        uploaded: whether its content comes from a visitor, not from a path; `read` gets its name and the bytes.
        after: called with the folder after the damage, before the reading.
        slow: whether it takes a library that starts slowly.
    """

    name: str
    form: str
    file: str
    make: Callable[[Path], object]
    read: Callable[..., object]
    bears: frozenset[str] = frozenset()
    said: tuple[str, ...] = ()
    uploaded: bool = False
    after: Callable[[Path], object] = field(default=lambda folder: None)
    slow: bool = False

    def __str__(self) -> str:
        """Return its name, for the name of a test."""
        return self.name

    def whole(self, folder: Path) -> object:
        """Read it from a folder; raises DialoscopeError."""
        self.after(folder)
        path = folder / self.file
        return self.read(path.name, path.read_bytes()) if self.uploaded else self.read(path)


ATTEMPT = Attempt("shop", "A text.", (7, 8, 2), -1.5, (40.0, 12.25, 30.5), np.full((3, 5), 51, dtype=np.uint8))
ROW = ScoredSummary("a", "A: Hi.\nB: Hello.", ("They greet.",), "greeting", "A greets B.", Rouge(50.0, 0.0, 25.0))
HISTORY = [
    {"epoch": n, "train_loss": 4.0 - n, "validation_loss": 4.5 - n, "learning_rate": 0.1, "seconds": 3.0}
    for n in (1, 2)
]
DIALOGUES = [
    {"id": f"n{n}", "dialogue": f"A: I saw {n} dogs.\nB: No.", "summary": f"A saw {n} dogs.", "topic": "dogs"}
    for n in range(9)
]
SAID = "{rows} are left."
CATALOGUE = rf'''msgid ""
msgstr ""
"Language: tr\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=utf-8\n"
"Content-Transfer-Encoding: 8bit\n"

#: core/limits.py
msgid "{SAID}"
msgstr "{{rows}} kaldı."
'''
HEAD = {"checkpoint": "tiny@0", "data": "data.jsonl", "rows": 2}


# ---- checkpoints


def checkpoint(folder: Path) -> None:
    """A small checkpoint with everything that one may have."""
    from tests.models import SHARED, bundled, small, untrained

    tokenizer = Tokenizer.train_bpe(bundled(4), 400)
    untrained(folder, small(tokenizer.size, 1, (96, 24), d_model=8, feed_forward_dim=8, **SHARED), tokenizer)
    checkpoints.write_history(folder / "history.csv", HISTORY)
    for name in ("heads.json", "judged.json", "written.json", "opening.json"):
        shutil.copy(SHIPPED / name, folder)
    snapshots.write(folder / snapshots.FILE, [Snapshot(0, (ATTEMPT,)), Snapshot(2, (ATTEMPT,))])


_NETWORKS: dict[str, Any] = {}
"""A network of each shape: to build one takes longer than all the rest."""


def _loaded(path: Path) -> object:
    """Read a checkpoint and put its weights into a network."""
    found = checkpoints.read(path.parent)
    key = repr(found.config)
    if key not in _NETWORKS:
        _NETWORKS[key] = families.build(found.config)
    checkpoints.set_weights(_NETWORKS[key], found.weights, found.name)
    return found


def _settings(path: Path) -> DecodeSettings:
    return checkpoints.card_decoding(checkpoints.read_card(path.parent))


def _companion(given: Callable[[Path], Any], read: Callable[..., object], decoding: bool = True) -> Callable:
    """Read a file beside a checkpoint, which need not be there, as the pages do."""

    def found(path: Path) -> object:
        values = given(path.parent)
        settings = [_settings(SHIPPED / "card.json")] if decoding else []
        return values if values is None else read(values, str(values.get("weights")), *settings)

    return found


def recorded(folder: Path) -> None:
    """A run that is recorded without weights."""
    folder.mkdir()
    for name in ("card.json", "history.csv"):
        shutil.copy(ROOT / "checkpoints" / "recorded" / "lstm" / name, folder)


# ---- runs


def _state(folder: Path) -> _State:
    variables = [SimpleNamespace(value=np.full((2, 3), n, dtype=np.float32), shape=(2, 3)) for n in (1, 2)]
    for each in variables:
        each.assign = lambda value: None
    model = SimpleNamespace(
        transformer=SimpleNamespace(variables=variables[:1]), optimizer=SimpleNamespace(variables=variables[1:])
    )
    return _State(folder, model, {"model": {"d_model": 8}, "training": {"seed": 1}})  # type: ignore[arg-type]


def runs(folder: Path) -> None:
    """The state of a training, states of frozen layers, candidates, and an evaluation of which two batches are done."""
    folder.mkdir()
    _state(folder / "state").save(HISTORY)
    np.save(folder / "training.npy", np.ones((6, 4), dtype=np.float16))
    rows = [Judged([5, 6, 2], [7, 2], [[7, 2], [8, 2]], [0.5, 0.25])._asdict()]
    lines = [json.dumps(each) for each in (HEAD, rows, rows)]
    (folder / refining.FILE).write_text("".join(f"{line}\n" for line in lines))
    made = parts.open_parts(folder / "out.jsonl", {"data": "x"}, resume=False)
    for number in range(2):
        made.write(Batch(number, (number,), (ROW,)))


def _frozen(path: Path) -> object:
    found = states._read(path, (6, 4))
    assert found is None or np.isfinite(found).all()
    return found


def _resumed(path: Path) -> object:
    found = parts.open_parts(path.parents[1] / "out.jsonl", {"data": "x"}, resume=True)
    done = found.sound([(0,), (1,)])
    rows = list(found.rows())
    assert len(rows) == len(done)
    return rows


# ---- data


def data(folder: Path) -> None:
    """Corpora of every form, predictions, labels and rows."""
    folder.mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in DIALOGUES)
    table = "".join(f'{row["id"]},"{row["dialogue"]}",{row["summary"]}\n' for row in DIALOGUES)
    said = {"id": "a", "summary": ROW.summary, "hints": [], "tags": ["odd"], "note": "", "checkpoint": "0"}
    texts = {
        "data.jsonl": lines,
        "named.jsonl": lines,
        "document.json": json.dumps(DIALOGUES, indent=1),
        "pairs.source": "".join(row["dialogue"].replace("\n", " ") + "\n" for row in DIALOGUES),
        "named.csv": "id,summary\n" + "".join(f"{row['id']},{row['summary']}\n" for row in DIALOGUES),
        "data.csv": f"id,dialogue,summary\n{table}",
        "talk.json": json.dumps({"turns": [{"speaker": "A", "text": f"Hi, {n}."} for n in range(5)]}),
        "talk.txt": "A: Hi.\nB: Hello, how are you?\n" * 5,
        "talk.vtt": (SAMPLES / "teams-vtt" / "renamed.txt").read_text("utf-8"),
        "plain.txt": "".join(f"{row['summary']}\n" for row in DIALOGUES),
        "rows.jsonl": f"{to_line(ROW)}\n" * 3,
        "verdicts.jsonl": json.dumps(said) + "\n",
        "tr.po": CATALOGUE,
        "all.tsv": "LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.25,0.25,0.25\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "data.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "pairs.target").write_text(texts["plain.txt"], encoding="utf-8")
    datasets.Dataset.from_list(DIALOGUES).to_parquet(folder / "data.parquet")
    (folder / "visited.json").write_bytes(visited_file.to_bytes([STEP, MASKS]))
    shutil.copy(SAMPLES / "teams-docx" / "meeting.docx", folder / "talk.docx")
    checkpoints.write_history(folder / "history.csv", HISTORY)
    shipped = (labels.LABELS_FILE, examples.PATH, measure.MEASURED_FILE, glossary.PATH, groups.FILE)
    names = ("labels.jsonl", "examples.jsonl", "measured.json", "glossary.md", "groups.jsonl")
    for path, name in zip(shipped, names, strict=True):
        shutil.copy(path, folder / name)
    shutil.copy(glossary.PATH, folder / "glossary.tr.md")
    for name in ("6-cross-attention.md", "talk-45.md"):
        shutil.copy(course.BUNDLED / name, folder)


def _corpus(path: Path) -> object:
    found = load_corpus(path)
    assert not any("\ud800" <= sign <= "\udfff" for row in found.dataset for sign in row["dialogue"])
    return found


def _taken(name: str, content: bytes) -> object:
    """Take in a file as the Errors page does."""
    found = intake.read(name, content)
    assert len({each.id for each in found.rows}) == len(found.rows) == len(found.given)
    return found


def _with(module: Any, name: str, call: Callable[[], object], cached: Any) -> Callable[[Path], object]:
    """Read a file in the place of one that ships."""

    def read(path: Path) -> object:
        with ExitStack() as stack:
            cached.cache_clear()
            stack.callback(cached.cache_clear)
            stack.enter_context(mock.patch.object(module, name, path))
            return call()

    return read


def _said(path: Path) -> object:
    """Say a message of a catalogue; where that cannot be read it is in English, and a line in the log says why."""
    with (
        mock.patch.object(words, "HERE", path.parent),
        mock.patch.dict(words._catalogues, {words.ENGLISH: {}}, clear=True),
        mock.patch.object(words.LOG, "warning") as warned,
        words.speaking("tr"),
    ):
        said = words.say(SAID, rows="3 rows")
        found = words.catalogue("tr")
    assert "3" in said or found.get(SAID), said
    assert found or (path in warned.call_args[0] and said == "3 rows are left.")
    return said


_defined = _with(glossary, "PATH", lambda: glossary.definition("head"), glossary._definitions)


def _term(path: Path) -> object:
    with words.speaking("tr"):
        return _defined(path.with_name("glossary.md"))


def _lesson(path: Path) -> object:
    found = course.read(path)
    texts = found.text + (found.task if isinstance(found, Stop) else "")
    assert "<script" not in texts and "javascript:" not in texts and "![" not in texts and found.id.isascii()
    return found


def _baseline(path: Path) -> object:
    return baselines.read(Encoder("all", path.parent, 1, baseline=path))


def _predicted(path: Path) -> object:
    return predictions.read_predictions(path, load_corpus(path.with_name("data.jsonl")))


def _verdicts(name: str, content: bytes) -> object:
    return label_file.read(content.decode(errors="replace"), [ROW])


def _history(name: str, content: bytes) -> object:
    found = histories.parse(name, content)
    histories.reading(found)
    return found


def _visits(name: str, content: bytes) -> object:
    """Open a saved list of what was visited; it can be read by people and saved again."""
    found = visited_file.from_bytes(content, name)
    listing.to_html(found, "https://host", NOON.tzinfo)
    assert visited_file.from_bytes(visited_file.to_bytes(found)) == found
    return found


# ---- traces


def traces(folder: Path) -> None:
    """A trace, and a tree of branches with its traces."""
    folder.mkdir()
    run = summary(5, 6, END)
    run.save(folder / "run.npz")
    tree = Branches((branch_of(run, (), "Original"),))
    (folder / "run.zip").write_bytes(branch_file.to_bytes(tree, {(): run}))


def _trace(path: Path) -> object:
    """Read a trace; it can be saved again."""
    found = Summary.load(path)
    found.to_bytes()
    json.dumps(found.to_dict())
    return found


def _branches(name: str, content: bytes) -> object:
    """Open a saved tree; it can be saved again."""
    tree, summaries = branch_file.from_bytes(content, name)
    assert {each.path for each in tree.items} <= set(summaries)
    branch_file.to_bytes(tree, summaries)
    return tree


# ---- models of others


def _peer(family: str) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        from tests.importing.folders import save_whole

        save_whole(family, folder)
        (folder / "README.md").write_text("---\nlicense: mit\n---\n")
        for path in folder.iterdir():  # what an import does not read
            if path.name not in FOREIGN:
                path.unlink()

    return make


_bart, _marian = _peer("bart"), _peer("marian")


def _parts(folder: Path) -> None:
    """A model whose weights lie in two files."""
    from safetensors.numpy import load_file, save_file

    _bart(folder)
    found = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(found)
    where = {name: f"part-{number * 2 // len(names)}.safetensors" for number, name in enumerate(names)}
    for shard in set(where.values()):
        save_file({name: found[name] for name in names if where[name] == shard}, folder / shard, {"format": "pt"})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))


def byte_level(folder: Path) -> None:
    """BART with vocab.json and merges.txt instead of tokenizer.json."""
    _bart(folder)
    whole = folder / "tokenizer.json"
    model = json.loads(whole.read_text())["model"]
    whole.unlink()
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]))
    merges = (" ".join(each) if isinstance(each, list) else each for each in model["merges"])
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{each}\n" for each in merges))


def _imported(path: Path) -> object:
    from core.importing.run import import_model

    with mock.patch.object(checkpoints, "write"):
        return import_model(path.parent, path.parent.with_name("written"), name="somebody/model")


def _tokenizer_of(path: Path) -> object:
    from core.importing.pieces import read_files

    return read_files(path.parent, 2000, 2)


def wordpieces(folder: Path) -> None:
    """A BERT's vocab.txt."""
    folder.mkdir()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "##c", "1", "."]
    (folder / "vocab.txt").write_text("".join(f"{name}\n" for name in names))
    (folder / "config.json").write_text('{"model_type": "bert"}')


def _encoder(path: Path) -> object:
    from core.scoring.loaded import LoadedEncoder

    return LoadedEncoder(encoders.find(f"{path.parent}:1"))


FOREIGN = (
    *("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"),
    *("special_tokens_map.json", "source.spm", "target.spm", "vocab.json", "README.md"),
)
_OF_A_CORPUS = LITTLE | CUTS | {"bytes without meaning"}

KINDS = (
    # a checkpoint whose card does not fit any more
    Kind("config.json", "json", "config.json", checkpoint, _loaded),
    Kind("tokenizer.json", "json", "tokenizer.json", checkpoint, _loaded),
    Kind("weights", "weights", "weights.safetensors", checkpoint, _loaded),
    Kind("card.json", "json", "card.json", checkpoint, _loaded, LITTLE),
    Kind("card.json, its settings", "json", "card.json", checkpoint, _settings, LITTLE | OBJECTS),
    Kind("history.csv", "csv", "history.csv", checkpoint, _loaded, ABSENT | CUTS | LITTLE),
    # a checkpoint that was made so
    Kind("config.json, made so", "json", "config.json", checkpoint, _loaded, LITTLE, after=rehash),
    Kind("tokenizer.json, made so", "json", "tokenizer.json", checkpoint, _loaded, LITTLE, after=rehash),
    Kind("weights, made so", "weights", "weights.safetensors", checkpoint, _loaded, BITS, after=rehash),
    Kind("the shape alone", "json", "config.json", checkpoint, lambda path: checkpoints.read_config(path.parent),
         LITTLE | EMPTY),
    Kind("the tokenizer alone", "json", "tokenizer.json", checkpoint, Tokenizer.load, LITTLE),
    Kind("heads.json", "json", "heads.json", checkpoint,
         _companion(checkpoints.read_heads, lambda values, _: catalogue.Catalogue.from_dict(values), decoding=False),
         ABSENT | LITTLE),
    Kind("judged.json", "json", "judged.json", checkpoint,
         _companion(checkpoints.read_judged, judged.read, decoding=False), ABSENT | LITTLE | OBJECTS),
    Kind("written.json", "json", "written.json", checkpoint, _companion(checkpoints.read_written, written.read),
         ABSENT | LITTLE | OBJECTS),
    Kind("opening.json", "json", "opening.json", checkpoint, _companion(checkpoints.read_opening, opening.read),
         ABSENT | LITTLE | OBJECTS),
    Kind("snapshots", "npz", snapshots.FILE, checkpoint, snapshots.read, ABSENT | BITS),
    Kind("a recorded run's card", "json", "card.json", recorded, lambda path: checkpoints.read_record(path.parent),
         LITTLE | OBJECTS),
    Kind("a recorded run's history", "csv", "history.csv", recorded, lambda path: checkpoints.read_record(path.parent),
         ABSENT | CUTS | LITTLE | {"cut at 1 %"}),
    # runs that can be continued
    Kind("state.json", "json", "state/state.json", runs, lambda path: _state(path.parent).restore(), LITTLE),
    Kind("the weights of a state", "weights", "state/state.safetensors", runs,
         lambda path: _state(path.parent).restore()),
    Kind("states of frozen layers", "npy", "training.npy", runs, _frozen, ALL),
    Kind("candidates", "jsonl", refining.FILE, runs, lambda path: refining._begun(path, HEAD, 400),
         ABSENT | CUTS | LITTLE),
    Kind("a finished batch", "text", "out.jsonl.parts/000000.jsonl", runs, _resumed, ALL),
    Kind("the manifest of an evaluation", "json", "out.jsonl.parts/manifest.json", runs, _resumed, LITTLE),
    # data
    Kind("a corpus, JSONL", "jsonl", "data.jsonl", data, _corpus, _OF_A_CORPUS),
    Kind("a corpus, JSONL.gz", "gzip", "data.jsonl.gz", data, _corpus, BITS),
    Kind("a corpus, CSV", "csv", "data.csv", data, _corpus, _OF_A_CORPUS),
    Kind("a corpus, JSON", "json", "document.json", data, _corpus, LITTLE),
    Kind("a corpus, Parquet", "pieces", "data.parquet", data, _corpus, BITS),
    Kind("a corpus, dialogues a line", "text", "pairs.source", data, _corpus, LITTLE | {"cut at 99 %"}),
    Kind("a Parquet file on Errors", "pieces", "data.parquet", data, _taken, BITS, uploaded=True),
    Kind("a JSON corpus on Errors", "json", "document.json", data, _taken, LITTLE, uploaded=True),
    Kind("a corpus on Errors", "jsonl", "data.jsonl", data, _taken, _OF_A_CORPUS, uploaded=True),
    Kind("a table on Errors", "csv", "data.csv", data, _taken, _OF_A_CORPUS, uploaded=True),
    Kind("a compressed corpus on Errors", "gzip", "data.jsonl.gz", data, _taken, BITS, uploaded=True),
    Kind("rows on Errors", "jsonl", "rows.jsonl", data, _taken, LITTLE, uploaded=True,
         said=("rows.jsonl", "data.jsonl")),
    Kind("rows of an evaluation", "jsonl", "rows.jsonl", data, read_rows, LITTLE | {"empty"}),
    Kind("plain predictions", "text", "plain.txt", data, _predicted, LITTLE | {"cut at 99 %"}),
    Kind("named predictions", "jsonl", "named.jsonl", data, _predicted, LITTLE),
    Kind("predictions, CSV", "csv", "named.csv", data, _predicted, LITTLE | {"cut at 99 %"}),
    Kind("labels", "jsonl", "labels.jsonl", data, labels.read_labels, LITTLE),
    Kind("labels on Errors", "jsonl", "verdicts.jsonl", data, _verdicts, LITTLE | {"empty", "cut at 99 %"},
         uploaded=True, said=("line 1", "labels")),
    Kind("measured.json", "json", "measured.json", data,
         _with(measure, "MEASURED_FILE", measure.shipped, measure.shipped), ABSENT | LITTLE),
    Kind("readings of groups", "jsonl", "groups.jsonl", data,
         _with(groups, "FILE", groups.shipped, groups.shipped), LITTLE),
    Kind("the bundled dialogues", "jsonl", "examples.jsonl", data,
         _with(examples, "PATH", examples.load_examples, examples.load_examples), LITTLE),
    Kind("the glossary", "text", "glossary.md", data, _defined, ALL),
    Kind("the glossary in another language", "text", "glossary.tr.md", data, _term, ALL),
    Kind("a catalogue of words", "text", "tr.po", data, _said, ALL),
    Kind("a stop of a lesson", "text", "6-cross-attention.md", data, _lesson, LITTLE | {"cut at 99 %"}),
    Kind("a talk", "text", "talk-45.md", data, _lesson, LITTLE | {"cut at 99 %"}),
    Kind("a baseline", "csv", "all.tsv", data, _baseline, LITTLE | CUTS),
    Kind("a dialogue, JSON", "json", "talk.json", data, read_file, LITTLE, uploaded=True),
    Kind("a dialogue, text", "plain", "talk.txt", data, read_file, BITS | CUTS | {"cut at 1 %"},
         uploaded=True),
    Kind("a dialogue, WebVTT", "plain", "talk.vtt", data, read_file, BITS | CUTS, uploaded=True),
    Kind("a dialogue, Word", "document", "talk.docx", data, read_file, BITS, uploaded=True),
    Kind("what was visited", "json", "visited.json", data, _visits, LITTLE, uploaded=True),
    Kind("a history on Training", "csv", "history.csv", data, _history, CUTS | LITTLE, uploaded=True),
    # traces
    Kind("a trace", "npz", "run.npz", traces, _trace, BITS),
    Kind("a trace on Decoding", "npz", "run.npz", traces, _branches, BITS, uploaded=True),
    Kind("branches on Decoding", "zip", "run.zip", traces, _branches, BITS, uploaded=True,
         said=("run.zip", "the file")),
    # models of others
    Kind("an imported config.json", "json", "config.json", _bart, _imported, LITTLE),
    Kind("an imported generation_config.json", "json", "generation_config.json", _bart, _imported, ABSENT | LITTLE,
         said=("generation_config.json", "decoder_start_token_id", "--decoding default")),
    Kind("imported weights", "weights", "model.safetensors", _bart, _imported, BITS | {"infinite values"},
         said=("model.safetensors", "weights")),
    Kind("an imported index", "json", "model.safetensors.index.json", _parts, _imported, BITS,
         said=("model.safetensors.index.json", ".safetensors")),
    Kind("a part of imported weights", "weights", "part-1.safetensors", _parts, _imported, BITS,
         said=("part-1.safetensors", "weights")),
    Kind("an imported tokenizer.json", "json", "tokenizer.json", _bart, _imported, LITTLE, said=("tokenizer",)),
    Kind("an imported tokenizer_config.json", "json", "tokenizer_config.json", _bart, _imported,
         ABSENT | LITTLE | OBJECTS),
    Kind("imported merges.txt", "plain", "merges.txt", byte_level, _imported, BITS | CUTS,
         said=("merges.txt", "token")),
    Kind("imported vocab.json", "json", "vocab.json", byte_level, _imported, LITTLE, said=("vocab.json", "token")),
    Kind("imported SentencePiece", "pieces", "source.spm", _marian, _imported, BITS, said=("source.spm", "token")),
    Kind("a licence", "plain", "README.md", _bart, _imported, ALL),
    Kind("imported vocab.txt", "plain", "vocab.txt", wordpieces, _tokenizer_of, BITS | CUTS,
         said=("vocab.txt", "token")),
    # encoders of BERTScore
    Kind("an encoder's config.json", "json", "config.json", roberta, _encoder, LITTLE, slow=True),
    Kind("an encoder's weights", "weights", "model.safetensors", roberta, _encoder, BITS, slow=True),
)  # fmt: skip
