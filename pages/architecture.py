"""Architecture: the stacks of a preset or checkpoint, every tensor of one pass, parameters and cost."""

import streamlit as st

from core.config import RecurrentConfig
from pages.parts.architecture import chosen, printed, recurrent, shapes, sizes
from pages.shared import address, errors, state, views
from pages.shared.choices import one_of
from pages.shared.state import Key

VIEWS = {
    "shapes": ":material/account_tree: Shapes",
    "parameters": ":material/bar_chart: Parameters",
    "cost": ":material/show_chart: Cost",
    "printed": ":material/checklist: Printed tables",
}


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("Every tensor, and the line that makes it", anchor=False)
    _view()


@st.fragment
def _view() -> None:
    """Controls and view; a change draws them alone again, not the page."""
    with views.part():
        model = chosen.current()
        st.markdown(f"**Shown: {errors.literal(model.label)}.** {model.about}")
        view = one_of("View", VIEWS, Key.ARCH_VIEW, hidden=True)
        address.write()
        _draw(view, model)


def _draw(view: str, model: chosen.Chosen) -> None:
    if view == "printed":
        printed.draw()
    elif isinstance(model.config, RecurrentConfig):
        recurrent.draw(model, model.config, view)
    elif view == "parameters":
        sizes.parameters(model)
    elif view == "cost":
        sizes.costs(model)
    else:
        shapes.draw(model)


draw()
