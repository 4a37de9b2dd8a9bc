"""Pictures of the Architecture page."""
