"""Parts of the BERTScore page."""
