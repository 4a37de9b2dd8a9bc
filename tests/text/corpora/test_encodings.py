"""Encodings: what a file says of itself, and what is guessed."""

import io

import pytest

from core.text.corpora.encodings import Encoding, encoding_of

TEXTS = {
    "cp1252": "Anna: It’s the café’s “best” cake – really!\nTom: I’ll pay €5, señor.",
    "cp1254": "Ayşe: Toplantı salıya kaldı, değil mi?\nÖmer: Tamam.",
    "cp1250": "Piotr: Cześć, jak się masz?\nAnia: Dobrze, dziękuję. Spotkajmy się później.",
    "cp1251": "Анна: Привет, ты придёшь сегодня?\nБорис: Да, конечно, буду в семь.",
    "cp1253": "Άννα: Γεια σου, θα έρθεις σήμερα;\nΓιώργος: Ναι, στις επτά.",
}


@pytest.mark.parametrize("name", TEXTS)
def test_an_encoding_of_windows_is_told_by_its_letters(name: str) -> None:
    found = encoding_of(io.BytesIO(TEXTS[name].encode(name)))
    assert found == Encoding(name, guessed=True)
    assert "which is a guess" in found.notes()[0] and f"Windows-{name[2:]}" in found.notes()[0]


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_no_guess(mark: str) -> None:
    data = TEXTS["cp1254"].encode(mark)
    found = encoding_of(io.BytesIO(data))
    assert (found.name, found.guessed) == (mark, False) and data.decode(found.name) == TEXTS["cp1254"]


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_by_its_zeros(order: str) -> None:
    for text in (*TEXTS.values(), "สมชาย: ส่งแล้ว\nมาลี: ขอบคุณ"):
        assert encoding_of(io.BytesIO(text.encode(order))) == Encoding(order, guessed=True)


def test_utf_8_with_one_damaged_byte_stays_utf_8_and_what_is_no_text_too() -> None:
    data = TEXTS["cp1251"].encode() + b"\n\xff\n"
    found = encoding_of(io.BytesIO(data))
    assert found.name == "utf-8" and not found.notes()
    text = data.decode("utf-8", found.errors)
    assert found.broken(text) == len(data) - 1 and found.broken(TEXTS["cp1251"]) is None
    for data in (b"", b"plain", bytes(range(256)), b"PK\x03\x04\x00\x00\xff\x81"):
        assert encoding_of(io.BytesIO(data)).name == "utf-8"
