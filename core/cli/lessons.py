"""The command `python -m core lessons`: check files of lessons, and compute the answers to their questions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.cli.options import DEFAULT, CheckpointOption, JsonOption, print_json
from core.errors import DialoscopeError, SettingsError
from core.lessons import course
from core.lessons.asking import Case
from core.lessons.questions import ask
from core.lessons.stop import Stop
from core.text.examples import START, example_by_id

if TYPE_CHECKING:
    from core.service import Summarizer


def lessons(
    folder: Annotated[Path | None, typer.Argument(help="Lessons of your own; without it those that ship.")] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Also compute what the questions ask.")] = False,
    checkpoint: CheckpointOption = DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Check files of lessons; what a link asks of its page is checked by the app, on /lessons."""
    whole_course = course.load(folder)
    stops, talks = whole_course.stops.values(), whole_course.talks.values()
    own = folder or course.own_folder()
    faults = (*whole_course.faults, *(course.elsewhere(own) if own else ()))
    solved = _answers([each for each in stops if each.ask], checkpoint) if answers else {}
    if as_json:
        print_json(
            {
                "stops": [each.id for each in stops],
                "talks": {each.id: each.minutes for each in talks},
                "faults": [{"file": each.file, "reason": each.reason} for each in faults],
                "answers": solved,
            }
        )
    else:
        print(f"{len(stops)} stops: {', '.join(each.id for each in stops)}")
        print(f"{len(talks)} talks: {', '.join(each.id for each in talks)}")
        for id, each in solved.items():
            print(f"{id}: {' '.join(str(part) for part in each.values())}")
    if faults:
        raise SettingsError("; ".join(each.reason for each in faults))


def _answers(stops: list[Stop], checkpoint: str) -> dict[str, dict[str, object]]:
    """Return question, answer and reason of every stop that has one, or why the model has none."""
    from core.service import Summarizer

    summarizer = Summarizer.load(checkpoint)
    return {stop.id: _answer(stop, summarizer) for stop in stops}


def _answer(stop: Stop, summarizer: "Summarizer") -> dict[str, object]:
    example = example_by_id(stop.place.link.get("example", START))
    if stop.ask is None or example is None:
        return {"question": "", "answer": "", "because": "this stop is not about one of the examples"}
    try:
        summary = summarizer.summarize(example.dialogue)
        case = Case(summarizer, summary, example.references, stop.place.link, stop.ask.numbers)
        question = ask(stop.ask.name, case)
        solution = question.solve()
    except DialoscopeError as error:
        return {"question": "", "answer": "", "because": str(error)}
    answer = question.options[solution.right] if question.options else solution.right
    return {"question": question.text, "answer": answer, "because": solution.because}
