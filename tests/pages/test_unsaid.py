"""No view says a word of English to somebody who chose another language, and none keeps words for the next visitor."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core import words
from core.config import PRESETS
from core.lessons import course, reader
from core.lessons.stop import Stop, Talk
from core.text import glossary
from core.text.examples import load_examples
from pages.shared.frame import address
from tests.pages.conftest import ROOT
from tests.pages.driver import another, open_link
from tests.words.pseudo import CODE, PLAIN, WIDE, Pseudo, wide
from tests.words.unsaid import WORD, english, texts

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
VIEWS = [(page, view) for page in PAGES for view in address.page_at(page).views]
NAMES = """Dialoscope Transformer Transformers BERTScore MiniLM BART Pegasus Marian Blenderbot Flan mBART BPE WordPiece
SentencePiece Unigram ROUGE ReLU GELU GRU LSTM softmax LayerNorm RMSNorm Keras TensorFlow PyTorch NumPy JAX ONNX Adam
AdamW Python Markdown CSV JSON JSONL HTML SVG PNG XLSX gzip npz Vaswani Shazeer Xiong Voita Clark Holtzman Bahdanau
Luong English tiny none numbers tere butone likellall Per validation wasn softmax""".lower().split()
"""Names: the same in every language."""


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pseudo]:
    """Every message in the language of `tests.words.pseudo`."""
    pseudo = Pseudo()
    monkeypatch.setitem(words._catalogues, CODE, pseudo)
    monkeypatch.setattr(words, "_ask", [lambda: CODE])
    terms = {term: wide(text) for term, text in glossary.parse(glossary.PATH.read_text("utf-8"))}
    read = glossary._definitions
    monkeypatch.setattr(glossary, "_definitions", lambda path: terms if words.language() == CODE else read(path))
    monkeypatch.setattr(course, "parse", _translated)
    yield pseudo


def _translated(name: str, text: str) -> Stop | Talk:
    """Read a lesson, in the language of `tests.words.pseudo` where that is spoken."""
    found = reader.parse(name, text)
    if words.language() != CODE:
        return found
    changed = {"title": wide(found.title), "text": wide(found.text)}
    return replace(found, **changed, task=wide(found.task)) if isinstance(found, Stop) else replace(found, **changed)


def known() -> frozenset[str]:
    """The words of the users' texts, what an untrained model writes, and names."""
    found = {*NAMES, "pad", "sos", "eos", "unk", "turn", "person"}
    found |= {word.lower() for preset in PRESETS for word in WORD.findall(preset.replace("-", " "))}
    for example in load_examples():
        for text in (example.dialogue, *example.references, example.id.replace("-", " ")):
            found |= {word.lower() for word in WORD.findall(text)}
    return frozenset(found)


def shown(app: AppTest) -> list[str]:
    return [text for block in (app.main, app.sidebar) for each in block for text in _texts(each)]


def _texts(element: object) -> list[str]:
    proto = getattr(element, "proto", None)
    if getattr(element, "type", "") == "code":
        return []
    return list(texts(proto)) if hasattr(proto, "ListFields") else []


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_no_view_speaks_english_in_another_language(app, foreign, page, view):
    declared = address.page_at(page)
    link = {declared.view.name: view} if len(declared.views) > 1 else {}
    open_link(f"pages/{page}.py", app, **link)
    allowed = known()
    found = sorted({f"{piece}   IN   {text[:140]!r}" for text in shown(app) for piece in english(text, allowed)})
    assert not found, "\n".join(found)
    words._ask.clear()
    later = open_link(f"pages/{page}.py", another(app), **link)
    assert not [text for text in shown(later) if any(letter in text for letter in WIDE)]


def test_the_pseudo_language_leaves_what_a_translator_leaves():
    assert wide("a {b:.2f} `c` $d$ :material/e: [f](g) <b>h</b>") == "ａ {b:.2f} `c` $d$ :material/e: [ｆ](g) <b>ｈ</b>"
    assert english("ａ Wrong word", frozenset()) and not english("ａ cat", frozenset({"cat"}))
    assert len(WIDE) == len(PLAIN)
