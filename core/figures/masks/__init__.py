"""Pictures of the Masks page."""
