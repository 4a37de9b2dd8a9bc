"""The list of what was visited: each entry leads back, and can be renamed and removed."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo

import streamlit as st

from core.figures.shared.wording import count
from core.limits import limits
from core.visited.visit import LONGEST_NAME, Visit
from core.words import say
from pages.parts.visited import files
from pages.shared.place import menu, visited
from pages.shared.session import notices
from pages.shared.session.decoding import IN_SENTENCE
from pages.shared.session.notices import literal


def draw() -> None:
    """Draw the list, newest first, and its files."""
    zone, items = local_zone(), visited.current().items
    files.draw(zone)
    notices.show_complaint()
    if not items:
        st.info(say("Nothing yet. Open a dialogue on another page, and come back."), icon=":material/history:")
        return
    st.caption(
        say(
            "{entries}, the newest first. One thing has one entry, which leads to where you left it; an entry that you "
            "rename stays as it is. At most {most} are kept, until you reload or close this page.",
            entries=count(len(items), "entry"),
            most=limits().visits,
        )
    )
    for visit in items:
        _entry(visit, zone)


def local_zone() -> tzinfo:
    """Return the time zone of the browser."""
    offset = st.context.timezone_offset
    return UTC if offset is None else timezone(timedelta(minutes=-offset))


def _entry(visit: Visit, zone: tzinfo) -> None:
    with st.container(border=True, gap="xxsmall", key=f"visit_{visit.number}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            icon = ":material/bookmark:" if visit.named else ":material/undo:"
            if st.button(f"**{literal(visit.name)}**", key=f"return_{visit.number}", icon=icon, type="tertiary"):
                visited.open_again(visit)
            st.space("stretch")
            with st.popover(say("Edit"), icon=":material/edit:", width="content"):
                key = f"name_{visit.number}_{visit.name}"
                args = (visit.number, key)
                st.text_input(say("Name"), visit.name, key=key, max_chars=LONGEST_NAME, on_change=_rename, args=args)
                key, icon = f"remove_{visit.number}", ":material/delete:"
                without = visited.current().remove(visit.number)
                st.button(say("Remove"), key=key, icon=icon, on_click=visited.keep, args=(without,), width="stretch")
        how = "" if visit.how in visit.name else f", {_how(visit)}"
        about = [menu.title(visit.place.page), visit.checkpoint + how, _moment(visit.time, zone)]
        st.caption(literal(" · ".join(filter(None, about))))


def _how(visit: Visit) -> str:
    """Return how the summary was decoded: beam 4."""
    strategy, *number = visit.how.split(" ", 1)
    return " ".join([say(IN_SENTENCE[strategy]) if strategy in IN_SENTENCE else strategy, *number])


def _moment(time: datetime, zone: tzinfo) -> str:
    """Return a time of the clock, with its day unless that is today."""
    local, today = time.astimezone(zone), datetime.now(zone).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"


def _rename(number: int, key: str) -> None:
    notices.attempt(lambda: visited.keep(visited.current().rename(number, str(st.session_state[key]))))
