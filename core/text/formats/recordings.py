"""JSON of recordings: WhisperX and other recognisers of speech, QMSum and AMI meetings."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.text.formats.content import Content
from core.text.formats.subtitles import cues_of, read_cues
from core.text.formats.transcript import SEVERAL, Note, Said, Transcript, transcript

_SEGMENTS = ("segments", "utterances")
_SOUND = re.compile(
    r"\{(?:vocalsound|disfmarker|pause|gap|nonvocalsound|comment)\}|<(?:vocalsound|disfmarker|pause|gap|nonvocalsound)>",
    re.I,
)
_SPACES = re.compile(r" {2,}")


def _segments(value: Any) -> list[Any]:
    listed = (
        next((value[key] for key in _SEGMENTS if isinstance(value.get(key), list)), [])
        if isinstance(value, Mapping)
        else value
    )
    return listed if isinstance(listed, list) else []


def _is_recognised(content: Content) -> bool:
    first = [segment for segment in _segments(content.value)[:50] if isinstance(segment, Mapping)]
    return any(isinstance(segment.get("text"), str) and "start" in segment and "end" in segment for segment in first)


def _recognised(content: Content) -> Transcript:
    return read_cues("whisperx", [_segment(segment) for segment in _segments(content.value)])


def _segment(value: Any) -> Said:
    if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
        return Said(None, "", "unreadable")
    speaker = value.get("speaker")
    start, end = (time if isinstance(time := value.get(key), int | float) else None for key in ("start", "end"))
    if isinstance(start, int) and isinstance(end, int) and end - start >= 100:  # AssemblyAI counts milliseconds
        start, end = start / 1000, end / 1000
    return Said(str(speaker)[:200] if isinstance(speaker, str | int) else None, value["text"], "", 0, start, end)


def _meetings(value: Any) -> list[list[Any]]:
    """Return the transcripts of the meetings in a file: one, or a line each."""
    every = value if isinstance(value, list) else [value]
    transcripts = [meeting.get("meeting_transcripts") for meeting in every if isinstance(meeting, Mapping)]
    return [meeting for meeting in transcripts if isinstance(meeting, list)]


def _is_meeting(content: Content) -> bool:
    turns = [turn for meeting in _meetings(content.value)[:20] for turn in meeting[:50]]
    return any(isinstance(turn, Mapping) and "content" in turn for turn in turns)


def _turns(meeting: list[Any]) -> Iterator[Said]:
    for turn in meeting:
        words = turn.get("content") if isinstance(turn, Mapping) else None
        speaker = turn.get("speaker") if isinstance(turn, Mapping) else None
        if not isinstance(words, str):
            yield Said(None, "", "unreadable")
            continue
        kept = _SPACES.sub(" ", _SOUND.sub("", words)).strip()
        yield Said(speaker if isinstance(speaker, str) else None, kept, "" if kept else "sound")


def _read_meeting(content: Content) -> Transcript:
    meetings = sorted(_meetings(content.value), key=len)
    notes = [Note(SEVERAL, {"chats": len(meetings)})] if len(meetings) > 1 else []
    return transcript("qmsum", _turns(meetings[-1] if meetings else []), "line", notes=notes)


def _alternate(content: Content) -> Transcript:
    cues = [_segment(segment) for segment in _segments(content.value)] or cues_of(content)
    return read_cues("cues", cues, alternate=True)


FORMATS = {
    "qmsum": (_is_meeting, _read_meeting),
    "whisperx": (_is_recognised, _recognised),
    "cues": (lambda content: False, _alternate),
}
