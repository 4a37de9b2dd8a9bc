"""A small model, a corpus of bundled dialogues, and what a row looks like."""

import json
from pathlib import Path

import pytest

from core.evaluation.rows import ScoredSummary, WrittenToken
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.scoring.bertscore import BertScore
from core.scoring.rouge import Rouge
from core.text.corpus import Corpus, load_corpus
from core.text.examples import load_examples


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eleven bundled dialogues, two bad lines among them, and one short one: two buckets of the small model."""
    rows = [
        json.dumps({"id": each.id, "dialogue": each.dialogue, "references": each.references, "topic": each.topic})
        for each in load_examples()[:10]
    ]
    rows.insert(2, "not json")
    rows.insert(5, json.dumps({"dialogue": "A: no summary"}))
    rows.append(json.dumps({"id": "short", "dialogue": "A: Hi.\nB: Hello, how are you?", "summary": "They greet."}))
    path = tmp_path_factory.mktemp("corpus") / "data.jsonl"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def corpus(data: Path) -> Corpus:
    return load_corpus(data)


@pytest.fixture
def row() -> ScoredSummary:
    """A row with something in every field."""
    return ScoredSummary(
        id="7", dialogue="A: Hi.\u2028B: \u201cHey\u201d", references=("They greet.", "Hello."), topic="greeting",
        summary="A greets B.", rouge=Rouge(50.0, 0.0, 100 / 3), bertscore=BertScore(0.5, 0.25, 1 / 3),
        log_probability=-3.25, entropy=0.1, truncated=True,
        tokens=(WrittenToken("A", 0, 1, 1e-12, 0.25), WrittenToken("[EOS]", 11, 11, 1.0, 0.0)),
        attention=(0.75, 0.25), faults=(Fault("novel_name", 9, 10, (1,), Evidence("No turn says B."), 0.5),),
    )  # fmt: skip
