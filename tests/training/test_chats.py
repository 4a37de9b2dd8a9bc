"""Rewritten as a chat, a dialogue still says what its summary says, and the same people say it."""

import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

from benchmarks.chats import groups, messages, rewriting
from benchmarks.chats.casting import Message, cast, known_names, resolved, told_by_tags
from benchmarks.chats.messages import Style, content, dressed, split
from benchmarks.chats.people import EITHER, FEMININE, MASCULINE, SHORT
from benchmarks.chats.phrases import ABBREVIATED, REACTIONS
from benchmarks.chats.rewriting import OWN, rewrite, small_talk
from core.text.dialogue import parse_dialogue
from core.training.names import FEMALE, MALE

BOILER = (
    """#Person1#: Good morning. The boiler in flat 12 has stopped again, and I don't know what to do.
#Person2#: I'm sorry to hear that. Is there any water on the floor?
#Person1#: No, but the little lamp is red and the pressure is 0.4.
#Person2#: Then please turn the valve until it says 1.5. Can you see the valve?
#Person1#: Yes. I have turned it. Thank you, the lamp is green, and it is getting warm.
#Person2#: I will send Vera Novak on Tuesday at 8:30, because the pump is old.
#Person1#: Tuesday is fine. Goodbye.""",
    "#Person1#'s boiler has stopped. #Person2# makes #Person1# turn the valve and will send Vera Novak on Tuesday.",
)
PICNIC = (
    """#Person1#: Shall we have the picnic by the lake on Sunday?
#Person2#: Yes, let's. I can bring salad and bread.
#Person1#: Then I'll bring the blanket and lemonade.
#Person2#: What about a ball? Last time we were bored.
#Person1#: Good idea. There is one in my cellar.
#Person2#: Great. Let's meet at 11 at the bridge.
#Person1#: At the bridge it is.""",
    "#Person1# and #Person2# plan a picnic by the lake on Sunday.",
)
CALLED = (
    """#Person1#: Hi, Oscar. You look tired.
#Person2#: I am. The baby cried all night.
#Person1#: Shall I take the late shift for you?
#Person2#: Would you? That would be wonderful.
#Person1#: No problem. You can take mine on Friday.""",
    "Oscar is tired because of the baby. #Person1# offers to take the late shift.",
)
SURVEY = (
    """#Person1#: May I ask you what you eat in the morning?
#Person2#: Only an apple and some coffee.
#Person1#: And at noon?
#Person2#: Soup, mostly. Sometimes pasta with mushrooms.
#Person1#: Do you cook in the evening?
#Person2#: Every evening, for my two sons.
#Person1#: Thank you for your time.""",
    "#Person2# has an apple in the morning, soup at noon, and cooks every evening.",
)
ALL = (BOILER, PICNIC, CALLED, SURVEY)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def random(*seed):
    return np.random.default_rng(seed)


def told(dialogue):
    return [Message(turn.speaker, turn.text) for turn in parse_dialogue(dialogue).turns]


@cache
def chats(text):
    return [chat for seed in range(60) if (chat := rewrite(*text, random(seed)))]


def stems(text):
    return {messages.stem(word) for word in WORD.findall(text)}


@pytest.mark.parametrize("text", ALL)
def test_what_the_summary_tells_and_every_number_is_in_the_chat(text):
    """Numbers, names and content words of the summary that the dialogue has are in the chat, with the same letters."""
    written = chats(text)
    assert len(written) > 50
    number = re.compile(r"\d+(?:[.:]\d+)*")
    digits = Counter(number.findall(re.sub("#Person[12]#", "", text[0])))
    for chat in written:
        speakers = "|".join(map(re.escape, parse_dialogue(chat.dialogue).speakers))
        summary = re.sub(rf"(?<!\w)(?:{speakers})(?!\w)", " ", chat.summary)
        wanted = {each for each in content(summary) if each.islower() or each.isdigit()}
        had = stems(text[0]) | stems(chat.dialogue)
        assert not (wanted & had) - stems(chat.dialogue), chat
        names = [word for word in WORD.findall(summary) if word[0].isupper() and word in text[1]]
        assert all(name in chat.dialogue for name in names if name in text[0]), chat
        assert not digits - Counter(number.findall(chat.dialogue)), chat


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        (BOILER, ("boiler in", "little lamp", "turned"), ("water on", "turn the valve", "pump is")),
        (CALLED, ("you look", "take the late"), ("baby",)),
        (SURVEY, (), ("apple", "pasta", "two sons")),
    ],
)
def test_who_says_what_stays(text, first, second):
    """What one of them said, whom the summary names by a tag, one person says, and the summary calls this one so."""
    for chat in chats(text):
        turns = parse_dialogue(chat.dialogue).turns
        whole = " ".join(turn.text.casefold() for turn in turns)
        pattern = re.escape(text[1]).replace("\\#", "#").replace("Oscar", "#Person2#")
        for number in "12":
            pattern = pattern.replace(f"#Person{number}#", f"(?P<p{number}>.+?)", 1)
            pattern = pattern.replace(f"#Person{number}#", f"(?P=p{number})")
        named = re.fullmatch(re.sub("Vera|Novak", r"\\w+", pattern), chat.summary).groupdict()
        for key, words in (("p1", first), ("p2", second)):
            said = {turn.speaker for turn in turns for part in words if part in turn.text.casefold()}
            assert said <= {named.get(key)}, chat
            assert said or not any(part in whole for part in words), chat


def test_the_people_of_the_summary_write_in_the_chat():
    """A tag of the summary becomes the label of somebody who writes."""
    for text in ALL:
        for chat in chats(text):
            assert "#Person" not in chat.dialogue + chat.summary
            labels = parse_dialogue(chat.dialogue).speakers
            rest = re.split(r"#Person[12]#|Oscar|Vera Novak", text[1])
            found = re.fullmatch("(.+?)".join(map(re.escape, rest)), chat.summary).groups()
            names = [name for group in found for name in re.split(", | and ", group)]
            assert sum(name in labels for name in names) >= text[1].count("#Person"), chat


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("Hi, Oscar. You look tired.", "I am. The baby cried all night.", {"#Person2#": "Oscar"}),
        ("Is that you, Nina?", "Yes, it is.", {"#Person2#": "Nina"}),
        ("Hello, Mr. Green.", "Hello.", {"#Person2#": "Mr. Green"}),
        ("My name is Paul Stone.", "Welcome, Paul.", {"#Person1#": "Paul"}),
        ("We live in Boston, Kentucky.", "I can't, Myron.", {"#Person1#": "Myron"}),
        ("I met Nina yesterday.", "Good morning, Sir.", {}),
        ("Nina, come here.", "Nina, I can't.", None),
        ("Thanks, Nina. Hello, Paul.", "Well.", None),
    ],
)
def test_names_that_speakers_have(first, second, found):
    assert known_names([Message("#Person1#", first), Message("#Person2#", second)]) == found


def test_a_name_of_the_summary_that_may_be_a_speaker():
    talk = [Message("#Person1#", "Okay Mike, can you help?"), Message("#Person2#", "I am late.")]
    assert resolved(talk, "Mike cannot help #Person1#.", {}) == {"#Person2#": "Mike"}
    assert resolved(talk, "Nina cannot help #Person1#.", {}) is None  # nobody says this name: it may be #Person2#
    assert resolved(talk, "#Person2# cannot help #Person1# and Nina.", {}) == {}
    both = [Message("#Person1#", "Good morning, Nina."), Message("#Person2#", "Hello.")]
    text = "\n".join(f"{each.speaker}: {each.text}" for each in both)
    # A summary that tells of the tag and of the name tells of two people.
    assert rewrite(text, "#Person2# greets Nina.", random(0)) is None


def test_names_fit_the_pronouns_and_nobody_else_has_them():
    for seed in range(40):
        people = cast(told(BOILER[0]), "#Person1# says that he is cold.", {}, random(seed))
        called = {person.called[0] for person in people.values()}
        assert called <= {*MALE, *MASCULINE} and len(called) == 2
        people = cast(told(BOILER[0]), "#Person1# says she is cold and he is not.", {}, random(seed))
        assert {person.called[0] for person in people.values()} <= set(EITHER)
        everyone = " ".join([*MALE[5:], *FEMALE[5:], *MASCULINE[5:], *FEMININE[5:], *EITHER])
        people = cast([*told(BOILER[0]), Message("#Person1#", everyone)], "", {}, random(seed))
        assert not {person.called[0] for person in people.values()} & set(everyone.split())
    assert all(name[0].isupper() and len(short) > 1 for name, short in SHORT.items())


def test_a_bystander_says_nothing_of_the_matter():
    for seed in range(20):
        changed = groups.bystander(told(PICNIC[0]), random(seed))
        own = [each.text for each in changed if each.speaker == "#Person3#"]
        assert 2 <= len(own) <= 4 and [each for each in changed if each.speaker != "#Person3#"] == told(PICNIC[0])
        assert all(text in REACTIONS or "#Person" in text for text in own)


def test_turns_are_given_away_where_nothing_is_told_of_who_loses_them():
    for seed in range(20):
        changed = groups.shared(told(SURVEY[0]), SURVEY[1], random(seed))
        assert [each.text for each in changed] == [each.text for each in told(SURVEY[0])]
        assert all(new == old for new, old in zip(changed, told(SURVEY[0]), strict=True) if old.speaker == "#Person2#")
        assert {each.speaker for each in changed} == {"#Person1#", "#Person2#", "#Person3#"}
        assert groups.shared(told(BOILER[0]), BOILER[1], random(seed)) is None  # both are told of
        assert groups.shared(told(SURVEY[0]), "The waiter asks #Person2# about food.", random(seed)) is None  # a role
    assert told_by_tags(SURVEY[1]) and not told_by_tags("#Person1# is Ann.") and not told_by_tags("It rains.")


def test_somebody_joins_where_all_are_told_of_at_once():
    made = [groups.joined(told(PICNIC[0]), PICNIC[1], random(seed)) for seed in range(20)]
    assert any(made)
    for changed, summary in filter(None, made):
        assert summary == "#Person1#, #Person2# and #Person3# plan a picnic by the lake on Sunday."
        assert [each.text for each in changed] == [each.text for each in told(PICNIC[0])]
        assert {each.speaker for each in changed} == {"#Person1#", "#Person2#", "#Person3#"}
    for summary in ("#Person1# and #Person2#'s dog eats.", "Both #Person1# and #Person2# eat.", BOILER[1]):
        assert groups.joined(told(PICNIC[0]), summary, random(1)) is None


def test_a_turn_is_split_between_its_sentences():
    text = "I came by train today. It was so terribly late, and I missed the bus to the old harbour. Mr. Brown waited."
    for seed in range(10):
        assert " ".join(split(text, Style(split=1.0), random(seed))) == text
        cut = split(text, Style(split=1.0, clause=1.0), random(seed))
        assert cut[:3] == [
            "I came by train today.",
            "It was so terribly late",
            "and I missed the bus to the old harbour.",
        ]
    assert split(text, Style(), random(0)) == [text]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        (Style(low=1.0), "i'm in Riga with you at 8 PM, OK? #Person1# knows."),
        (Style(bare=1.0), "I'm in Riga with you at 8 PM, OK? #Person1# knows"),
        (Style(plain=1.0), "Im in Riga with you at 8 PM OK? #Person1# knows."),
        (Style(filler=1.0), "I'm in Riga with you at 8 PM, OK? #Person1# knows."),
    ],
)
def test_how_somebody_types(typed, written):
    text = "I'm in Riga with you at 8 PM, OK? #Person1# knows."
    made = dressed("Well, " + text if typed.filler else text, typed, content("They meet in Riga."), random(0))
    assert made == (written.replace("PM", "pm").replace("OK", "ok") if typed.low else written)


def test_short_forms_and_slips_leave_the_summary_its_words():
    text = "Thank you, please tell the people about the birthday tomorrow because Jonathan is late."
    kept = content("A message about the birthday of Jonathan.")
    for seed in range(30):
        made = dressed(text, Style(short=1.0, slip=1.0, low=1.0), kept, random(seed))
        assert "birthday" in made and "Jonathan" in made and "please" not in made and "people" not in made
        assert re.search(r"\btm(?:rw|r)\b", made)
        slipped = dressed("Seven elephants", Style(slip=1.0), (), random(seed))
        assert slipped != "Seven elephants" and not Counter("Seveelphants ") - Counter(slipped) - Counter("Svelphant")
    assert all(each == each.casefold() for each in ABBREVIATED)


def test_small_talk_is_about_nothing():
    dialogue = "\n".join(
        ["#Person1#: Good morning.", "#Person2#: Hello, how are you?", "#Person1#: I want 3 eggs.", "#Person2#: Here.",
         "#Person1#: Thanks.", "#Person2#: Bye."]
    )  # fmt: skip
    talk = small_talk([dialogue, dialogue.replace("Good morning", "Hello, Mary").replace("Bye", "Bye at 6")])
    assert talk.meeting == (*OWN.meeting, ("Good morning.", "Hello, how are you?"))
    assert talk.parting == (*OWN.parting, ("Thanks.", "Bye."))


def test_the_same_seed_makes_the_same_chat_and_another_one_another():
    made = {seed: rewrite(*BOILER, random(seed)) for seed in range(5)}
    assert all(rewrite(*BOILER, random(seed)) == chat for seed, chat in made.items())
    assert len(set(made.values())) == len(made)


def test_dialogues_that_cannot_be_rewritten():
    assert rewrite("Ann: Hello.\nBen: Hi.", "Ann greets Ben.", random(0)) is None  # they have names
    many = "\n".join(f"#Person{number}#: Hello there." for number in range(1, rewriting.MOST + 2))
    assert rewrite(many, "People greet each other.", random(0)) is None
    assert rewrite(BOILER[0], "#Person3# calls.", random(0)) is None  # it tells of somebody who says nothing
