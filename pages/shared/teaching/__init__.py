"""What a class needs: a presenter and followers, the lessons on offer, the projector."""
