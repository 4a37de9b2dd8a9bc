"""Pictures of the Training page."""
