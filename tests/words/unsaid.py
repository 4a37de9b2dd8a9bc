"""Find English on a page that speaks another language: what no message of a catalogue brought there."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from core.config import PRESETS
from core.text.examples import load_examples
from tests.words.pseudo import _KEPT, WIDE

NAMES = """Dialoscope Transformer Transformers BERTScore MiniLM BART Pegasus Marian Blenderbot Flan mBART BPE WordPiece
SentencePiece Unigram ROUGE ReLU GELU GRU LSTM softmax LayerNorm RMSNorm Keras TensorFlow PyTorch NumPy JAX ONNX Adam
AdamW Python Markdown CSV JSON JSONL HTML SVG PNG XLSX gzip npz Vaswani Shazeer Xiong Voita Clark Holtzman Bahdanau
Luong English tiny none numbers tere butone likellall Per validation wasn softmax pad sos eos unk turn person"""
"""Names: the same in every language."""
HIDDEN = {
    "id", "key", "form_id", "element_id", "css_content", "js_content", "html_content", "fragment_id", "icon", "url",
    "page", "hash", "config", "selection_mode", "theme", "language", "registered_component_name", "component_name",
    "page_script_hash", "allowed_hosts", "url_pathname", "mime_type", "group_id", "shortcut", "cookie", "columns",
    "file_urls", "format", "query_string", "data_test", "testid", "type", "alt_url", "source_file",
}  # fmt: skip
"""Fields of Streamlit's messages that nobody reads."""
SILENT = {
    "id", "key", "type", "mode", "colorscale", "color", "family", "dash", "symbol", "template", "uid", "xref",
    "yref", "xaxis", "yaxis", "anchor", "layer", "side", "shape", "hoverinfo", "orientation", "scaleanchor",
    "textposition", "kind", "name_id", "place", "category", "categoryorder", "legendgroup", "fill", "dtype",
    "bdata", "paper", "modebar", "font", "words", "href", "link", "root", "path", "code", "picture", "file",
    "classes", "matches", "overlaying", "rangemode", "ticks", "d", "icon", "role", "state", "stage", "part",
    "edges",
}  # fmt: skip
"""Keys of a figure or of a component's data whose values nobody reads."""
WORD = re.compile(r"(?<!\w)[A-Za-z][A-Za-z'’]*(?!\w)")
SENTENCE = re.compile(r"(?<!\w)[A-Za-z]+(?:[ ,:;–—-]+[A-Za-z'’]+)+(?!\w)|(?<!\w)[A-Z][a-z]{3,}(?!\w)")
"""Some words of English in a row, or one with a capital letter."""
LEFT_OVER = re.compile(r"(?<!\w)[a-z]{4,}(?!\w)")
"""One word in a text that was translated otherwise."""
TOKEN = re.compile(r"“[^”]{1,14}”|[\w']+…|core/[\w/.]+:\d+")
"""A token, the end of a text that was cut, and a place in our source."""
LIKE_CODE = re.compile(r"[\w./~#(),-]*")
"""An id, the name of a file, a value of Plotly's: nobody reads it."""


@cache
def users() -> frozenset[str]:
    """The words of the users' texts, what an untrained model writes, and names."""
    found = {*NAMES.lower().split()}
    found |= {word.lower() for preset in PRESETS for word in WORD.findall(preset.replace("-", " "))}
    for example in load_examples():
        for text in (example.dialogue, *example.references, example.id.replace("-", " ")):
            found |= {word.lower() for word in WORD.findall(text)}
    return frozenset(found)


def shown(app: AppTest) -> list[str]:
    """Every text of a page and its sidebar that may be seen or read aloud."""
    return [text for block in (app.main, app.sidebar) for each in block for text in _texts(each)]


def _texts(element: object) -> list[str]:
    proto = getattr(element, "proto", None)
    if getattr(element, "type", "") == "code":
        return []
    return list(texts(proto)) if hasattr(proto, "ListFields") else []


def texts(message: Message) -> Iterator[str]:
    """Yield every text of an element that may be seen or read aloud."""
    for field, value in message.ListFields():
        if field.name in HIDDEN:
            continue
        values = value if field.is_repeated else [value]
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            values = []
        for each in values:
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                yield from texts(each)
            elif field.type == FieldDescriptor.TYPE_STRING and each:
                yield from _inside(field.name, each)


def _inside(name: str, value: str) -> Iterator[str]:
    if name in ("spec", "json", "mixed_json", "body") and value[:1] in "{[":
        try:
            yield from _values(json.loads(value))
            return
        except ValueError:
            pass
    yield value


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in SILENT:
                yield from _values(each)
    elif isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif isinstance(value, str):
        yield value


def english(text: str, known: frozenset[str]) -> list[str]:
    """List the English in a text: pieces with a word that is not `known`, a word of the user's texts or a name."""
    text = _KEPT.sub(" ", re.sub(r"<style.*?</style>", " ", text, flags=re.DOTALL))
    text = TOKEN.sub(" ", text.replace("\\", ""))
    said = any(letter in text for letter in WIDE)
    if not said and LIKE_CODE.fullmatch(text) and not re.fullmatch(r"[A-Z][a-z]+", text):
        return []
    pieces = [piece.group() for piece in SENTENCE.finditer(text)]
    pieces += LEFT_OVER.findall(text) if said else []
    return [piece for piece in pieces if not all(_is_known(word, known) for word in WORD.findall(piece))]


def _is_known(word: str, known: frozenset[str]) -> bool:
    word = word.strip("'’")
    return len(word) < 3 or word.lower() in known
