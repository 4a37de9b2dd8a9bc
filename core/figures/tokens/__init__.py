"""Pictures of the Tokens page."""
