"""The lessons that the app offers, and the fields of a link that open a stop and name its talk."""

from core.lessons import course
from core.lessons.course import PATH
from pages.shared.session.fields import Choice

CLOSED = "none"
LESSON = Choice("lesson", lambda: course.load().stops, default=CLOSED)
TALK = Choice("talk", lambda: course.load().talks, default=PATH)
FIELDS = (LESSON, TALK)
