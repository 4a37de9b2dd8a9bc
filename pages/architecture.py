"""Architecture: the stacks of a preset or checkpoint, every tensor of one pass, parameters and cost."""

from collections.abc import Callable

from pages.parts.architecture import chosen, printed, recurrent, shapes, sizes
from pages.parts.architecture.chosen import Chosen
from pages.shared.frame.page import Page, View


def _shapes(model: Chosen) -> None:
    _either(model, "shapes", shapes.draw)


def _parameters(model: Chosen) -> None:
    _either(model, "parameters", sizes.parameters)


def _costs(model: Chosen) -> None:
    _either(model, "cost", sizes.costs)


def _either(model: Chosen, view: str, draw: Callable[[Chosen], None]) -> None:
    if cells := model.config.has.cells:
        recurrent.draw(model, cells, view)
    else:
        draw(model)


PAGE = Page(
    "Every tensor, and the line that makes it",
    [
        View("shapes", ":material/account_tree: Shapes", _shapes),
        View("parameters", ":material/bar_chart: Parameters", _parameters),
        View("cost", ":material/show_chart: Cost", _costs, (sizes.LENGTH,)),
        View("printed", ":material/checklist: Printed tables", printed.draw),
    ],
    view_name="arch_view",
    uses=["checkpoint"],
    fields=chosen.FIELDS,
    prepare=chosen.draw,
)

if __name__ == "__main__":
    PAGE.draw()
