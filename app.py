"""The frame of the app: menu, sidebar, one error boundary. Start it with `streamlit run app.py`.

Streamlit imports this file once for the server (`app`), and then runs it as a script for each visitor (`main`).
"""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from core.runtime.memory import share_arenas
from core.words import say
from pages.shared.controls import classes, lesson, sidebar
from pages.shared.guard import server_access, stale_requests
from pages.shared.model import loading, readiness
from pages.shared.place import address, declarations, redirects
from pages.shared.place.menu import MENU
from pages.shared.session import notices
from pages.shared.teaching import classroom, projector, stream

IMAGES = Path(__file__).parent / "pages" / "shared" / "images"
STYLE = """<style>
[data-testid="stButtonGroup"] button[data-variant][data-selected] { color: inherit; }
[data-testid="stSliderThumbValue"] { color: inherit; }
:is([data-testid="stMain"], [data-testid="stPopoverBody"]):focus-visible {
  outline: 3px solid light-dark(#1a579b, #6fb7f0); outline-offset: -3px;
}
.stApp pre .token.token:is(.keyword, .function, .class-name, .variable) { color: light-dark(#1a579b, #6fb7f0); }
.stApp pre .token.token:is(.number, .boolean, .string) { color: light-dark(#00695c, #4fc7a0); }
.stApp pre .token.token.operator { color: light-dark(#a84300, #f0914a); }
.stApp pre .token.token:is(.comment, .punctuation) { color: light-dark(#555f6e, #a3adbb); }
[data-testid="stBottomBlockContainer"]:has(.st-key-lesson, .st-key-class) { max-width: none; padding: 0 1.5rem 0.5rem; }
.st-key-lesson { border-top: 3px solid light-dark(#1a579b, #6fb7f0); padding-top: 0.4rem; }
.st-key-lesson { max-height: 45vh; overflow-y: auto; }
[data-testid="stLayoutWrapper"]:has(> .st-key-class_idle) { display: none; }
.st-key-lesson :is(p, button) { font-size: 0.9rem; line-height: 1.35; }
[data-testid="stMainBlockContainer"]:has(.st-key-compare_pair) { padding: 2.8rem 1rem 1rem; }
.streamlit-embedded [data-testid="stMainBlockContainer"] { padding: 1rem; }
.st-key-lesson button { min-height: 2rem; padding: 0.1rem 0.6rem; }
</style>"""
"""What Streamlit's theme does not reach: the contrast of chosen segments, values of sliders and code; the focus of the
page and of opened boxes; the margins of two models side by side; how low and wide the panel of a lesson is."""


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


if __name__ == "__main__":
    main()
else:
    share_arenas()
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
