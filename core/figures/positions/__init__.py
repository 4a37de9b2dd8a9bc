"""Pictures of the Positions page."""
