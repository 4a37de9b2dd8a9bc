"""Pictures of the BERTScore page."""
