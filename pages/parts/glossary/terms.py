"""The terms of the glossary, to search, each with a way to the page on which it is seen."""

import streamlit as st

from core.errors import CorpusError
from core.text import glossary
from core.text.glossary import Term
from core.words import say
from pages.parts.glossary.doors import door
from pages.shared.controls import choices
from pages.shared.place import menu, places
from pages.shared.session.fields import Text
from pages.shared.session.notices import literal

SEARCH = Text("search", 60)
FIELDS = (SEARCH,)


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
