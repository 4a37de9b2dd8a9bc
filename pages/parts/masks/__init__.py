"""Parts of the Masks page."""
