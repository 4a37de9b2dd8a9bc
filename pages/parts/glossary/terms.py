"""The terms of the glossary, to search, each with a way to the page on which it is seen."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from core.errors import CorpusError
from core.text import glossary
from core.text.glossary import Term
from core.words import say
from pages.shared.controls import choices
from pages.shared.controls.open_head import KIND, SHOWS
from pages.shared.place import menu, places
from pages.shared.session.fields import Text
from pages.shared.session.notices import literal

SEARCH = Text("search", 60)
FIELDS = (SEARCH,)


class Door(NamedTuple):
    """A page, the view of it that opens, and what that shows, by the names of its fields."""

    page: str
    view: str = ""
    fields: Mapping[str, Any] = {}


GROUPS: tuple[Door, ...] = (
    Door("tokens", "tokens"),
    Door("architecture", "shapes"),
    Door("attention", "heads"),
    Door("decoding", "steps"),
    Door("experiments", "turns"),
    Door("training", "curves"),
    Door("errors", "examples"),
)
"""The groups in the order of the file."""
DOORS: tuple[tuple[Door, tuple[str, ...]], ...] = (
    (Door("summarize"), ("dialogue", "turn", "reference", "copied share", "checkpoint")),
    (Door("tokens", "merges"), ("BPE", "merge", "word-level tokenizer", "sub-word")),
    (Door("tokens", "length"), ("truncation",)),
    (Door("tokens", "embedding"), ("embedding",)),
    (Door("tokens", "forcing"), ("teacher forcing",)),
    (Door("positions", "encoding"), ("position", "positional encoding", "learned positions", "dimension")),
    (Door("masks", "batch"), ("batch", "padding", "mask", "padding mask", "look-ahead mask", "target mask")),
    (Door("attention_lab", "attention"), ("query", "key", "value", "attention score", "scaling", "softmax")),
    (Door("attention_lab", "scoring"), ("additive attention", "multiplicative attention")),
    (Door("attention_lab", "block"), ("residual connection", "layer normalisation", "post-norm", "pre-norm")),
    (Door("attention", "inside"), ("projection", "trace", "replay", "gate")),
    (Door("attention", "turns"), ("attention", "attention weight", "cross-attention", "roll-up", "attention sink")),
    (Door("attention", "catalogue"), ("head catalogue", "effective number of keys")),
    (Door("attention", "head", {KIND.name: "cross"}), ("copy head", "copy distribution", "p_gen")),
    (Door("decoding", "beam"), ("beam", "beam search", "beam size", "hypothesis", "length penalty")),
    (Door("decoding", "bench"), ("strategy", "greedy", "sampling", "repetition rule", "seed")),
    (Door("decoding", "branches"), ("prefix", "branch")),
    (Door("attention", "head", {KIND.name: "cross"}), ("looks at",)),
    (Door("attention", "head", {KIND.name: "cross", SHOWS.name: "norms"}), ("carries", "norms")),
    (Door("attention", "head", {KIND.name: "cross", SHOWS.name: "zeroing"}), ("value zeroing",)),
    (Door("experiments", "methods", {"method": "occlusion"}), ("depends on",)),
    (Door("experiments", "methods", {"method": "contributions"}), ("contributions", "attribution")),
    (Door("experiments", "methods", {"method": "integrated"}), ("integrated gradients",)),
    (Door("experiments", "methods", {"method": "shapley"}), ("Shapley value",)),
    (Door("experiments", "methods", {"method": "reliance"}), ("reliance",)),
    (Door("experiments", "patching"), ("patching",)),
    (Door("experiments", "compare"), ("deletion and insertion",)),
    (Door("decoding", "steps", {"voters": "layer"}), ("votes",)),
    (Door("experiments", "words"), ("gradient × input", "finite differences", "foil", "gradient")),
    (Door("experiments", "heads"), ("ablation", "zero ablation", "mean ablation", "noise floor")),
    (Door("experiments", "lenses"), ("logit lens", "DecoderLens")),
    (Door("training", "schedule"), ("learning rate", "learning-rate schedule", "warm-up")),
    (Door("training", "lapse"), ("snapshot",)),
    (Door("bertscore", "matrix"), ("BERTScore", "cosine similarity", "precision", "recall", "F1", "idf")),
    (Door("bertscore", "scores"), ("ROUGE", "baseline rescaling", "n-gram")),
    (Door("errors", "hints"), ("hint", "base rate", "Wilson interval")),
    (Door("errors", "slices"), ("slice", "confidence interval")),
    (Door("errors", "compare"), ("paired bootstrap",)),
    (Door("errors", "calibration"), ("calibration", "Brier score", "expected calibration error")),
)
_OF_TERM = {name: page for page, names in DOORS for name in names}
"""On which page and view a term is seen, where that is another one than that of its group."""


def draw() -> None:
    """Draw the search, and the terms that it finds; without one all of them, behind the headings of their groups."""
    with choices.row():
        st.text_input(
            say("Search the terms"),
            key=SEARCH.name,
            max_chars=SEARCH.longest,
            placeholder=say("a term or a word of its definition"),
            persist_state="session",
            icon=":material/search:",
            width=420,
        )
    try:
        groups = glossary.groups()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError("the glossary cannot be read: {reason}", reason=error) from None
    wanted = SEARCH.value.strip().casefold()
    matching = {name: [term for term in terms if _matches(term, wanted)] for name, terms in groups.items()}
    total = sum(map(len, groups.values()))
    count = sum(map(len, matching.values()))
    if not count:
        st.info(
            say("No term and no definition has “{text}”.", text=literal(SEARCH.value.strip())), icon=":material/info:"
        )
    for name, terms in matching.items():
        if terms:
            with st.expander(say("{group} ({count})", group=name, count=len(terms)), expanded=bool(wanted)):
                for term in terms:
                    _term(term)
    st.caption(say("{count} of {total} terms.", count=count, total=total))


def _matches(term: Term, wanted: str) -> bool:
    return wanted in f"{term.heading} {term.name} {term.definition}".casefold()


def _term(term: Term) -> None:
    """Draw a term, its definition and source, and the button that leads to its page."""
    page, view, fields = door(term)
    text, way = st.columns([5, 1])
    source = f"  \n:small[{literal(term.source)}]" if term.source else ""
    text.markdown(f"**{literal(term.heading)}**  \n{literal(term.definition)}{source}")
    label = say("See {page}", page=menu.title(page))
    if way.button(label, key=f"see_{term.name}", type="tertiary", icon=":material/arrow_forward:"):
        places.visit(page, view, **fields)


def door(term: Term) -> Door:
    """Return the page on which a term is seen, and what it shows there."""
    return _OF_TERM.get(term.name) or GROUPS[min(term.group, len(GROUPS) - 1)]
