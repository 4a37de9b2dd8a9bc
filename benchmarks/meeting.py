"""From the file of a long meeting to the summaries of its parts, with times.

    python benchmarks/meeting.py [CHECKPOINT] [--keep FILE.vtt]

Invents a meeting of 90 minutes as WebVTT (900 cues, five speakers, ten topics), reads it, cuts it into parts that the
model reads whole, summarizes each, and the summaries together. Prints the seconds of each step, and how many ends of
parts lie at most three turns from a change of the topic, of those that had one within reach.
"""

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.service import Summarizer
from core.text.formats.parts import Part, fitting, together
from core.text.formats.transcript import Transcript
from core.text.upload import read_file

CUES, TURNS_NEAR = 900, 3
SPEAKERS = ("Mira Holt", "Joss Arden", "Ines Pardo", "Tariq Bell", "Wen Li")
TOPICS = (
    "tomato soil compost seed greenhouse leek pumpkin fence spade watering",
    "budget invoice grant money quarter spending account payment tax price",
    "festival stage band ticket poster volunteer parking food stall permit",
    "website page photo newsletter password domain form calendar link update",
    "shed roof door paint timber lock shelf window floor gutter",
)
SENTENCES = (
    "I think the {} should come before the {}.",
    "Who can look at the {} until Friday?",
    "I can do the {}, but not the {}.",
    "We spent too much on the {} last year.",
    "The {} is broken again, so the {} has to wait.",
    "Let us decide about the {} today.",
    "Did anybody ask about the {} and the {}?",
    "Yes, I called them about the {}.",
    "Then I write it down: the {} first, the {} later.",
)


def clock(seconds: float) -> str:
    """Write a time as WebVTT does."""
    return f"{int(seconds) // 3600:02d}:{int(seconds) // 60 % 60:02d}:{seconds % 60:06.3f}"


def meeting(seed: int = 7) -> tuple[str, list[int]]:
    """Return the meeting, and the cues before which its topic changes."""
    chance, second, speaker = random.Random(seed), 3.0, SPEAKERS[0]
    lines, changes = ["WEBVTT", ""], []
    for number in range(CUES):
        topic = number * 2 * len(TOPICS) // CUES
        if topic != (number - 1) * 2 * len(TOPICS) // CUES and number:
            changes.append(number)
        speaker = chance.choice(SPEAKERS) if chance.random() < 0.55 else speaker
        words = chance.choice(SENTENCES).format(*chance.sample(TOPICS[topic % len(TOPICS)].split(), 2))
        end = second + chance.uniform(3, 7.5)
        lines += [f"{number + 1}", f"{clock(second)} --> {clock(end)}", f"{speaker}: {words}", ""]
        second = end + chance.uniform(0.1, 1.4)
    return "\n".join(lines), changes


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", nargs="?", default="dialoscope")
    parser.add_argument("--keep", type=Path, help="write the meeting to this file, too")
    asked = parser.parse_args()
    text, changes = meeting()
    if asked.keep:
        asked.keep.write_text(text, encoding="utf-8")
    began = time.perf_counter()
    summarizer = Summarizer.load(asked.checkpoint)
    print(f"load the model: {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    found = read_file("meeting.vtt", text.encode())
    print(f"read: {time.perf_counter() - began:.2f} s, {len(found.turns)} turns, {len(found.speakers)} speakers")

    def cut(transcript: Transcript) -> list[Part]:
        return fitting(transcript, summarizer.tokenizer, summarizer.config.max_source_length)

    began = time.perf_counter()
    parts = cut(found)
    print(f"cut: {time.perf_counter() - began:.2f} s, {len(parts)} parts, {parts[0].times} to {parts[-1].times}")
    ends = [part.last + 1 for part in parts[:-1]]
    reach = [
        (end, change) for part, end in zip(parts, ends, strict=False) for change in changes
        if (part.first + end) // 2 < change <= part.first + 2 * (end - part.first) and abs(change - end) < 20
    ]  # fmt: skip
    near = sum(abs(end - change) <= TURNS_NEAR for end, change in reach)
    print(f"ends within {TURNS_NEAR} turns of a change of topic: {near} of {len(reach)} that were in reach")
    began = time.perf_counter()
    summaries = [summarizer.summarize(part.text).text for part in parts]
    print(f"summarize every part: {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    together(summaries, lambda each: summarizer.summarize(each).text, cut)
    print(f"summarize them together: {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
