"""One head from the inside: six stages side by side, and the arithmetic of the cell under the pointer.

Vectors travel as base64 of little-endian float32.
"""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.attention.inside import HeadStages
from core.figures.attention.stage_cells import stage_cells
from core.figures.shared.wording import figures
from pages.shared.components import component

head_stages = component(__file__, pick={"chosen": (int, None), "shown": int, "version": int})
"""Draws what `stages_data` returned, and keeps its own lock: a slow rerun does not set it back.

`st.session_state[key].pick` is {chosen, shown, version} inside `on_pick_change`, called when someone locked or released
a key, or wants more or fewer rows.
"""


def stages_data(
    stages: HeadStages, query_label: str, key_labels: Sequence[str], chosen: int | None, shown: int, version: int
) -> dict[str, Any]:
    """Return what the script draws: the cells of `stage_cells`, whose arguments the first five are.

    `version` is to be raised with every change of `chosen` that did not come from the component; `chosen` is taken over
    only if it is new or the keys are others.
    """
    data = stage_cells(stages, query_label, key_labels, chosen, shown)
    return data | {"vectors": {name: _packed(vector) for name, vector in data["vectors"].items()}, "version": version}


def _packed(vectors: NDArray[Any]) -> dict[str, Any]:
    """Return numbers in C order, how many a strip, and the size of the full colour, as a number and as the ends."""
    limit = float(np.abs(vectors).max())
    data = b64encode(np.ascontiguousarray(vectors, dtype="<f4").tobytes()).decode("ascii")
    return {"data": data, "size": vectors.shape[-1], "limit": limit, "ends": [figures(-limit), figures(limit)]}
