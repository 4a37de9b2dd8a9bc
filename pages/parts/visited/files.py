"""Save the list of what was visited, or open a saved one."""

from datetime import tzinfo
from functools import partial

import streamlit as st

from core.errors import VisitedError
from core.figures.shared.wording import count
from core.visited import file, listing
from core.visited.visit import Visited
from core.words import say
from pages.shared.guard import demo
from pages.shared.place import menu, visited
from pages.shared.session.session import UPLOADS

ADDED = "visited_added"
"""Session key: what the last opened file has added, until it is said."""


def draw(zone: tzinfo) -> None:
    """Draw the buttons that save the list, open one, and empty it; `zone` is that of the times."""
    items = visited.current().items
    with st.container(horizontal=True):
        if items:
            st.download_button(
                say("Save the list (.json)"),
                partial(file.to_bytes, items),
                "visited.json",
                "application/json",
                key="save_visited",
                icon=":material/save:",
                on_click="ignore",
                help=say("Names, links, dialogues, settings and summaries. You can open the file here again."),
            )
            st.download_button(
                say("Save it to read (.html)"),
                partial(listing.to_html, items, _base(), zone),
                "visited.html",
                "text/html",
                key="save_listing",
                icon=":material/article:",
                on_click="ignore",
                help=say("The same as a web page that works offline; its links lead to this app."),
            )
        with st.popover(say("Open a saved list"), icon=":material/folder_open:", width="content"):
            key = f"saved_list_{st.session_state[UPLOADS]}"
            label = say("A list that was saved here (.json)")
            demo.uploader(label, ["json"], key=key, take=_open, limit="visited_file")
        if items:
            st.button(say("Remove all"), key="remove_all", icon=":material/delete:", on_click=visited.keep,
                      args=(Visited(),))  # fmt: skip
    if added := st.session_state.pop(ADDED, ""):
        st.success(added, icon=":material/check:")


def _base() -> str:
    """Return the address of the app, without that of a page."""
    url = str(st.context.url or "")
    return url.rsplit("/", 1)[0] if url else ""


def _open(name: str, content: bytes) -> None:
    """Add the entries of a saved list."""
    st.session_state[UPLOADS] += 1  # a refused file leaves the box, too
    visits = file.from_bytes(content, name)
    for number, visit in enumerate(visits, 1):
        if (page := visit.place.page) not in menu.ENTRIES:
            reason = say("there is no page /{page} here", page=page)
            facts = {"name": repr(name), "number": number, "reason": reason}
            message = say("{name}, entry {number}: {reason}. Save the list again with this version of the app", **facts)
            raise VisitedError(message)
    before = visited.current()
    after = before.merge(visits)
    visited.keep(after)
    added = after.made - before.made
    left_out = len(before.items) + added - len(after.items)
    sentences = [say("{entries} added.", entries=count(added, "entry"))]
    if left_out:
        sentences.append(say("{count} did not fit: the oldest were left out.", count=left_out))
    st.session_state[ADDED] = " ".join(sentences)
