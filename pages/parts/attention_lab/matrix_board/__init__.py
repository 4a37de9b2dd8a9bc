"""Small matrices on a page, in groups with arrows, and the arithmetic of the cell under the pointer.

Pointing at a cell rings the cells that it is made of; a click locks it.
"""

from pages.shared.components import component

matrix_board = component(__file__, pick={"cell": str, "version": int})
"""Draws what `board.board_data` returned, and keeps its own lock: a slow rerun does not set it back.

`st.session_state[key].pick` is {cell, version} inside `on_pick_change`, called when someone locked or released a cell.
"""
