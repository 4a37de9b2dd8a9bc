"""Pictures of the Attention page."""
