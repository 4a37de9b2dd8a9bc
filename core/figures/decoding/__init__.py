"""Pictures of the Decoding page."""
