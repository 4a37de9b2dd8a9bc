"""Architecture: the stacks of a preset or checkpoint, every tensor of one pass, parameters and cost."""

from core.words import later
from pages.parts.architecture import chosen, printed, shapes, sizes
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Every tensor, and the line that makes it"),
    [
        View.of("shapes", later(":material/account_tree: Shapes"), shapes, "stack_diagram"),
        View(
            "parameters",
            later(":material/bar_chart: Parameters"),
            sizes.parameters,
            pictures=("parameter_bars_picture",),
        ),
        View("cost", later(":material/show_chart: Cost"), sizes.costs, (sizes.LENGTH,), pictures=("work_picture",)),
        View.of("printed", later(":material/checklist: Published shapes"), printed, "printed_0"),
    ],
    view_name="arch_view",
    about=later(
        "The network layer by layer: the shape of every tensor, the line of code that makes it, the number of its "
        "weights, and what it costs to run."
    ),
    then=[("attention_lab", later("Attention lab: its most important part, by hand"))],
    uses=["checkpoint"],
    visits="page",
    fields=chosen.FIELDS,
    prepare=chosen.draw,
    footer=chosen.about,
)

if __name__ == "__main__":
    PAGE.draw()
