"""Another system's summaries: by id in every form, in lines, and what does not fit."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import CorpusError
from core.evaluation.predictions import with_predictions
from core.text.corpus import Corpus, load_corpus
from tests.refusals import refused

ROWS = [(f"test_{n}_{k}", f"A: {n}", f"Answer {k}.") for n in range(2) for k in (1, 2, 3)]


@pytest.fixture
def hub(tmp_path: Path) -> Corpus:
    """Six rows of two dialogues, as the hub has DialogSum."""
    path = tmp_path / "hub.csv"
    path.write_text("id,dialogue,summary\n" + "".join(f"{','.join(row)}\n" for row in ROWS))
    return load_corpus(path)


@pytest.fixture
def predicted(hub: Corpus, tmp_path: Path) -> Callable[[str, str | bytes], Corpus]:
    def predicted(name: str, content: str | bytes) -> Corpus:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return with_predictions(hub, path)

    return predicted


def summaries(corpus: Corpus) -> list[str]:
    return corpus.dataset["prediction"][:]


FORMS = {
    "a.jsonl": '{"fname": "test_1", "summary": "b"}\n\n{"fname": "test_0", "summary": "a"}\n',
    "a.json": '[{"id": "test_0_2", "prediction": "a"}, {"id": "test_1_3", "prediction": "b"}]',
    "b.json": '{"test_1": "b", "test_0": "a"}',
    "c.json": '["a", "b"]',
    "a.csv": "dialogue_id;generated summary\ntest_0;a\ntest_1;b\n",
    "b.csv": "id,summary\ntest_0_1,a\ntest_0_2,a\ntest_1_1,b\n",
    "c.csv": "summary\na\nb\n",
    "a.txt": "a\nb\n",
    "b.txt": "a\na\na\nb\nb\nb",
    "c.txt": "a\r\nb\r\n".encode("utf-16"),
}


@pytest.mark.parametrize("name", FORMS)
def test_summaries_are_found_in_every_form(name: str, predicted) -> None:
    assert summaries(predicted(name, FORMS[name])) == ["a", "b"]


def test_what_is_left_out_is_said(predicted) -> None:
    found = predicted("a.txt", "a\nx\na\nb\nb\ny")
    assert summaries(found) == ["a", "b"] and found.notes[-1].startswith("a.txt: 2 other summaries of dialogues")
    found = predicted("a.jsonl", FORMS["a.jsonl"] + '{"id": "test_9", "summary": "x"}')
    assert summaries(found) == ["a", "b"] and "1 summary of ids that the corpus lacks left out" in found.notes[-1]


def test_what_does_not_fit_is_refused(predicted, hub: Corpus, tmp_path: Path) -> None:
    refused(CorpusError, "two summaries of the id 'test_0'", predicted, "a.csv", "id,summary\ntest_0,a\ntest_0,b\n")
    refused(CorpusError, "lack 1 of 2 ids, 'test_1_1'", predicted, "a.json", '{"test_0": "a"}')
    refused(CorpusError, "3 lines; rows: 2; rows of the file that can be used: 6", predicted, "a.txt", "a\nb\nc\n")
    for row in ({"id": "test_0"}, {"id": "test_0", "summary": 3}, {"id": [1], "summary": "a"}, 3, []):
        refused(CorpusError, "line 1 must be a JSON object", predicted, "a.jsonl", json.dumps(row))
    refused(CorpusError, "line 2 must be a row", predicted, "a.csv", "id,summary\na,b,c\n")
    refused(CorpusError, "No such file", with_predictions, hub, tmp_path / "none.txt")
