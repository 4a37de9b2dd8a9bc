"""The frame of a page: title, views, notices, error boundary and address. A page's file declares a `Page`, no more."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import Any, Self

import streamlit as st

from core.words import language, later, say, speaking
from pages.shared.components.projector_keys import projector_keys
from pages.shared.controls import choices
from pages.shared.model import queue_notice
from pages.shared.place import address, declarations, menu, open_stop, page_description, places, visited
from pages.shared.session import decoding, notices, session
from pages.shared.session.fields import Choice, Field
from pages.shared.teaching import classroom, projector

HEAD, ABOUT, VIEWS = "page_head", "page_about", "page_views"
"""Keys of the row with the title of a page, its dialogue and its model, of the sentence below it, and of its views."""


@dataclass(frozen=True)
class View:
    """One of the views of a page.

    Args:
        name: in a link.
        label: on its segment, with an icon, marked with `later`; or a function that says it.
        draw: draws it; it gets what the page's `prepare` returned, if the page has one.
        fields: what a link can say of it.
        pictures: keys of what must be seen whole by a projector; what stands before the last of them is folded away.
    """

    name: str
    label: str | Callable[[], str]
    draw: Callable[..., None]
    fields: tuple[Field[Any], ...] = ()
    pictures: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, label: str | Callable[[], str], file: Any, *pictures: str) -> Self:
        """Return the view that lies in a file of its own: its `draw` and, where it has any, its `FIELDS`."""
        return cls(name, label, file.draw, getattr(file, "FIELDS", ()), pictures)


@dataclass(eq=False)
class Page:
    """What a page is: its file declares one as `PAGE` and draws it when Streamlit runs the file.

    Its texts are marked with `later`, and said when they are drawn.

    Args:
        title: its heading.
        shown: its views, of which one is chosen; at least one.
        view_name: name of that choice in a link.
        view_label: what is chosen, for screen readers.
        about: what the page is about: one sentence, below the heading.
        then: where to go beside the next page of the menu: the names of the files of other pages, and what there is to
            see, "Tokens: how …".
        uses: what of the sidebar matters here: "checkpoint", "decoding".
        apart: whether no choice that pages share matters here: the sidebar holds the menu and the projector's switch
            alone, and the address names the page's own fields and the projector alone.
        broad: whether it needs the whole window: the sidebar begins folded.
        visits: what an entry in the list of what was visited is about: the current "dialogue", the "page", or "" where
            there is nothing to return to.
        fields: what a link can say beside the fields of the views; these are added.
        head: draws chips beside the title: its dialogue, its files; a choice does not draw them again.
        prepare: draws the controls that all views share, and returns what the views draw; None: nothing to draw yet.
        footer: draws what stands below every view; it gets what `prepare` returned.
        on_view: called when another view is chosen.
        holds: returns what people brought to this page or made on it in this session, each thing said.
    """

    title: str
    shown: InitVar[Sequence[View]]
    _: KW_ONLY
    view_name: InitVar[str] = "view"
    view_label: str = later("View")
    about: str = ""
    then: Sequence[tuple[str, str]] = ()
    uses: Sequence[str] = ("checkpoint", "decoding")
    apart: bool = False
    broad: bool = False
    visits: str = "dialogue"
    fields: Sequence[Field[Any]] = ()
    head: Callable[[], None] | None = None
    prepare: Callable[[], Any] | None = None
    footer: Callable[..., None] | None = None
    on_view: Callable[[], None] | None = None
    holds: Callable[[], Sequence[str]] = list

    def __post_init__(self, shown: Sequence[View], view_name: str) -> None:
        self.views = {view.name: view for view in shown}
        self.view = Choice(view_name, list(self.views))
        own = {field.name: field for field in (*(field for view in shown for field in view.fields), *self.fields)}
        self.fields = (*([self.view] if len(shown) > 1 else []), *own.values())

    def draw(self) -> None:
        """Draw the page."""
        session.require_frame()
        self._heading()
        body = st.container()
        self._onward()  # before the body: a view that waits for its model stops the run
        with body:
            st.fragment(self._body)()

    def _heading(self) -> None:
        """Draw title and chips in one row, below it the sentence of the page; for a projector title and sentence."""
        if projector.on():
            projector.title(say(self.title), say(self.about))
            if self.head:
                self.head()
            return
        with st.container(horizontal=True, vertical_alignment="center", key=HEAD):
            if not st.context.is_embedded:  # as a side of the page of two models, which says what it is
                st.title(say(self.title), anchor=False, width="content")
            if self.head:
                self.head()
            if "checkpoint" in self.uses and not st.context.is_embedded:
                st.badge(notices.literal(decoding.checkpoint()), icon=":material/neurology:", color="gray")
        if not st.context.is_embedded:
            st.container(key=ABOUT).markdown(say(self.about))

    def _onward(self) -> None:
        """Draw the ways to the next pages, as the last line."""
        following = menu.after(st.session_state[places.PAGE] or declarations.FIRST)
        with st.container(horizontal=True, vertical_alignment="center", key="onward"):
            st.markdown(say("**Next**"), width="content")
            for name, label in [(following.name, following.shows), *self.then]:
                st.page_link(f"pages/{name}.py", label=say(label), icon=":material/arrow_forward:")

    def _body(self) -> None:
        """Draw the views with all that surrounds them; a choice draws this part again, not the page."""
        st.session_state[session.RUNS] = st.session_state.get(session.RUNS, 0) + 1
        above = st.empty()
        queue_notice.begin()
        page_description.begin()
        try:
            with notices.boundary("body"):
                address.check(st.session_state[places.PAGE])
                if classroom.compare(places.now):
                    st.rerun()  # the bar of the class, too
                with speaking(language()):  # asked once, not for every word
                    self._content()
            classroom.settle(places.now)  # what the page itself changed is no change of a follower
            open_stop.observe()
        finally:
            address.write()
            if notices.notes():
                with above.container():
                    notices.show_notes()

    def _content(self) -> None:
        view = next(iter(self.views.values()))
        labels = {
            name: say(each.label) if isinstance(each.label, str) else each.label() for name, each in self.views.items()
        }
        if len(self.views) > 1:
            with st.container(key=VIEWS):
                label, change = say(self.view_label), self.on_view
                view = self.views[choices.one_of(label, labels, self.view.name, hidden=True, on_change=change)]
        choices.begin()
        self._project(view)
        subject: tuple[Any, ...] = ()
        if self.prepare:
            prepared = self.prepare()
            if prepared is None:
                return
            subject = (prepared,)
        with notices.boundary("view"):
            view.draw(*subject)
        if self.footer:
            self.footer(*subject)
        if self.visits:
            visited.record(labels[view.name], of_dialogue=self.visits == "dialogue")

    def _project(self, view: View) -> None:
        """Fold away what stands before the pictures of a view, and listen to the keys of the projector."""
        if projector.on():
            if folding := projector.folding(view.pictures, self.view.name):
                st.html(folding)
            chosen, pictures = f"{st.session_state[places.PAGE]} {view.name}", projector.selectors(view.pictures)
            projector_keys(self.view.name, chosen, pictures, st.session_state[session.RUNS])
