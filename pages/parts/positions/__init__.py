"""Parts of the Positions page."""
