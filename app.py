"""The frame of the app: menu, sidebar, one error boundary. Start it with `streamlit run app.py`.

Streamlit imports this file once for the server (`app`), and then runs it as a script for each visitor (`main`).
"""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from core.runtime.imports import finish_numpy
from core.runtime.memory import share_arenas
from core.words import say
from pages.shared.controls import classes, lesson, sidebar
from pages.shared.guard import server_access, stale_requests
from pages.shared.model import loading, queue_notice, readiness
from pages.shared.place import address, declarations, redirects
from pages.shared.place.menu import MENU
from pages.shared.session import notices
from pages.shared.teaching import classroom, projector, stream

IMAGES = Path(__file__).parent / "pages" / "shared" / "images"
STYLE = Path(__file__).parent / "pages" / "shared" / "frame" / "frame.css"


def main() -> None:
    """Draw the app; followers of a class whose pages change together take turns."""
    with classroom.turn():
        draw()


def draw() -> None:
    """Draw the frame and run the chosen page."""
    st.set_page_config("Dialoscope", str(IMAGES / "icon.png"), layout="wide")
    st.html(STYLE)
    if not st.context.is_embedded:
        st.logo(str(IMAGES / "wordmark.svg"), icon_image=str(IMAGES / "icon.png"), size="large")
    page = st.navigation(
        {
            say(group): [
                st.Page(
                    f"pages/{entry.name}.py",
                    title=say(entry.title),
                    icon=f":material/{entry.icon}:",
                    default=entry.name == declarations.FIRST,
                )
                for entry in entries
            ]
            for group, entries in MENU.items()
        },
        position="hidden" if st.context.is_embedded else "sidebar",
        expanded=True,
    )
    with notices.boundary():
        declared = declarations.page_at(page.url_path)
        address.begin(page.url_path)
        projector.begin(declared.broad)
        classes.draw()
        lesson.draw()
        sidebar.draw(declared.uses, declared.apart)
        try:
            page.run()
        finally:
            readiness.drawn()
            loading.current_job()


queue_notice.register()
if __name__ == "__main__":
    main()
else:
    share_arenas()
    finish_numpy()
    app = st.App(
        __file__,
        lifespan=readiness.begin,
        middleware=[
            Middleware(server_access.Guard),
            Middleware(redirects.Redirects),
            Middleware(stale_requests.StaleRequests),
        ],
        routes=[Route(readiness.PATH, readiness.answer), Route(stream.PATH, stream.answer)],
    )
