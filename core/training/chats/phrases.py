"""What people write around the matter of a chat, and how they shorten and decorate it; all of it written for this."""

GREETINGS = (
    ("hey", "hey!"), ("hi!", "hello :)"), ("Hi there", "hi hi"), ("hey, you there?", "yep"), ("Yo", "sup"),
    ("Hello!", "Hi, what's up?"), ("Good morning!", "morning"), ("hey hey", "heyyy"), ("You awake?", "just woke up"),
    ("Hi, got a minute?", "sure"), ("hi, how's it going?", "not bad, you?"), ("Are you busy?", "not really, why?"),
    ("long time no see", "I know, right?"), ("hiya", "hello stranger"), ("evening!", "Good evening"),
    ("knock knock", "lol hi"), ("Can we talk?", "Of course"), ("ping", "pong"), ("u up?", "yeah"),
    ("Hey, quick question", "shoot"), ("helloooo", "hi :D"), ("Sorry, missed your call", "no worries"),
    ("Finally online", "haha yes"), ("guess who", "haha hi"), ("How are you feeling?", "good, thanks"),
)  # fmt: skip
"""Openings of a chat and answers to them."""
FAREWELLS = (
    ("ok, gotta run", "bye!"), ("talk later", "ok, bye"), ("See you!", "see ya"), ("ttyl", "ok"), ("Bye", "bye bye"),
    ("have to go now", "sure, take care"), ("good night", "night night"), ("xoxo", "<3"), ("Cheers", "cheers"),
    ("thanks again!", "anytime"), ("have a nice day", "you too"), ("brb", "k"), ("catch you later", "laters"),
    ("Speak soon", "Yes, speak soon"), ("my bus is here", "ok go go"), ("battery is dying", "ok, talk later"),
    ("lunch break is over", "ok, back to work"), ("hugs", "hugs :*"), ("my boss is looking", "haha, run"),
    ("have a good one", "thx, u too"),
)  # fmt: skip
"""How a chat ends."""
REACTIONS = (
    "haha", "lol", "LOL", "wow", "omg", "nice", "cool", "oh no", "hmm", "really?", "aww", "yay", "ok", "same here",
    "good one", "sounds good", "no way", "interesting...", "haha, good one", "just reading this", "I'm here too",
    "what did I miss?", "busy at work, will read later", "following", "ha", "true", "ouch", "you two again",
    "sorry, was driving", "hello everyone", "hi all", "wait, what?", "too many messages lol", "+1",
)  # fmt: skip
"""What somebody writes in a group who has nothing to do with the matter."""
ASIDES = (
    "haha {name}", "hi {name}", "{name} lol", "wow {name}", "sorry {name}, only saw this now", "good luck {name}",
    "{name} is here too?", "hey {name}, nice picture btw", "poor {name}", "as {name} said", "{name}, you're so funny",
    "always the same with {name}", "listen to {name}", "{name} knows best", "what does {name} say?", "ask {name} lol",
    "typical {name}", "I'm with {name}", "@{name} hello", "{name} call me later",
)  # fmt: skip
"""The same with a name of somebody who writes, too."""
PIECES = (
    "<file_photo>", "<file_photo>", "<file_gif>", "<file_video>", "<file_other>", "<Media omitted>",
    "https://youtu.be/{code}", "https://www.example.com/{code}", "www.example.org/{code}.html", "photo.jpg",
    "Missed voice call", "This message was deleted",
)  # fmt: skip
"""What a messenger shows in place of a picture, and links."""
EMOTICONS = (":)", ":-)", ":D", ";)", ":P", "xD", ":/", ":(", ":*", "<3", "^^", ":-D", ";-)", ":o", "XD", ":'(")
EMOJI = tuple("😂 ❤️ 👍 😊 🤣 😍 🙈 😅 🎉 😭 🙏 😘 🤔 😉 😁 👏 💪 🔥 😎 😢 🙄 ☺️ 😜 👌 🤷 😴 🥳 😱 💕 🌞".split())
LAUGHTER = ("haha", "hahaha", "lol", "hehe", "lmao")
FILLERS = ("Well, ", "Oh, ", "You know, ", "Actually, ", "I mean, ", "Yes, ", "Um, ", "Uh, ", "Ah, ", "Really? ")
"""Beginnings that people speak and do not type."""
CALLS = (
    "{name}, ",
    "Hey {name}, ",
    "hey {name} ",
    "{name} ",
    "hi {name}, ",
    "@{name} ",
    "Listen {name}, ",
    "ok {name}, ",
)
"""How a message begins that speaks to somebody."""
CALLED = (", {name}", " {name}", " {name}!", ", {name} :)")
"""How it ends."""
ABBREVIATED = {
    "i do not know": ("idk",), "i don't know": ("idk", "dunno"), "oh my god": ("omg",), "by the way": ("btw",),
    "as soon as possible": ("asap",), "see you": ("cu", "c u", "see ya"), "talk to you later": ("ttyl",),
    "let me know": ("lmk",), "to be honest": ("tbh",), "never mind": ("nvm",), "of course": ("ofc", "sure"),
    "right now": ("rn",), "on my way": ("omw",), "thank you very much": ("thank u so much", "thx a lot"),
    "thank you": ("thx", "ty", "thank u"), "thanks": ("thx", "thanx", "tnx"), "going to": ("gonna",),
    "want to": ("wanna",), "got to": ("gotta",), "have to": ("gotta", "hafta"), "kind of": ("kinda",),
    "a lot of": ("lots of", "loads of"), "you are": ("ur", "youre"), "you": ("u",), "your": ("ur",), "are": ("r",),
    "please": ("pls", "plz"), "because": ("cuz", "bc", "cos"), "okay": ("ok", "k"), "people": ("ppl",),
    "message": ("msg",), "about": ("abt",), "with": ("w/",), "and": ("&", "n"), "yes": ("yep", "yeah", "yup", "ya"),
    "no": ("nope", "nah"), "really": ("rly",), "something": ("sth",), "maybe": ("mayb",), "though": ("tho",),
    "through": ("thru",), "tomorrow": ("tmrw", "tmr"), "tonight": ("tonite",), "birthday": ("bday",),
    "minutes": ("mins",), "hours": ("hrs",), "picture": ("pic",), "definitely": ("def",), "probably": ("prob",),
    "information": ("info",), "favorite": ("fav",), "weekend": ("wkend",), "before": ("b4",),
    "sorry": ("sry",), "hello": ("hi", "heya"),
    "next": ("nxt",), "i am": ("im",), "i will": ("ill", "i'll"), 
}  # fmt: skip
"""Short forms of words and phrases in small letters."""
