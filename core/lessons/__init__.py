"""Lessons: stops that lead through the pages, talks made of stops, and the questions that a run answers."""
