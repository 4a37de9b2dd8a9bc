"""Word documents: their paragraphs as text, which is then read as any other text; nothing of it is run."""

import io
import zipfile
import zlib
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from core.errors import DialogueError
from core.limits import check, limits

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PART = "word/document.xml"
ZIP = b"PK\x03\x04"


def text_of(name: str, data: bytes) -> str:
    """Return the paragraphs of a Word document, a line each.

    Raises:
        DialogueError: no such document, or one that unpacks to more than the limit.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = archive.getinfo(_PART).file_size
            check("unpacked_document", size, repr(name), DialogueError)
            with archive.open(_PART) as part:
                xml = part.read(limits().unpacked_document + 1)
        check("unpacked_document", len(xml), repr(name), DialogueError)
        root = fromstring(xml)
    except KeyError:
        raise DialogueError(
            "{file!r} is an archive, and no Word document: unpack it, and take the chat or transcript from it",
            file=name,
        ) from None
    except DialogueError:
        raise
    except DefusedXmlException:
        raise DialogueError(
            "{file!r} declares entities, as no Word document does: save it again in Word", file=name
        ) from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
        ValueError,
        ParseError,
    ) as error:
        raise DialogueError(
            "{file!r} is a damaged Word document: {error}. Save it again", file=name, error=error
        ) from None
    return "\n".join(_paragraphs(root))


def _paragraphs(root: object) -> list[str]:
    lines = []
    for paragraph in root.iter(f"{_WORD}p"):  # type: ignore[attr-defined]
        pieces = []
        for node in paragraph.iter():
            if node.tag == f"{_WORD}t":
                pieces.append(node.text or "")
            elif node.tag == f"{_WORD}tab":
                pieces.append("\t")
            elif node.tag in (f"{_WORD}br", f"{_WORD}cr"):
                pieces.append("\n")
        lines.append("".join(pieces))
    return lines
