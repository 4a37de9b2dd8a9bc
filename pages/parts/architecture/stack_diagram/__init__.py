"""The two stacks as a diagram: boxes that can be clicked, and the lines between them."""

from pages.shared.components import component

stack_diagram = component(__file__, pick={"path": str})
"""Draws what `core.figures.architecture.stacks.diagram_data` returned.

`st.session_state[key].pick` is {path} inside `on_pick_change`, called when a box or a layer was clicked; "" for none.
"""
