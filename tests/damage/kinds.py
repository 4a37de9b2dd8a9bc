"""Every kind of file that the project reads: how a whole one is made, how it is read, and which damage it may bear.

`tests/damage/test_places.py` fails when a module opens files in a place that is not in `PLACES`.
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

import numpy as np

from core import checkpoints, words
from core.config import END, DecodeSettings
from core.evaluation import intake, opening, parts, predictions, verdicts, written
from core.evaluation.local import Batch
from core.evaluation.rows import ScoredSummary, read_rows, to_line
from core.explain import branch_file, catalogue, histories
from core.explain.branches import Branches, branch_of
from core.faults import labels, measure
from core.files import sha256
from core.lessons import course
from core.model import families
from core.scoring import baselines, encoders
from core.scoring.encoders import Encoder
from core.scoring.rouge import Rouge
from core.text import examples, glossary, judged
from core.text.corpus import load_corpus
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.text.upload import load_dialogue_file
from core.trace import Alternative, AttentionTrace, DecodingStep, Summary, Token
from core.training import snapshots, states
from core.training.loop import _State
from core.training.recipes import refining
from core.training.risk import Judged
from core.training.snapshots import Attempt, Snapshot
from core.visited import file as visited_file
from tests.damage.damages import DAMAGES
from tests.visited.visits import MASKS, STEP

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "checkpoints" / "dialoscope"
NUMBERS = frozenset(each.name for each in DAMAGES if "number" in each.name)
"""Damage to single numbers of a text: where a word or an id would do as well, nobody can know."""
BITS = frozenset({"a flipped bit"})
CUTS = frozenset({"cut at 50 %", "cut at 99 %"})
ABSENT = frozenset({"missing", "a link to nothing"})
FILES = frozenset({"missing", "a folder", "a link to nothing", "a device without end", "a pipe"})
"""Damage that only a file on a disk has, not what somebody uploads."""
OBJECTS = frozenset({"wrong shape: an object", "wrong shape: an object of lists"})
"""What has neither a name that is needed nor one that is not known."""
EMPTY = frozenset({"wrong shape: an object"})


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    Args:
        name: in words.
        form: json, jsonl, csv, text, npz, npy, zip, weights, gzip or pieces.
        file: its name inside the folder that `make` fills.
        make: makes a folder with everything that is needed to read it.
        read: reads it from a folder; what it returns is whole.
        bears: damages that reading may not notice.
        said: what a refusal calls the file; its name unless given.
        uploaded: whether its content comes from a visitor, not from a path.
        after: called after the damage, before the reading.
        slow: whether it takes a library that starts slowly.
    """

    name: str
    form: str
    file: str
    make: Callable[[Path], object]
    read: Callable[[Path], object]
    bears: frozenset[str] = frozenset()
    said: tuple[str, ...] = ()
    uploaded: bool = False
    after: Callable[[Path], object] = field(default=lambda folder: None)
    slow: bool = False

    def __str__(self) -> str:
        """Return its name, for the name of a test."""
        return self.name


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

#: core/limits.py
msgid "at most 8"
msgstr "en çok 8"
'''
HEAD = {"checkpoint": "tiny@0", "data": "data.jsonl", "rows": 2}


# ---- checkpoints


def checkpoint(folder: Path) -> None:
    """A small checkpoint with everything that one may have."""
    from core.config import ModelConfig
    from tests.models import bundled, untrained

    tokenizer = Tokenizer.train_bpe(bundled(4), 400)
    config = ModelConfig(
        source_vocabulary=tokenizer.size, target_vocabulary=tokenizer.size, d_model=8, num_heads=2,
        feed_forward_dim=8, encoder_layers=1, decoder_layers=1, max_source_length=96, max_target_length=24,
        share_embeddings=True, share_output=True,
    )  # fmt: skip
    untrained(folder, config, tokenizer)
    checkpoints.write_history(folder / "history.csv", HISTORY)
    shutil.copy(SHIPPED / "heads.json", folder)
    shutil.copy(SHIPPED / "judged.json", folder)
    shutil.copy(SHIPPED / "written.json", folder)
    shutil.copy(SHIPPED / "opening.json", folder)
    snapshots.write(folder / snapshots.FILE, [Snapshot(0, (ATTEMPT,)), Snapshot(2, (ATTEMPT,))])


def rehash(folder: Path) -> None:
    """Let the card fit the files, as somebody would who made them so."""
    card = json.loads((folder / "card.json").read_text())
    card["sha256"] = {name: sha256(folder / name) for name in checkpoints.FILES if (folder / name).is_file()}
    (folder / "card.json").write_text(json.dumps(card))


_NETWORKS: dict[str, Any] = {}
"""A network of each shape: to build one takes longer than all the rest."""


def _loaded(folder: Path) -> object:
    """Read a checkpoint and put its weights into a network."""
    found = checkpoints.read(folder)
    key = repr(found.config)
    if key not in _NETWORKS:
        _NETWORKS[key] = families.build(found.config)
    checkpoints.set_weights(_NETWORKS[key], found.weights, found.name)
    return found


def _catalogue(folder: Path) -> object:
    values = checkpoints.read_heads(folder)
    return values if values is None else catalogue.Catalogue.from_dict(values)


def _judged(folder: Path) -> object:
    values = checkpoints.read_judged(folder)
    return values and judged.read(values, values.get("weights"))


def _written(folder: Path) -> object:
    values = checkpoints.read_written(folder)
    settings = checkpoints.card_decoding(checkpoints.read_card("dialoscope"))
    return values and written.read(values, values.get("weights"), settings)


def _opening(folder: Path) -> object:
    values = checkpoints.read_opening(folder)
    settings = checkpoints.card_decoding(checkpoints.read_card("dialoscope"))
    return values and opening.read(values, str(values.get("weights")), settings)


def _settings(folder: Path) -> object:
    return checkpoints.card_decoding(checkpoints.read_card(folder))


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
    return _State(folder / "state", model, {"model": {"d_model": 8}, "training": {"seed": 1}})  # type: ignore[arg-type]


def state(folder: Path) -> None:
    """The state of a training."""
    folder.mkdir()
    _state(folder).save(HISTORY)


def frozen(folder: Path) -> None:
    """States of frozen layers."""
    folder.mkdir()
    np.save(folder / "training.npy", np.ones((6, 4), dtype=np.float16))


def _frozen(folder: Path) -> object:
    found = states._read(folder / "training.npy", (6, 4))
    assert found is None or np.isfinite(found).all()
    return found


def candidates(folder: Path) -> None:
    """Candidates of a refinement, two batches."""
    folder.mkdir()
    rows = [Judged([5, 6, 2], [7, 2], [[7, 2], [8, 2]], [0.5, 0.25])._asdict()]
    lines = [json.dumps(each) for each in (HEAD, rows, rows)]
    (folder / refining.FILE).write_text("".join(f"{line}\n" for line in lines))


def evaluation(folder: Path) -> None:
    """A stopped evaluation with two finished batches."""
    folder.mkdir()
    made = parts.open_parts(folder / "out.jsonl", {"data": "x"}, resume=False)
    for number in range(2):
        made.write(Batch(number, (number,), (ROW,)))


def _resumed(folder: Path) -> object:
    found = parts.open_parts(folder / "out.jsonl", {"data": "x"}, resume=True)
    done = found.sound([(0,), (1,)])
    rows = list(found.rows())
    assert len(rows) == len(done)
    return rows


# ---- data


def data(folder: Path) -> None:
    """Corpora of every form, predictions, labels and rows."""
    folder.mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in DIALOGUES)
    (folder / "data.jsonl").write_text(lines)
    (folder / "data.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    table = "".join(f'{row["id"]},"{row["dialogue"]}",{row["summary"]}\n' for row in DIALOGUES)
    (folder / "data.csv").write_text(f"id,dialogue,summary\n{table}")
    (folder / "talk.json").write_text(json.dumps({"turns": [{"speaker": "A", "text": f"Hi, {n}."} for n in range(5)]}))
    (folder / "talk.txt").write_text("A: Hi.\nB: Hello, how are you?\n" * 5)
    (folder / "plain.txt").write_text("".join(f"{row['summary']}\n" for row in DIALOGUES))
    (folder / "named.jsonl").write_text(lines)
    (folder / "rows.jsonl").write_text(f"{to_line(ROW)}\n" * 3)
    shutil.copy(labels.LABELS_FILE, folder / "labels.jsonl")
    said = {"id": "a", "summary": ROW.summary, "hints": [], "tags": ["odd"], "note": "", "checkpoint": "0"}
    (folder / "verdicts.jsonl").write_text(json.dumps(said) + "\n")
    checkpoints.write_history(folder / "history.csv", HISTORY)
    (folder / "visited.json").write_bytes(visited_file.to_bytes([STEP, MASKS]))
    shutil.copy(examples.PATH, folder / "examples.jsonl")
    shutil.copy(measure.MEASURED_FILE, folder / "measured.json")
    shutil.copy(glossary.PATH, folder / "glossary.md")
    shutil.copy(glossary.PATH, folder / "glossary.tr.md")
    (folder / "tr.po").write_text(CATALOGUE, encoding="utf-8")
    shutil.copy(course.BUNDLED / "6-cross-attention.md", folder)
    shutil.copy(course.BUNDLED / "talk-45.md", folder)
    (folder / "all.tsv").write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.25,0.25,0.25\n")


def _taken(name: str) -> Callable[[Path], object]:
    """Read an upload of the Errors page."""
    return lambda folder: intake.read(name, (folder / name).read_bytes())


def _with(module: Any, name: str, file: str, call: Callable[[], object], *caches: Any) -> Callable[[Path], object]:
    """Read a file in the place of one that ships."""

    def read(folder: Path) -> object:
        with ExitStack() as stack:
            for each in caches:
                each.cache_clear()
                stack.callback(each.cache_clear)
            stack.enter_context(mock.patch.object(module, name, folder / file))
            return call()

    return read


def _said(folder: Path) -> object:
    """Say a message of a catalogue; where that cannot be read it is in English, and a line in the log says why."""
    with (
        mock.patch.object(words, "HERE", folder),
        mock.patch.dict(words._catalogues, {words.ENGLISH: {}}, clear=True),
        mock.patch.object(words.LOG, "warning") as warned,
        words.speaking("tr"),
    ):
        said = words.say(SAID, rows="3 rows")
        found = words.catalogue("tr")
    assert "3" in said or found.get(SAID), said
    assert found or (warned.called and said == "3 rows are left.")
    return said


def _term(folder: Path) -> object:
    read = _with(glossary, "PATH", "glossary.md", lambda: glossary.definition("head"), glossary._definitions)
    with words.speaking("tr"):
        return read(folder)


def _baseline(folder: Path) -> object:
    return baselines.read(Encoder("all", folder, 1, baseline=folder / "all.tsv"))


def _predicted(name: str) -> Callable[[Path], object]:
    return lambda folder: predictions.read_predictions(folder / name, load_corpus(folder / "data.jsonl"))


def _verdicts(folder: Path) -> object:
    content = (folder / "verdicts.jsonl").read_bytes().decode(errors="replace")
    return verdicts.read(content, [ROW])


# ---- traces


def summary() -> Summary:
    """A summary of three tokens with every array."""
    random = np.random.default_rng(0)

    def numbers(*shape: int) -> Any:
        return random.random(shape, dtype=np.float32)

    source = tuple(Token(f"s{n}", 5 + n, n, n + 1, 0, "A", n) for n in range(4))
    target = tuple(Token(f"t{n}", (5, 6, END)[n], 0, 0, None, None, n) for n in range(3))
    steps = tuple(DecodingStep(each, -0.25, 1.0, 1, (Alternative(each.id, each.text, 0.75),)) for each in target)
    attention = AttentionTrace(source, target, numbers(1, 2, 4, 4), numbers(1, 2, 3, 3), numbers(1, 2, 3, 4))
    return Summary(
        "t0 t1", parse_dialogue("A: s0 s1"), steps, attention, numbers(3, 9), numbers(2, 4, 8), numbers(2, 3, 8),
        (), (), (), None, True, DecodeSettings(), "tiny@0123456789ab", 0.5,
    )  # fmt: skip


def traces(folder: Path) -> None:
    """A trace, and a tree of branches with its traces."""
    folder.mkdir()
    run = summary()
    run.save(folder / "run.npz")
    tree = Branches((branch_of(run, (), "Original"),))
    (folder / "run.zip").write_bytes(branch_file.to_bytes(tree, {(): run}))


# ---- models of others


def _peer(family: str) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        from tests.importing.folders import save_whole

        save_whole(family, folder)
        (folder / "README.md").write_text("---\nlicense: mit\n---\n")
        for path in folder.iterdir():  # what an import does not read
            if path.name not in {*FOREIGN, "README.md"}:
                path.unlink()

    return make


def _parts(folder: Path) -> None:
    """A model whose weights lie in two files."""
    from safetensors.numpy import load_file, save_file

    _peer("bart")(folder)
    found = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(found)
    where = {name: f"part-{number * 2 // len(names)}.safetensors" for number, name in enumerate(names)}
    for shard in set(where.values()):
        save_file({name: found[name] for name in names if where[name] == shard}, folder / shard, {"format": "pt"})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))


def byte_level(folder: Path) -> None:
    """BART with vocab.json and merges.txt instead of tokenizer.json."""
    _peer("bart")(folder)
    whole = folder / "tokenizer.json"
    model = json.loads(whole.read_text())["model"]
    whole.unlink()
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]))
    merges = (" ".join(each) if isinstance(each, list) else each for each in model["merges"])
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{each}\n" for each in merges))


def _imported(folder: Path) -> object:
    from core.importing.run import import_model

    with mock.patch.object(checkpoints, "write"):
        return import_model(folder, folder.with_name("written"), name="somebody/model")


def _tokenizer_of(folder: Path) -> object:
    from core.importing.pieces import read_files

    return read_files(folder, 2000, 2)


def wordpieces(folder: Path) -> None:
    """A BERT's vocab.txt."""
    folder.mkdir()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "##c", "1", "."]
    (folder / "vocab.txt").write_text("".join(f"{name}\n" for name in names))
    (folder / "config.json").write_text('{"model_type": "bert"}')


def encoder(folder: Path) -> None:
    """A small encoder for BERTScore."""
    import torch
    from transformers import BertConfig, BertModel

    wordpieces(folder)
    names = (folder / "vocab.txt").read_text().split()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(names), hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8,
        max_position_embeddings=32,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder, safe_serialization=True)
    library = {
        "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 32, "unk_token": "[UNK]",
        "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]",
    }  # fmt: skip
    (folder / "tokenizer_config.json").write_text(json.dumps(library))


def _encoder(folder: Path) -> object:
    from core.scoring.loaded import LoadedEncoder

    return LoadedEncoder(encoders.find(f"{folder}:1"))


FOREIGN = (
    *("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"),
    *("special_tokens_map.json", "source.spm", "target.spm", "vocab.json"),
)
_OF_A_CORPUS = BITS | CUTS | NUMBERS | {"bytes without meaning"}

KINDS = (
    # a checkpoint whose card does not fit any more
    Kind("config.json", "json", "config.json", checkpoint, _loaded),
    Kind("tokenizer.json", "json", "tokenizer.json", checkpoint, _loaded),
    Kind("weights", "weights", "weights.safetensors", checkpoint, _loaded),
    Kind("card.json", "json", "card.json", checkpoint, _loaded, BITS | NUMBERS),
    Kind("card.json, its settings", "json", "card.json", checkpoint, _settings, BITS | NUMBERS | OBJECTS),
    Kind("history.csv", "csv", "history.csv", checkpoint, _loaded, ABSENT | BITS | CUTS | NUMBERS),
    # a checkpoint that was made so
    Kind("config.json, made so", "json", "config.json", checkpoint, _loaded, BITS | NUMBERS, after=rehash),
    Kind("tokenizer.json, made so", "json", "tokenizer.json", checkpoint, _loaded, BITS | NUMBERS, after=rehash),
    Kind("weights, made so", "weights", "weights.safetensors", checkpoint, _loaded, BITS, after=rehash),
    Kind("the shape alone", "json", "config.json", checkpoint, checkpoints.read_config, BITS | NUMBERS | EMPTY),
    Kind("the tokenizer alone", "json", "tokenizer.json", checkpoint,
         lambda folder: Tokenizer.load(folder / "tokenizer.json"), BITS | NUMBERS),
    Kind("heads.json", "json", "heads.json", checkpoint, _catalogue, ABSENT | BITS | NUMBERS),
    Kind("judged.json", "json", "judged.json", checkpoint, _judged, ABSENT | BITS | NUMBERS | OBJECTS),
    Kind("written.json", "json", "written.json", checkpoint, _written, ABSENT | BITS | NUMBERS | OBJECTS),
    Kind("opening.json", "json", "opening.json", checkpoint, _opening, ABSENT | BITS | NUMBERS | OBJECTS),
    Kind("snapshots", "npz", snapshots.FILE, checkpoint, lambda folder: snapshots.read(folder / snapshots.FILE),
         ABSENT | BITS),
    Kind("a recorded run's card", "json", "card.json", recorded, checkpoints.read_record, BITS | NUMBERS | OBJECTS),
    Kind("a recorded run's history", "csv", "history.csv", recorded, checkpoints.read_record,
         ABSENT | BITS | CUTS | NUMBERS | {"cut at 1 %"}),
    # runs that can be continued
    Kind("state.json", "json", "state/state.json", state, lambda folder: _state(folder).restore(), BITS | NUMBERS),
    Kind("the weights of a state", "weights", "state/state.safetensors", state,
         lambda folder: _state(folder).restore()),
    Kind("states of frozen layers", "npy", "training.npy", frozen, _frozen, frozenset(d.name for d in DAMAGES)),
    Kind("candidates", "jsonl", refining.FILE, candidates,
         lambda folder: refining._begun(folder / refining.FILE, HEAD, 400), ABSENT | BITS | CUTS | NUMBERS),
    Kind("a finished batch", "jsonl", "out.jsonl.parts/000000.jsonl", evaluation, _resumed,
         frozenset(d.name for d in DAMAGES)),
    Kind("the manifest of an evaluation", "json", "out.jsonl.parts/manifest.json", evaluation, _resumed,
         BITS | NUMBERS),
    # data
    Kind("a corpus, JSONL", "jsonl", "data.jsonl", data, lambda folder: load_corpus(folder / "data.jsonl"),
         _OF_A_CORPUS),
    Kind("a corpus, JSONL.gz", "gzip", "data.jsonl.gz", data, lambda folder: load_corpus(folder / "data.jsonl.gz"),
         BITS),
    Kind("a corpus, CSV", "csv", "data.csv", data, lambda folder: load_corpus(folder / "data.csv"), _OF_A_CORPUS),
    Kind("a corpus on Errors", "jsonl", "data.jsonl", data, _taken("data.jsonl"), _OF_A_CORPUS, uploaded=True),
    Kind("a table on Errors", "csv", "data.csv", data, _taken("data.csv"), _OF_A_CORPUS, uploaded=True),
    Kind("a compressed corpus on Errors", "gzip", "data.jsonl.gz", data, _taken("data.jsonl.gz"), BITS, uploaded=True),
    Kind("rows on Errors", "jsonl", "rows.jsonl", data, _taken("rows.jsonl"), BITS | NUMBERS, uploaded=True,
         said=("rows.jsonl", "data.jsonl")),
    Kind("rows of an evaluation", "jsonl", "rows.jsonl", data, lambda folder: read_rows(folder / "rows.jsonl"),
         BITS | NUMBERS | {"empty"}),
    Kind("plain predictions", "text", "plain.txt", data, _predicted("plain.txt"),
         BITS | NUMBERS | {"cut at 99 %"}),
    Kind("named predictions", "jsonl", "named.jsonl", data, _predicted("named.jsonl"), BITS | NUMBERS),
    Kind("labels", "jsonl", "labels.jsonl", data, lambda folder: labels.read_labels(folder / "labels.jsonl"),
         BITS | NUMBERS),
    Kind("labels on Errors", "jsonl", "verdicts.jsonl", data, _verdicts,
         BITS | NUMBERS | {"empty", "cut at 99 %"}, uploaded=True, said=("line 1", "labels")),
    Kind("measured.json", "json", "measured.json", data,
         _with(measure, "MEASURED_FILE", "measured.json", measure.shipped, measure.shipped), ABSENT | BITS | NUMBERS),
    Kind("the bundled dialogues", "jsonl", "examples.jsonl", data,
         _with(examples, "PATH", "examples.jsonl", examples.load_examples, examples.load_examples), BITS | NUMBERS),
    Kind("the glossary", "text", "glossary.md", data,
         _with(glossary, "PATH", "glossary.md", lambda: glossary.definition("head"), glossary._definitions),
         frozenset(d.name for d in DAMAGES)),
    Kind("the glossary in another language", "text", "glossary.tr.md", data, _term, frozenset(d.name for d in DAMAGES)),
    Kind("a catalogue of words", "text", "tr.po", data, _said, frozenset(d.name for d in DAMAGES)),
    Kind("a stop of a lesson", "text", "6-cross-attention.md", data,
         lambda folder: course.read(folder / "6-cross-attention.md"), BITS | NUMBERS | {"cut at 99 %"}),
    Kind("a talk", "text", "talk-45.md", data, lambda folder: course.read(folder / "talk-45.md"),
         BITS | NUMBERS | {"cut at 99 %"}),
    Kind("a baseline", "csv", "all.tsv", data, _baseline, BITS | NUMBERS | CUTS),
    Kind("a dialogue, JSON", "json", "talk.json", data,
         lambda folder: load_dialogue_file("talk.json", (folder / "talk.json").read_bytes()), BITS | NUMBERS,
         uploaded=True),
    Kind("a dialogue, text", "plain", "talk.txt", data,
         lambda folder: load_dialogue_file("talk.txt", (folder / "talk.txt").read_bytes()),
         BITS | CUTS | {"cut at 1 %"}, uploaded=True),
    Kind("what was visited", "json", "visited.json", data,
         lambda folder: visited_file.from_bytes((folder / "visited.json").read_bytes(), "visited.json"),
         BITS | NUMBERS, uploaded=True),
    Kind("a history on Training", "csv", "history.csv", data,
         lambda folder: histories.parse("history.csv", (folder / "history.csv").read_bytes()), BITS | CUTS | NUMBERS,
         uploaded=True),
    # traces
    Kind("a trace", "npz", "run.npz", traces, lambda folder: Summary.load(folder / "run.npz"), BITS),
    Kind("a trace on Decoding", "npz", "run.npz", traces,
         lambda folder: branch_file.from_bytes((folder / "run.npz").read_bytes(), "run.npz"), BITS, uploaded=True),
    Kind("branches on Decoding", "zip", "run.zip", traces,
         lambda folder: branch_file.from_bytes((folder / "run.zip").read_bytes(), "run.zip"), BITS, uploaded=True,
         said=("run.zip", "the file")),
    # models of others
    Kind("an imported config.json", "json", "config.json", _peer("bart"), _imported, BITS | NUMBERS),
    Kind("an imported generation_config.json", "json", "generation_config.json", _peer("bart"), _imported,
         ABSENT | BITS | NUMBERS, said=("generation_config.json", "decoder_start_token_id", "--decoding default")),
    Kind("imported weights", "weights", "model.safetensors", _peer("bart"), _imported, BITS | {"infinite values"},
         said=("model.safetensors", "weights")),
    Kind("an imported index", "json", "model.safetensors.index.json", _parts, _imported, BITS,
         said=("model.safetensors.index.json", ".safetensors")),
    Kind("a part of imported weights", "weights", "part-1.safetensors", _parts, _imported, BITS,
         said=("part-1.safetensors", "weights")),
    Kind("an imported tokenizer.json", "json", "tokenizer.json", _peer("bart"), _imported, BITS | NUMBERS,
         said=("tokenizer",)),
    Kind("an imported tokenizer_config.json", "json", "tokenizer_config.json", _peer("bart"), _imported,
         ABSENT | BITS | NUMBERS | OBJECTS),
    Kind("imported merges.txt", "plain", "merges.txt", byte_level, _imported, BITS | CUTS,
         said=("merges.txt", "token")),
    Kind("imported vocab.json", "json", "vocab.json", byte_level, _imported, BITS | NUMBERS,
         said=("vocab.json", "token")),
    Kind("imported SentencePiece", "pieces", "source.spm", _peer("marian"), _imported, BITS,
         said=("source.spm", "token")),
    Kind("a licence", "plain", "README.md", _peer("bart"), _imported, frozenset(d.name for d in DAMAGES)),
    Kind("imported vocab.txt", "plain", "vocab.txt", wordpieces, _tokenizer_of, BITS | CUTS,
         said=("vocab.txt", "token")),
    # encoders of BERTScore
    Kind("an encoder's config.json", "json", "config.json", encoder, _encoder, BITS | NUMBERS, slow=True),
    Kind("an encoder's weights", "weights", "model.safetensors", encoder, _encoder, BITS, slow=True),
)  # fmt: skip
