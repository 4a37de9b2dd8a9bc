"""Pictures of the Errors page."""
