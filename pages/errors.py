"""Errors: which summaries fail, how, and because of what."""

from core.words import later
from pages.parts.errors import (
    agreement,
    calibration,
    comparison,
    data,
    hints,
    labels,
    overview,
    saved,
    slices,
    spread,
    table,
)
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Find what went wrong"),
    [
        View(
            "examples", later(":material/table_rows: Examples"), table.draw, table.FIELDS, pictures=("errors_table_*",)
        ),
        View(
            "spread",
            later(":material/scatter_plot: Spread"),
            spread.draw,
            spread.FIELDS,
            pictures=("errors_scatter_picture",),
        ),
        View(
            "slices",
            later(":material/pie_chart: Slices"),
            slices.draw,
            slices.FIELDS,
            pictures=("errors_slices_picture",),
        ),
        View("hints", later(":material/fact_check: Hints"), hints.draw, pictures=("errors_hints",)),
        View(
            "agreement",
            later(":material/groups: Agreement"),
            agreement.draw,
            agreement.FIELDS,
            pictures=("errors_agreement_picture",),
        ),
        View(
            "compare",
            later(":material/compare_arrows: Compare"),
            comparison.draw,
            comparison.FIELDS,
            pictures=("errors_paired_picture",),
        ),
        View(
            "calibration",
            later(":material/speed: Calibration"),
            calibration.draw,
            calibration.FIELDS,
            pictures=("errors_reliability_picture",),
        ),
    ],
    view_name="err_view",
    about=later(
        "Look at many summaries at once and find those that went wrong: every hint shows its evidence, and you decide."
    ),
    then=[("experiments", later("Experiments: why did it go wrong?"))],
    visits="page",
    fields=(*data.FIELDS, labels.NAME),
    head=overview.head,
    prepare=overview.prepare,
    footer=overview.footer,
    holds=saved.held,
)

if __name__ == "__main__":
    PAGE.draw()
