"""Parts of the Architecture page."""
