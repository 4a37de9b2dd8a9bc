"""The frame of the app: navigation, sidebar, one error boundary. Start it with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.shared import address, controls, errors, state

IMAGES = Path(__file__).parent / "pages" / "shared" / "images"
# The pages in the order of the menu; arguments of st.Page.
PAGES = (
    {"page": "pages/summarize.py", "title": "Summarize", "icon": ":material/summarize:", "default": True},
    {"page": "pages/tokens.py", "title": "Tokens", "icon": ":material/data_array:"},
    {"page": "pages/decoding.py", "title": "Decoding", "icon": ":material/alt_route:"},
    {"page": "pages/attention.py", "title": "Attention", "icon": ":material/visibility:"},
    {"page": "pages/experiments.py", "title": "Experiments", "icon": ":material/science:"},
    {"page": "pages/attention_lab.py", "title": "Attention lab", "icon": ":material/grid_on:"},
    {"page": "pages/positions.py", "title": "Positions", "icon": ":material/waves:"},
    {"page": "pages/masks.py", "title": "Masks", "icon": ":material/visibility_off:"},
    {"page": "pages/architecture.py", "title": "Architecture", "icon": ":material/account_tree:"},
    {"page": "pages/training.py", "title": "Training", "icon": ":material/fitness_center:"},
    {"page": "pages/bertscore.py", "title": "BERTScore", "icon": ":material/join_inner:"},
    {"page": "pages/errors.py", "title": "Errors", "icon": ":material/troubleshoot:"},
)


def main() -> None:
    """Draw the frame and run the chosen page."""
    st.set_page_config("Dialoscope", str(IMAGES / "icon.png"), layout="wide")
    st.logo(str(IMAGES / "wordmark.svg"), icon_image=str(IMAGES / "icon.png"), size="large")
    page = st.navigation([st.Page(**options) for options in PAGES])
    with errors.boundary():
        address.begin(page.url_path)
        controls.sidebar()
        state.current_job()
        _notes()
        page.run()


def _notes() -> None:
    """Say what was left out of the link that opened this session."""
    if state.notes():
        with st.container(horizontal=True, vertical_alignment="center", key="notes"):
            st.warning("  \n".join(errors.literal(note) for note in state.notes()), icon=":material/link_off:")
            st.button("Got it", key="notes_read", on_click=state.clear_notes)


main()
