"""Pictures of the Experiments page."""
