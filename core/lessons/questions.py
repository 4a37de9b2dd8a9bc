"""The questions that a lesson can ask, by the name that stands in its file."""

from core.files import table
from core.lessons import attention_questions, summary_questions, text_questions
from core.lessons.asking import Case, Maker, Question

_MAKERS = vars(text_questions) | vars(attention_questions) | vars(summary_questions)
QUESTIONS = {name: Maker(_MAKERS[name.replace("-", "_")], **each) for name, each in table(__file__).items()}


def ask(name: str, case: Case) -> Question:
    """Return a question of `QUESTIONS` about a run; raises LessonError for a run of which it cannot be asked."""
    return QUESTIONS[name].make(case)
