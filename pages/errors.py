"""Errors: which summaries fail, how, and because of what."""

from core.words import later
from pages.parts.errors import (
    agreement,
    behaviour,
    calibration,
    comparison,
    data,
    hints,
    labels,
    overview,
    saved,
    slices,
    spread,
    summaries,
    table,
)
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Find what went wrong"),
    [
        View.of("examples", later(":material/table_rows: Examples"), table, "errors_table_*"),
        View.of("spread", later(":material/scatter_plot: Spread"), spread, "errors_scatter_picture"),
        View.of("slices", later(":material/pie_chart: Slices"), slices, "errors_slices_picture"),
        View.of("hints", later(":material/fact_check: Hints"), hints, "errors_hints"),
        View.of("agreement", later(":material/groups: Agreement"), agreement, "errors_agreement_picture"),
        View.of("compare", later(":material/compare_arrows: Compare"), comparison, "errors_paired_picture"),
        View.of("behaviour", later(":material/swap_vert: Behaviour"), behaviour, "errors_behaviour_picture"),
        View.of("calibration", later(":material/speed: Calibration"), calibration, "errors_reliability_picture"),
    ],
    view_name="err_view",
    about=later(
        "Look at many summaries at once and find those that went wrong: every hint shows its evidence, and you decide."
    ),
    then=[("experiments", later("Experiments: why did it go wrong?"))],
    visits="page",
    fields=(*data.FIELDS, *summaries.FIELDS, labels.NAME),
    head=overview.head,
    prepare=overview.prepare,
    footer=overview.footer,
    holds=saved.held,
)

if __name__ == "__main__":
    PAGE.draw()
