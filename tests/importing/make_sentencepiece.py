"""Make tests/data/sentencepiece.json: tiny files of the real SentencePiece library, and what it and its peers give.

Run by hand where `sentencepiece` is installed besides the requirements of the tests:
python -m tests.importing.make_sentencepiece
"""

import base64
import io
import json
import tempfile
from pathlib import Path

from tests.importing.peer_tokenizers import ODD, texts

RULES = {"\n": " ", "\t": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\u2009": " ", "ﬁ": "fi", "½": "1/2", "Ａ": "A"}
"""A small table of normalised characters."""
LEFT_OUT = "▁"
"""As a letter it is a blank to SentencePiece, and a letter to us."""


def train(sentences: list[str], **settings: object) -> bytes:
    """Learn a unigram model, of 150 pieces unless asked for more."""
    import sentencepiece

    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as rules:
        for given, normal in RULES.items():
            rules.write(" ".join(f"{ord(each):X}" for each in given) + "\t")
            rules.write(" ".join(f"{ord(each):X}" for each in normal) + "\n")
        rules.flush()
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            vocab_size=settings.pop("vocab_size", 150),
            hard_vocab_limit=False,
            normalization_rule_tsv=rules.name,
            minloglevel=2,
            **settings,
        )
    return model.getvalue()


def main() -> None:
    """Write the file."""
    import sentencepiece
    from transformers import MarianTokenizer

    lines = list(dict.fromkeys(line for text in texts()[len(ODD) :] for line in text.split("\n") if line))
    half = len(lines) // 2
    source, target = train(lines[:half]), train(lines[half:])
    readers = [sentencepiece.SentencePieceProcessor(model_proto=model) for model in (source, target)]
    pieces = sorted({reader.id_to_piece(each) for reader in readers for each in range(3, reader.get_piece_size())})
    kept = [piece for number, piece in enumerate(pieces) if number % 17 != 5]  # some pieces have no id
    vocab = {name: number for number, name in enumerate(["</s>", "<unk>", *kept, "<pad>"])}
    found = [*(text for text in ODD if LEFT_OUT not in text), *lines[::8]]
    with tempfile.TemporaryDirectory() as folder:
        files = {"source.spm": source, "target.spm": target, "vocab.json": json.dumps(vocab).encode()}
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        peer = MarianTokenizer(*(str(Path(folder) / name) for name in files))
    sources = [peer(text).input_ids for text in found]
    targets = [peer(text_target=text.strip()).input_ids for text in found]
    plain = train(lines, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, byte_fallback=True, vocab_size=400)
    reader = sentencepiece.SentencePieceProcessor(model_proto=plain)
    ids = [reader.encode(text) for text in found]
    values = {
        "texts": found,
        "marian": {
            "source": base64.b64encode(source).decode(),
            "target": base64.b64encode(target).decode(),
            "vocab": vocab,
            "sources": sources,
            "targets": targets,
            "decoded": [peer.decode(each, skip_special_tokens=True) for each in targets],
        },
        "bytes": {
            "model": base64.b64encode(plain).decode(),
            "ids": ids,
            "decoded": [reader.decode(each) for each in ids],
        },
    }
    path = Path(__file__).resolve().parents[1] / "data" / "sentencepiece.json"
    path.write_text(json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
