"""Parts of the Tokens page."""
