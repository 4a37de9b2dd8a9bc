"""Pictures: values in, plotly figures out; a room a page, and `shared`."""
