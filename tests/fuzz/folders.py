"""Cases of folders: checkpoints and other people's models whose files were changed; their hashes fit, or not."""

import hashlib
import itertools
import json
import random
import shutil
import struct
from functools import cache
from pathlib import Path
from typing import Any

from core import checkpoints
from core.importing.run import import_model
from core.importing.source import look_up
from core.service import Summarizer
from tests.fuzz import made
from tests.fuzz.house import house
from tests.fuzz.run import Family, refusal_of

OTHERS = ("bart", "t5", "marian")
_NUMBERS = itertools.count()


def copied(whole: Path) -> Path:
    """A copy of a folder, in the place of one of the last copies."""
    path = house().room / f"folder-{next(_NUMBERS) % 4}"
    shutil.rmtree(path, ignore_errors=True)
    return Path(shutil.copytree(whole, path))


def change(rng: random.Random, path: Path) -> None:
    """Change one file of a folder."""
    data = path.read_bytes()
    kind = rng.randrange(8)
    if path.suffix == ".json" and kind < 5:
        try:
            found = made.varied(rng, json.loads(data), rng.choice((0.02, 0.1, 0.5)))
            data = json.dumps(found).encode()
        except ValueError:
            data = made.mangled(rng, data)
    elif path.suffix == ".safetensors" and kind < 6:
        data = tensors(rng, data)
    elif kind == 6:
        data = rng.choice((*made.NO_FILES, made.deep(rng).encode()))
    else:
        data = made.mangled(rng, data)
    path.write_bytes(data)
    if rng.random() < 0.03:
        path.unlink()
        if rng.random() < 0.3:
            path.mkdir()


def tensors(rng: random.Random, data: bytes) -> bytes:
    """Weights with another header: names, types, shapes or offsets changed, or a huge claim."""
    size = int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8 : 8 + size])
    body = data[8 + size :]
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(list(header))
        entry = header[name]
        kind = rng.randrange(7)
        if kind == 0:
            del header[name]
        elif kind == 1:
            header[made.clean(made.piece(rng))[:40]] = header.pop(name)
        elif kind == 2 and isinstance(entry, dict):
            entry["dtype"] = rng.choice(("F32", "F64", "BF16", "I64", "BOOL", "F8_E4M3", "X", 5))
        elif kind == 3 and isinstance(entry, dict):
            entry["shape"] = rng.choice(
                ([], [0], [-1], [2**40], [1] * 70, [2**32, 2**32], list(entry.get("shape", []))[::-1])
            )
        elif kind == 4 and isinstance(entry, dict):
            entry["data_offsets"] = rng.choice(([0, 0], [0, 2**50], [-4, 4], [9, 1], "x"))
        elif kind == 5:
            body = made.mangled(rng, body)
        else:
            header[name] = made.value(rng)
        if not header:
            break
    text = json.dumps(header).encode()
    claimed = rng.choice((len(text),) * 9 + (0, 2**40, 2**63, len(text) + 1))
    return struct.pack("<Q", claimed) + text + body


def loaded(rng: random.Random) -> None:
    """Read a changed checkpoint; if it is read, the model is built and writes."""
    folder = copied(house().installed / "tiny")
    for name in rng.sample(("config.json", "tokenizer.json", "weights.safetensors", "card.json", "history.csv"), 2):
        change(rng, folder / name)
    if rng.random() < 0.8:
        sign(folder)
    for call in (checkpoints.read_card, checkpoints.read_config, checkpoints.read_heads, checkpoints.read_judged):
        refusal_of(lambda call=call: call(folder))
    refusal_of(lambda: checkpoints.read_record(folder))
    refusal_of(lambda: checkpoints.card_decoding(checkpoints.read_card(folder)))
    found = checkpoints.read(folder)
    model = Summarizer(found)
    if found.config.to_dict() == house().tiny.config.to_dict() and rng.random() < 0.2:
        model.tokenizer.decode(model.tokenizer.encode_summary("Anna asks Ben."), {})
        model.encode(made.DIALOGUE)


def sign(folder: Path) -> None:
    """Put the hashes of the files on the card, as somebody would who wants to be believed."""
    try:
        card = json.loads((folder / "card.json").read_text("utf-8"))
        assert isinstance(card, dict)
        card["sha256"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in checkpoints.FILES}
        (folder / "card.json").write_text(json.dumps(card), "utf-8")
    except (OSError, ValueError, AssertionError, RecursionError):
        return


@cache
def foreign(family: str) -> Path:
    """A whole folder of another family's model."""
    from tests.importing.folders import save_whole

    folder = house().room.parent / "foreign" / family
    save_whole(family, folder)
    return folder


def others() -> None:
    """Make the folders of all families."""
    for family in OTHERS:
        foreign(family)


def imported(rng: random.Random) -> None:
    """Look at another model's changed folder, and import it."""
    folder = copied(foreign(rng.choice(OTHERS)))
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    for name in rng.sample(names, min(len(names), rng.choice((1, 1, 2)))):
        change(rng, folder / name)
    refusal_of(lambda: look_up(str(folder)))
    output = house().room / "imported"
    shutil.rmtree(output, ignore_errors=True)
    try:
        import_model(folder, output, name=made.clean(made.piece(rng))[:60], decoding=rng.choice(("own", "default")))
        checkpoints.read(output)
    finally:
        leftovers = [path.name for path in house().room.glob(".imported*")]
        assert not leftovers, leftovers


def strange_names(rng: random.Random) -> None:
    """Ask for checkpoints and folders by names of all kinds."""
    name = made.one_of(
        rng, lambda: made.named(rng, ".json"), lambda: made.piece(rng), lambda: "x/" * 3000, lambda: "../" * 30 + "etc"
    )
    for call in (checkpoints.locate, checkpoints.read_card, checkpoints.place_of, Summarizer.load):
        message = refusal_of(lambda call=call: call(name))
        assert message or call is checkpoints.place_of
    if "/" not in name.strip("/"):
        refusal_of(lambda: look_up(name))


FAMILIES = (
    Family("checkpoints", "checkpoints whose files were changed, their hashes made to fit", 500, loaded, megabytes=200),
    Family(
        "imports",
        "folders of BART, T5 and Marian whose files were changed",
        200,
        imported,
        megabytes=300,
        prepare=others,
    ),
    Family("names", "names of checkpoints and folders", 400, strange_names, megabytes=64),
)
