"""Architecture: the stacks of a preset or checkpoint, every tensor of one pass, parameters and cost."""

from pages.parts.architecture import chosen, printed, shapes, sizes
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Every tensor, and the line that makes it",
    [
        View("shapes", ":material/account_tree: Shapes", shapes.draw, pictures=("stack_diagram",)),
        View("parameters", ":material/bar_chart: Parameters", sizes.parameters, pictures=("parameter_bars_picture",)),
        View("cost", ":material/show_chart: Cost", sizes.costs, (sizes.LENGTH,), pictures=("work_picture",)),
        View("printed", ":material/checklist: Published shapes", printed.draw, pictures=("printed_0",)),
    ],
    view_name="arch_view",
    about="The network layer by layer: the shape of every tensor, the line of code that makes it, the number of its "
    "weights, and what it costs to run.",
    then=[
        ("compare", "Side by side: this page or another for two checkpoints at once"),
        ("attention_lab", "Attention lab: its most important part, by hand"),
    ],
    uses=["checkpoint"],
    fields=chosen.FIELDS,
    prepare=chosen.draw,
)

if __name__ == "__main__":
    PAGE.draw()
