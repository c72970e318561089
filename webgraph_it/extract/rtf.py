"""Links of RTF: the instructions of hyperlink fields.

A linear reader of our own, because we need nothing else of RTF: the text is split at `\\fldinst`, and control words,
groups and escapes are decoded only in the short instruction.
"""

import re

from webgraph_it.extract.records import Found
from webgraph_it.extract.word import field_targets

_LONGEST_INSTRUCTION_BYTES = 8192
_RESULT = b"\\fldrslt"
_CONTROL = re.compile(
    r"\\'([0-9a-fA-F]{2})"  # a byte of the code page
    r"|\\u(-?[0-9]{1,6}) ?(?:\\'[0-9a-fA-F]{2}|[^\\{}])?"  # a UTF-16 unit and what older readers show
    r"|\\([\\{}])"
    r"|\\[a-zA-Z]{1,32}(?:-?[0-9]{1,10})? ?"
    r"|[{}\r\n]"
)


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The hyperlink fields of an RTF document, in order."""
    chunks = body.split(b"\\fldinst")[1:]
    instructions = (_instruction(chunk) for chunk in chunks if b"HYPERLINK" in chunk)
    targets = [(target, "document", "") for text in instructions for target in field_targets(text)[:1]]
    return Found(targets, base)


def _instruction(chunk: bytes) -> str:
    raw = chunk[:_LONGEST_INSTRUCTION_BYTES].partition(_RESULT)[0].decode("cp1252", "replace")
    plain = _CONTROL.sub(_plain, raw)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _plain(control: re.Match[str]) -> str:
    if control[1]:
        return bytes.fromhex(control[1]).decode("cp1252", "replace")
    if control[2]:
        return chr(int(control[2]) & 0xFFFF)
    return control[3] or ""
