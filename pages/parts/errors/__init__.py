"""Parts of the Errors page."""
