"""The frame of the app: menu, sidebar, one error boundary. Start it with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.shared.controls import sidebar
from pages.shared.frame import address, loading, notices

IMAGES = Path(__file__).parent / "pages" / "shared" / "images"
MENU = {
    "Start": [("summarize", "Summarize", "summarize")],
    "Read": [
        ("tokens", "Tokens", "data_array"),
        ("positions", "Positions", "waves"),
        ("masks", "Masks", "visibility_off"),
    ],
    "Look inside": [
        ("attention", "Attention", "visibility"),
        ("decoding", "Decoding", "alt_route"),
        ("architecture", "Architecture", "account_tree"),
    ],
    "By hand": [("attention_lab", "Attention lab", "grid_on")],
    "Test": [("experiments", "Experiments", "science"), ("training", "Training", "fitness_center")],
    "Judge": [("bertscore", "BERTScore", "join_inner"), ("errors", "Errors", "troubleshoot")],
}
"""The menu in groups: of each page its file, its title and its Material icon; the first page is the start page."""
STYLE = """<style>
[data-testid="stBaseButton-segmented_controlActive"], [data-testid="stBaseButton-pillsActive"] { color: inherit; }
</style>"""
"""A chosen segment is written in the colour of text: the primary colour on its tint would have too little contrast."""


def main() -> None:
    """Draw the frame and run the chosen page."""
    st.set_page_config("Dialoscope", str(IMAGES / "icon.png"), layout="wide")
    st.html(STYLE)
    st.logo(str(IMAGES / "wordmark.svg"), icon_image=str(IMAGES / "icon.png"), size="large")
    page = st.navigation(
        {
            group: [
                st.Page(f"pages/{name}.py", title=title, icon=f":material/{icon}:", default=name == "summarize")
                for name, title, icon in pages
            ]
            for group, pages in MENU.items()
        }
    )
    with notices.boundary():
        address.begin(page.url_path)
        sidebar.draw(address.page_at(page.url_path).uses)
        loading.current_job()
        page.run()


main()
