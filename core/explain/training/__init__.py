"""What the Training page explains: histories of trainings."""
