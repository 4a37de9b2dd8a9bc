"""Messages of errors can be shown, and are said in the language of whoever reads them."""

import copy
import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core import checkpoints, files, limits, words
from core.errors import CorpusError, DialoscopeError, SettingsError
from core.importing import download, families, folder, generation
from core.text import arrangement, judged, links
from core.text.corpus import load_corpus
from core.text.dialogue import parse_dialogue, replace_turn
from core.text.size import checked
from core.text.tokenizer import Tokenizer
from core.text.upload import read_file
from core.trace import Summary
from core.training import snapshots
from tests.words.pseudo import CODE, Pseudo
from tests.words.unsaid import english

DIALOGUE = parse_dialogue("Ann: One.\nBob: Two.")
TOKENIZER = Tokenizer.train_words(["one two one two"], 1)
KNOWN = frozenset(
    """ann bob one two zoo nowhere missing data json jsonl csv tokenizer safetensors config weights history moments list
    none dialogue speaker epoch strange messages turns name author sender role from message content summary summary1
    text references bert gpt dialoscope scratch lstm attention report tiny copier bart mbart pegasus marian blenderbot
    small ndjson tsv source parquet columns""".split()
) | {"columns dialogue"}
"""What has its name in every language: files, settings, kinds of values, models."""


def test_a_message_has_no_half_of_a_character_pair():
    assert str(CorpusError("a\ud800b\U0001f600")) == "a\\ud800b\U0001f600" and str(DialoscopeError()) == ""


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(words._catalogues, CODE, Pseudo())
    with words.speaking(CODE):
        yield


def _file(name: str, content: bytes, read: Callable[[Path], object]) -> Callable[[Path], object]:
    def written(place: Path) -> object:
        (place / name).write_bytes(content)
        return read(place / name)

    return written


def _checkpoint(place: Path) -> object:
    (place / "card.json").write_text(json.dumps({"sha256": 3}))
    return checkpoints.read(place)


REFUSALS: dict[str, Callable[[Path], object]] = {
    "a long text": lambda _: checked("a" * 900_000),
    "many bytes": lambda _: limits.check("dialogue_file", 10**9, words.say("The text")),
    "a damaged link": lambda _: links.unpack("!"),
    "another ending": lambda _: read_file("a.jpg", b"x"),
    "a data set": lambda _: read_file("a.csv", b"x"),
    "an empty file": lambda _: read_file("a.txt", b" "),
    "a web page": lambda _: read_file("a.txt", b"<!doctype html>"),
    "bytes": lambda _: read_file("a.txt", bytes(range(256))),
    "a strange object": lambda _: read_file("a.json", b'{"strange": 1}'),
    "an empty object": lambda _: read_file("a.json", b"{}"),
    "a turn that is a number": lambda _: read_file("a.json", b"[1]"),
    "a turn without a text": lambda _: read_file("a.json", b'[{"speaker": "Ann"}]'),
    "a speaker that is a list": lambda _: read_file("a.json", b'[{"speaker": [], "text": "One"}]'),
    "no such turn": lambda _: replace_turn(DIALOGUE, 7, ""),
    "no words": lambda _: TOKENIZER.encode_dialogue(parse_dialogue("?!")),
    "too many words": lambda _: TOKENIZER.encode_dialogue(DIALOGUE, 2, "error"),
    "no such word": lambda _: TOKENIZER.encode_continuation("zoo"),
    "a joined word": lambda _: TOKENIZER.encode_continuation("+two"),
    "turns": lambda _: arrangement.read("9", DIALOGUE),
    "verdicts": lambda _: judged.read({"weights": "0", "verdicts": 3}, "0"),
    "no corpus": lambda _: load_corpus("missing.csv"),
    "no row": _file("data.jsonl", b'{"dialogue": 3}\n', load_corpus),
    "no JSON": _file("data.jsonl", b'[1]\n{"dialogue"\n', load_corpus),
    "no columns": _file("data.csv", b"one,two\n1,2\n", load_corpus),
    "no checkpoint": lambda _: checkpoints.locate("nowhere"),
    "a checkpoint's name": lambda _: checkpoints.place_of("?"),
    "a card": _checkpoint,
    "a history": _file("history.csv", b"one\n1\n", checkpoints.read_history),
    "a trace": _file("run.npz", b"", Summary.load),
    "snapshots": _file("moments.npz", b"", snapshots.read),
    "no model": lambda _: download.describe("?"),
    "no folder": lambda place: folder.open_folder(place / "nowhere"),
    "no configuration": lambda place: folder.open_folder(place),
    "no object": _file("config.json", b"[]", folder.read_json),
    "a decoder": lambda _: families.family_of({"model_type": "gpt2"}),
    "an encoder": lambda _: families.family_of({"model_type": "bert"}),
    "a setting": lambda _: generation.read_generation({}, {"num_beam_groups": 3}),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_said_in_the_language_of_the_reader(name, foreign, tmp_path):
    place = tmp_path / "one"
    place.mkdir()
    with pytest.raises(DialoscopeError) as refused:
        REFUSALS[name](place)
    said = str(refused.value).replace(str(place), "").replace(tmp_path.name, "")
    assert not english(said, KNOWN), said
    with words.speaking(words.ENGLISH):
        with pytest.raises(DialoscopeError) as refused:
            REFUSALS[name](place)
        assert not any(letter in str(refused.value) for letter in "ａｅｉｏｕ")


def test_an_error_says_itself_where_it_is_shown():
    error = copy.deepcopy(SettingsError("there is no {thing} here", thing="{lamp}"))
    assert str(error) == "there is no {lamp} here"
    with pytest.MonkeyPatch.context() as patch, words.speaking("tr"):
        patch.setitem(words._catalogues, "tr", {"there is no {thing} here": "burada {thing} yok"})
        assert str(error) == "burada {lamp} yok"


def test_what_the_system_says_is_said(foreign):
    told = OSError(errno.ENOENT, os.strerror(errno.ENOENT), "a.txt")
    assert not english(files.cause(told), frozenset())
    assert files.cause(OSError(errno.ENOENT, "another text")) == "another text"
    with words.speaking(words.ENGLISH):
        assert {number: os.strerror(number) for number in files.CAUSES} == files.CAUSES


def test_every_limit_is_said(foreign):
    assert not [row for row in limits.table() if english(str(row["What is limited"]), frozenset())]
