"""Cases of texts: parsed, cut into tokens, summarised, with hints; and settings of all kinds."""

import random

from core.config import DecodeSettings, ModelConfig
from core.errors import DialogueError, DialoscopeError
from core.explain import branches, histories, masks, matrix_text
from core.faults.detectors import find_faults
from core.faults.run import all_faults
from core.text import arrangement, diff
from core.text.dialogue import Dialogue, parse_dialogue, replace_turn
from core.text.written import write
from tests.fuzz import made
from tests.fuzz.house import SETTINGS, house
from tests.fuzz.run import Family, refusal_of


def parse(rng: random.Random) -> None:
    """Split a text into turns: every span points at what it says; then change a turn, and find hints by rules."""
    dialogue = parse_dialogue(made.text(rng))
    check(dialogue)
    if dialogue.turns and len(dialogue.turns) < 100:
        check(replace_turn(dialogue, rng.randrange(len(dialogue.turns)), made.piece(rng)))
        summary = made.piece(rng) + " Anna has 5 dollars. " + made.piece(rng)
        for fault in find_faults(dialogue, summary, references=(made.piece(rng),)):
            assert 0 <= fault.start <= fault.end <= len(summary)
        diff.word_diff(summary, made.piece(rng))
        write(dialogue, rng.choice(("names", "tags", "text")), made.piece(rng))
    refusal_of(lambda: replace_turn(dialogue, rng.choice((-1, 10**6)), "x"))


def check(dialogue: Dialogue) -> None:
    """The spans of a dialogue fit its text."""
    for number, turn in enumerate(dialogue.turns):
        assert turn.index == number and dialogue.text[turn.start : turn.end] == turn.text and turn.text.strip()
        assert turn.label is None or dialogue.text[slice(*turn.label)] == turn.speaker


def tokens(rng: random.Random) -> None:
    """Encode a text with a tokenizer of each kind, and decode ids that no model would write."""
    tokenizer = house().tokenizers[rng.choice(list(house().tokenizers))]
    dialogue = parse_dialogue(made.text(rng))
    truncation = rng.choice(("start", "middle", "end", "error"))
    found = {}
    try:
        encoded = tokenizer.encode_dialogue(dialogue, rng.choice((12, 20, 512)), truncation)
    except DialogueError:
        pass
    else:
        found = dict(encoded.speakers)
        for token in encoded.tokens:
            assert 0 <= token.id < tokenizer.size and 0 <= token.start <= token.end <= len(dialogue.text)
    for call in (tokenizer.encode_summary, tokenizer.encode_continuation):
        refusal_of(lambda call=call: [tokenizer.id_text(each, found) for each in call(made.piece(rng), found)])
    ids = [rng.randrange(tokenizer.size) for _ in range(rng.randint(0, 60))]
    text, spans = tokenizer.decode(ids, found)
    assert all(0 <= each.start <= each.end <= len(text) for each in spans)
    text.encode()


def summaries(rng: random.Random) -> None:
    """Summarise a text with a real model, and find every hint."""
    text = made.text(rng)
    settings = SETTINGS.replace(
        strategy=rng.choice(("greedy", "greedy", "sample", "beam")),
        truncation=rng.choice(("start", "middle", "end", "error")),
        whole_words=rng.random() < 0.5,
    )
    try:
        summary = house().tiny.summarize(text, settings)
    except DialoscopeError as error:
        assert isinstance(error, DialogueError)
        raise
    summary.text.encode()
    written = rng.choice((summary.text, made.piece(rng), "Anna asks Ben for 5 dollars."))
    refusal_of(lambda: all_faults(house().tiny, text, written, (made.piece(rng),)))


def settings(rng: random.Random) -> None:
    """Read settings, shapes of models, and the small languages of links, from hostile values."""
    values = made.varied(rng, SETTINGS.to_dict(), 0.4)
    if isinstance(values, dict):
        refusal_of(lambda: DecodeSettings.from_dict(values))
    shape = made.varied(rng, house().tiny.config.to_dict(), 0.2)
    if isinstance(shape, dict):
        refusal_of(lambda: ModelConfig.from_dict(shape))
    signs = "".join(rng.choice("0123456789.~_-ex+,:#") for _ in range(rng.randint(0, 80)))
    dialogue = parse_dialogue(made.DIALOGUE)
    for text in (signs, made.piece(rng), "~".join(str(made.number(rng)) for _ in range(4))):
        refusal_of(lambda text=text: branches.read_path(text, 600))
        refusal_of(lambda text=text: matrix_text.read(text, ("Q", "K")[: rng.randint(1, 2)], 8))
        refusal_of(lambda text=text: arrangement.read(text, dialogue))
        refusal_of(lambda text=text: masks.read_rows(text))
    rows = [{"epoch": float(place), "validation_loss": rng.uniform(0, 9)} for place in range(3)]
    histories.reading(histories.history("x", rows, made.value(rng)))


FAMILIES = (
    Family("texts", "texts of every kind are split into turns and searched for hints", 1200, parse),
    Family("tokens", "tokenizers of five kinds encode texts and decode any ids", 800, tokens),
    Family("summaries", "a real model summarises texts and finds hints", 400, summaries),
    Family("settings", "settings, shapes of models, and the small languages of links", 1000, settings),
)
