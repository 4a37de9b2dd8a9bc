"""Each place where the project opens a file is known here, with the kinds of files that are opened there."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.damage.kinds import KINDS

ROOT = Path(__file__).resolve().parents[2]
OPENING = frozenset(
    """open open_plain open_inside read_bytes read_text read_json read_csv fromfile memmap open_memmap safe_open
    load_file from_file from_pretrained load_dataset TextIOWrapper loadtxt genfromtxt get_model get_tokenizer ZipFile
    from_csv from_parquet read_sql connect load_model load_weights""".split()
)
"""Names of functions that open a file, whatever they belong to."""
OF_MODULES = {"np": {"load"}, "numpy": {"load"}, "json": {"load"}, "tomllib": {"load"}, "gzip": {"open"}, "csv": set()}
"""Names that open a file only as functions of these modules."""
WRITES = ("w", "wb", "a", "ab", "x", "xb")
PLACES: dict[str, str] = {
    # the functions that others read with
    "core/files.py: read_bytes": "by all",
    "core/files.py: read_text": "by all",
    "core/files.py: sha256": "by all",
    "core/files.py: open_plain": "by all",
    "core/files.py: claimed": "opens what it claims, and reads nothing",
    "core/files.py: mistaken": "by all: the first 64 bytes of a plain file",
    "core/importing/folder.py: open_inside": "an imported config.json",
    "core/importing/folder.py: read_text": "an imported config.json",
    # checkpoints and runs
    "core/checkpoints.py: _json": "config.json; card.json; heads.json; judged.json; written.json; opening.json; "
    "a recorded run's card",
    "core/checkpoints.py: _weights": "weights",
    "core/checkpoints.py: read_history": "history.csv; a recorded run's history",
    "core/text/tokenizer.py: load": "tokenizer.json",
    "core/training/snapshots.py: read": "snapshots",
    "core/training/loop.py: restore": "state.json; the weights of a state",
    "core/training/states.py: _read": "states of frozen layers",
    "core/training/states.py: encode": "states of frozen layers",
    "core/training/states.py: _write": "writes them",
    "core/training/recipes/refining.py: _begun": "candidates",
    "core/evaluation/parts.py: _places": "a finished batch",
    "core/evaluation/parts.py: _rows": "a finished batch",
    "core/evaluation/parts.py: open_parts": "the manifest of an evaluation",
    # data
    "core/text/corpus.py: _file_rows": "a corpus, JSONL; a corpus, JSONL.gz",
    "core/text/corpus.py: _csv_rows": "a corpus, CSV",
    "core/text/corpus.py: _hub_rows": "of the hub: its own library reads it",
    "core/evaluation/intake.py: _first_line": "a corpus on Errors; rows on Errors",
    "core/evaluation/rows.py: read_rows": "rows of an evaluation",
    "core/evaluation/predictions.py: read_predictions": "plain predictions; named predictions",
    "core/faults/labels.py: read_labels": "labels",
    "core/faults/measure.py: shipped": "measured.json",
    "core/text/examples.py: load_examples": "the bundled dialogues",
    "core/text/glossary.py: _definitions": "the glossary; the glossary in another language",
    "core/words/__init__.py: _read": "a catalogue of words",
    "core/lessons/course.py: read": "a stop of a lesson; a talk",
    "core/scoring/baselines.py: read": "a baseline",
    "core/cli/summarize.py: read_dialogue": "a dialogue, JSON; a dialogue, text",
    # traces
    "core/trace.py: load": "a trace",
    "core/trace.py: from_bytes": "a trace on Decoding",
    "core/trace.py: check_arrays": "a trace; snapshots",
    "core/trace.py: unpacked_size": "a trace; branches on Decoding",
    "core/explain/branch_file.py: from_bytes": "branches on Decoding",
    # models of others
    "core/importing/folder.py: open_folder": "an imported config.json; an imported generation_config.json",
    "core/importing/folder.py: read_json": "an imported config.json",
    "core/importing/folder.py: read": "imported weights",
    "core/importing/folder.py: sha256": "imported weights",
    "core/importing/folder.py: _weights_files": "an imported index",
    "core/importing/folder.py: _tensors": "imported weights; a part of imported weights",
    "core/importing/folder.py: _is_held": "opens a lock, and reads nothing",
    "core/importing/piece_files.py: read_settings": "an imported tokenizer_config.json",
    "core/importing/piece_files.py: _library": "an imported tokenizer.json",
    "core/importing/piece_files.py: _wordpiece": "imported vocab.txt",
    "core/importing/piece_files.py: _ids": "imported vocab.json",
    "core/importing/piece_files.py: _merges": "imported merges.txt",
    "core/importing/sentencepiece.py: read_sentencepiece": "imported SentencePiece",
    "core/importing/warm_start.py: warm_start": "an imported tokenizer.json",
    "core/importing/run.py: licence_of": "a licence",
    "core/importing/download.py: describe": "of the hub: tests/importing/test_download.py",
    "core/importing/download.py: _weights": "of the hub: tests/importing/test_download.py",
    "core/importing/download.py: _download": "of the hub: tests/importing/test_download.py",
    "core/scoring/encoders.py: _local": "an encoder's config.json",
    "core/scoring/loaded.py: __init__": "an encoder's config.json; an encoder's weights",
    # not data
    "core/backend.py: imitates_bfloat16": "what the system says of the processor",
    "core/explain/source_lines.py: source_line": "code of this project",
    "core/report/page.py: _asset": "code of this project",
    "pages/shared/components/__init__.py: _text": "code of this project",
    "pages/shared/frame/projector.py: _style": "code of this project",
    "pages/shared/frame/serving.py: _inline_scripts": "code of Streamlit",
}
"""Of each place what is opened there: kinds, or a reason why it needs none."""
REASONS = ("by all", "of the hub", "code of", "opens ", "writes ", "what the system")


def places(path: Path) -> Iterator[str]:
    """Yield the functions of a module that call what opens a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))

    def walk(node: ast.AST, function: str) -> Iterator[str]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        if isinstance(node, ast.Call) and opens(node):
            yield function
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function)

    yield from walk(tree, "the module")


def opens(call: ast.Call) -> bool:
    """Return whether a call opens a file for reading."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    owner = getattr(getattr(call.func, "value", None), "id", "")
    if owner in OF_MODULES:
        return name in OF_MODULES[owner] | OPENING
    texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
    return name in OPENING and not any(text in WRITES for text in texts)


def test_every_place_that_opens_files_is_known() -> None:
    paths = [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    found = {f"{path.relative_to(ROOT).as_posix()}: {function}" for path in paths for function in places(path)}
    assert found - PLACES.keys() == set(), "new: add its kind of file to tests/damage/kinds.py, and the place here"
    assert PLACES.keys() - found == set(), "gone: take it out"


def test_every_place_names_kinds_that_are_damaged() -> None:
    kinds = {kind.name for kind in KINDS}
    for place, about in PLACES.items():
        if not about.startswith(REASONS):
            assert set(about.split("; ")) <= kinds, place


def test_a_new_place_would_be_seen() -> None:
    for code in (
        "open(path)",
        "path.open()",
        "path.open('rb')",
        "np.load(path)",
        "json.load(file)",
        "path.read_text()",
    ):
        call = ast.parse(code).body[0].value
        assert opens(call), code
    for code in ("path.open('w')", "Summarizer.load(name)", "json.loads(text)", "csv.reader(lines)"):
        call = ast.parse(code).body[0].value
        assert not opens(call), code
