"""Pictures of the Attention lab."""
