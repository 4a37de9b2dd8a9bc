"""Pictures: values in, plotly figures out; one module a page."""
