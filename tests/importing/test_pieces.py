"""Tests of tokenizers read from Hugging Face folders, against the tokenizers that transformers reads from them."""

import base64
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.config import END, PAD, START, TURN
from core.errors import CheckpointError
from core.importing.pieces import guess_dialogue, read_files
from core.importing.sentencepiece import CONTROL, NORMAL
from core.importing.sentencepiece import UNKNOWN as UNKNOWN_TYPE
from core.text.dialogue import parse_dialogue
from core.text.imported import ImportedTokenizer
from core.text.tokenizer import Tokenizer
from core.text.unigram import Unigram
from core.text.vocabulary import Vocabulary
from core.text.written import write
from tests.importing.folders import REAL, change, save_marian_tokenizer
from tests.importing.peer_tokenizers import FAMILIES, read_tokenizer, save, sentencepiece_file, texts
from tests.refusals import refused

Peer = tuple[Any, Vocabulary, Path]
AROUND = {
    "bart": ["<s>", "</s>"],
    "t5": ["</s>"],
    "pegasus": ["</s>"],
    "mbart": ["</s>", "de_DE"],
    "blenderbot-small": [],
    "bert": ["[CLS]", "[SEP]"],
}
"""The special tokens of a dialogue."""


@pytest.fixture(scope="module", params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def peer(family: str, saved: Callable[..., Any]) -> Peer:
    return saved(family)[1:]


@pytest.fixture(scope="module")
def ours(family: str, saved: Callable[..., Any]) -> ImportedTokenizer:
    return saved(family)[0]


def peer_ids(tokenizer: ImportedTokenizer, ids: list[int]) -> list[int]:
    return [tokenizer.peer_id(token) for token in ids]


def test_dialogues_have_the_ids_of_the_peer(ours: ImportedTokenizer, peer: Peer) -> None:
    found = texts()
    assert len(found) >= 50
    for text in found:
        dialogue = parse_dialogue(text)
        encoded = ours.encode_dialogue(dialogue, 10_000)
        assert peer_ids(ours, encoded.ids) == peer[0](write(dialogue, "names").text)["input_ids"], text


def test_summaries_have_the_ids_of_the_peer(ours: ImportedTokenizer, peer: Peer) -> None:
    for text in texts():
        expected = peer[0](text.strip(), add_special_tokens=False)["input_ids"]
        assert peer_ids(ours, ours.encode_summary(text)) == [*expected, peer[1].end], text


def test_texts_are_decoded_as_the_peer_decodes_them(ours: ImportedTokenizer, peer: Peer) -> None:
    for text in texts():
        ids = ours.encode_summary(text)
        assert ours.decode(ids)[0] == peer[0].decode(peer_ids(ours, ids), skip_special_tokens=True), text


def test_any_ids_are_decoded_as_the_peer_decodes_them(ours: ImportedTokenizer, peer: Peer) -> None:
    chance = random.Random(0)
    allowed = [token for token in range(ours.size) if token != TURN and ours.peer_id(token) < len(peer[0])]
    for _ in range(200):
        ids = chance.choices(allowed, k=chance.randrange(1, 12))
        text, tokens = ours.decode(ids)
        assert text == peer[0].decode(peer_ids(ours, ids), skip_special_tokens=True)
        assert all(token.start <= token.end <= len(text) for token in tokens)
        assert [token.start for token in tokens] == sorted(token.start for token in tokens)


def test_special_tokens_around_a_dialogue(ours: ImportedTokenizer, family: str) -> None:
    encoded = ours.encode_dialogue(parse_dialogue("Ann: hi\nBob: yo"))
    names = [ours.peer_piece(token.id) for token in encoded.tokens if token.turn is None or token.id == END]
    assert names == AROUND[family]
    assert all(token.start == token.end for token in encoded.tokens if token.turn is None)


def test_unknown_token(peer: Peer) -> None:
    assert read_files(peer[2], peer[1].rows, peer[1].end).unknown == peer[0].unk_token_id


def test_typed_special_tokens_stay_text(ours: ImportedTokenizer, peer: Peer) -> None:
    names = " ".join(peer[0].all_special_tokens)
    ids = ours.encode_summary(names)[:-1]
    assert not {PAD, START, END} & set(ids)
    assert not set(peer_ids(ours, ids)) & (set(ours.conventions.special) - {peer[1].unknown})


def test_round_trip(ours: ImportedTokenizer) -> None:
    again = Tokenizer.from_json(ours.to_json())
    assert again.to_json() == ours.to_json()
    text = "Ann: SERIOUSLY? 😀\nBob: don't"
    assert again.encode_dialogue(parse_dialogue(text)) == ours.encode_dialogue(parse_dialogue(text))


@pytest.mark.parametrize("family", ["bart", "t5", "bert"])
def test_tokens_that_were_added_later(family: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    peer, vocabulary = save(family, tmp_path)
    peer.add_tokens(["<turn>", "laser"])
    peer.add_special_tokens({"extra_special_tokens": ["<sum>"]})
    peer.add_tokens(["zzz"])
    peer.save_pretrained(tmp_path)
    peer = AutoTokenizer.from_pretrained(tmp_path)
    ours = read_tokenizer(tmp_path, replace(vocabulary, rows=len(peer)))
    text = "a <turn> laser beam zzz lasers<turn>x"
    assert peer_ids(ours, ours.encode_summary(text)[:-1]) == peer(text, add_special_tokens=False)["input_ids"]
    names = [ours.peer_piece(token) for token in ours.vocabulary.ours]
    assert names == peer.convert_ids_to_tokens(list(range(len(peer))))
    added = [ours.vocabulary.ours[token] for token in range(len(peer) - 4, len(peer))]
    assert ours.decode(added)[0] == peer.decode(peer_ids(ours, added), skip_special_tokens=True)


SENTENCEPIECE = {
    "t5": ("spiece.model", 0, ["<pad>", "</s>", "<unk>"]),
    "pegasus": ("spiece.model", 106, ["<pad>", "</s>", "<unk>"]),
    "mbart": ("sentencepiece.bpe.model", 4, ["<unk>", "<s>", "</s>"]),
}
"""The file of pieces, how many of tokenizer.json it does not have, and its special tokens."""


@pytest.mark.parametrize("family", ["bart", "bert", *SENTENCEPIECE])
def test_older_files_give_the_same_tokenizer(family: str, tmp_path: Path) -> None:
    _, vocabulary = save(family, tmp_path)
    whole = read_tokenizer(tmp_path, vocabulary)
    model = json.loads((tmp_path / "tokenizer.json").read_text())["model"]
    (tmp_path / "tokenizer.json").unlink()
    vocab = model["vocab"]
    if family == "bart":
        (tmp_path / "vocab.json").write_text(json.dumps(vocab))
        (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *map(" ".join, model["merges"])]))
    elif family == "bert":
        (tmp_path / "vocab.txt").write_text("".join(f"{name}\n" for name in sorted(vocab, key=vocab.__getitem__)))
    else:
        file, front, special = SENTENCEPIECE[family]
        types = {name: UNKNOWN_TYPE if name == "<unk>" else CONTROL for name in special}
        back = ("<extra_id_", "<mask>")
        kept = [pair for pair in vocab[front:] if not pair[0].startswith(back) and not pair[0][2:3] == "_"]
        listed = [(name, 0.0) for name in special] if front else []
        pieces = [(name, score, types.get(name, NORMAL)) for name, score in (*listed, *kept)]
        (tmp_path / file).write_bytes(sentencepiece_file(pieces))
    assert_same(read_tokenizer(tmp_path, vocabulary), whole)


def test_a_file_that_cuts_texts_gives_the_same_tokenizer(tmp_path: Path) -> None:
    _, vocabulary = save("bart", tmp_path)
    whole, path = read_tokenizer(tmp_path, vocabulary), tmp_path / "tokenizer.json"
    change(path, truncation={"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0})
    assert_same(read_tokenizer(tmp_path, vocabulary), whole)


def assert_same(found: ImportedTokenizer, expected: ImportedTokenizer) -> None:
    assert found.conventions == expected.conventions
    names, others = ([each.peer_piece(token) for token in range(each.size)] for each in (found, expected))
    assert names == others
    for text in texts():
        if not set(text) & set("▁\n\r\t\u00a0\u2009\u3000"):  # the older file has no table of characters
            dialogue = parse_dialogue(text)
            assert found.encode_dialogue(dialogue, 10_000).ids == expected.encode_dialogue(dialogue, 10_000).ids, text


@pytest.fixture(scope="module")
def marian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marian")
    save_marian_tokenizer(folder)
    return folder


def marian_vocabulary() -> Vocabulary:
    vocab = REAL["marian"]["vocab"]
    return Vocabulary(len(vocab), vocab["<pad>"], vocab["<pad>"], vocab["</s>"], vocab["<unk>"])


def test_cuts_of_marian_end_with_its_ids(marian: Path) -> None:
    found = read_tokenizer(marian, marian_vocabulary(), dialogue="text")
    unigram = Unigram(found)
    for text in texts():
        ids = [token for cut in unigram.cuts(text, 2)[:1] for token in unigram.ids(cut)]
        assert ids == found.encode_words(text), text


def test_marian_has_the_ids_and_texts_of_the_peer(marian: Path) -> None:
    found = read_tokenizer(marian, marian_vocabulary(), dialogue="text")
    assert read_files(marian, 700, 0).unknown == 1
    given = [REAL["texts"], *(REAL["marian"][name] for name in ("sources", "targets", "decoded"))]
    for text, source, target, decoded in zip(*given, strict=True):
        encoded = found.encode_dialogue(parse_dialogue(text.replace("\n", " ")), 10_000)
        if write(encoded.dialogue, "text").text == text:
            assert peer_ids(found, encoded.ids) == source, text
        ids = found.encode_summary(text)
        assert peer_ids(found, ids) == target, text
        assert found.decode(ids)[0] == decoded


def test_marian_puts_the_language_of_the_prefix_in_front(marian: Path) -> None:
    vocab = REAL["marian"]["vocab"]
    (marian / "vocab.json").write_text(json.dumps(vocab | {">>fra<<": len(vocab)}))
    vocabulary = Vocabulary(len(vocab) + 1, vocab["<pad>"], vocab["<pad>"], 0, 1)
    found = read_tokenizer(marian, vocabulary, prefix=">>fra<< ")
    assert (found.conventions.prefix, peer_ids(found, list(found.conventions.before))) == ("", [len(vocab)])


def test_unknown_characters_are_bytes_where_the_file_says_so(tmp_path: Path) -> None:
    given = REAL["bytes"]
    (tmp_path / "spiece.model").write_bytes(base64.b64decode(given["model"]))
    found = read_tokenizer(tmp_path, Vocabulary(700, 0, 0, 1, 2))
    for text, ids, decoded in zip(REAL["texts"], given["ids"], given["decoded"], strict=True):
        ours = found.encode_summary(text)
        assert peer_ids(found, ours)[:-1] == ids, text
        assert found.decode(ours)[0] == decoded
    assert found.id_text(found.vocabulary.ours[3 + 0xE2]) == "<0xE2>"


def told(family: str, folder: Path, **settings: Any) -> ImportedTokenizer:
    """A tokenizer with other settings."""
    _, vocabulary = save(family, folder)
    change(folder / "tokenizer_config.json", **settings)
    return read_tokenizer(folder, vocabulary)


def test_blanks_before_punctuation_go_where_the_settings_say_so(tmp_path: Path) -> None:
    found = told("t5", tmp_path, clean_up_tokenization_spaces=True)
    text, tokens = found.decode(found.encode_summary("so , no ' yes . it 's n't"))
    assert text == "so, no'yes. it'sn't"
    assert tokens[-1].start == len(text)


def test_language_of_the_settings_stands_behind_the_source(tmp_path: Path) -> None:
    found = told("mbart", tmp_path, src_lang="fr_XX")
    assert [found.peer_piece(token) for token in found.conventions.after] == ["</s>", "fr_XX"]


def test_first_token_of_summaries(tmp_path: Path) -> None:
    _, vocabulary = save("bart", tmp_path)
    found = read_tokenizer(tmp_path, vocabulary, first=vocabulary.ours[0])
    ids = found.encode_summary("hi")
    assert (found.peer_piece(ids[0]), ids[-1]) == ("<s>", END)
    assert found.decode(ids)[0] == "hi"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"vocab.json": "{}"}, "has no tokenizer. Received: vocab.json; needed: tokenizer.json"),
        ({"vocab.txt": "[PAD]\n[UNK]\n[CLS]\n"}, r"vocab.txt has no '\[SEP\]'"),
        (
            {"vocab.json": '{"<s>": 0, "</s>": 1, "a": 2}', "merges.txt": "#version: 0.2\na b c\n"},
            "merges.txt, line 2, must have two pieces. Received: 'a b c'",
        ),
        (  # an unknown token that is no piece
            {"tokenizer.json": '{"model": {"type": "Unigram", "vocab": [], "unk_id": 4}}'},
            "^tokenizer.json is damaged: ",
        ),
    ],
)
def test_files_that_lack_something_are_refused(files: dict[str, str], said: str, tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    refused(CheckpointError, said, read_tokenizer, tmp_path, Vocabulary(10, 0, 0, 1, 2))


def test_tokenizer_with_more_ids_than_rows_is_refused(tmp_path: Path) -> None:
    save("bart", tmp_path)
    why = "400 rows of embeddings, and a tokenizer with 5 tokens beyond them: ly,"
    refused(CheckpointError, why, read_tokenizer, tmp_path, Vocabulary(400, 1, 2, 2, 3))


def test_special_tokens_may_have_no_row(tmp_path: Path) -> None:
    save("t5", tmp_path)
    found = read_tokenizer(tmp_path, Vocabulary(310, 0, 0, 1, 2))
    assert found.peer_piece(found.vocabulary.ours[309]) == "<extra_id_92>"


@pytest.mark.parametrize("missing", ["source.spm", "target.spm", "vocab.json"])
def test_marian_needs_three_files(missing: str, marian: Path, tmp_path: Path) -> None:
    for name in {"source.spm", "target.spm", "vocab.json", "config.json"} - {missing}:
        (tmp_path / name).write_bytes((marian / name).read_bytes())
    why = f"has no {missing}, which a Marian model needs"
    refused(CheckpointError, why, read_tokenizer, tmp_path, marian_vocabulary())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("philschmid/bart-large-cnn-samsum", ("names", "")),
        ("philschmid/flan-t5-base-samsum", ("names", "summarize: ")),
        ("google-t5/t5-small", ("names", "summarize: ")),
        ("someone/mT5_dialogsum", ("tags", "")),
        ("google/pegasus-cnn_dailymail", ("names", "")),
    ],
)
def test_dialogues_are_guessed_by_the_name(name: str, expected: tuple[str, str]) -> None:
    assert guess_dialogue(name) == expected
