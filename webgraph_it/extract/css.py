"""Links of style sheets: `@import` and `url()`.

One pattern reads the sheet once, left to right: comments are skipped, escapes decoded. Linear, total.
It does not parse rules: a `url()` is a reference in any property.
"""

import re
from collections.abc import Iterator

from webgraph_it.extract.charset import decoded
from webgraph_it.extract.records import Found

_DOUBLE, _SINGLE = r"(?:[^\"\\\n]|\\.)*+", r"(?:[^'\\\n]|\\.)*+"
_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"  # a comment
    rf"|url\(\s*+(?:\"(?P<double>{_DOUBLE})\"|'(?P<single>{_SINGLE})'|(?P<bare>(?:[^\s\"'()\\]|\\.)++))\s*+\)"
    rf"|@import\s++(?:\"(?P<import_double>{_DOUBLE})\"|'(?P<import_single>{_SINGLE})')"
    rf"|\"{_DOUBLE}\"?|'{_SINGLE}'?",  # another string
    re.IGNORECASE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n\r\f]?|\n|(.))", re.DOTALL)


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The links of a style sheet, relative to the sheet itself."""
    return Found([(reference, "css", "") for reference in references(decoded(body, charset))], base)


def references(sheet: str) -> Iterator[str]:
    """The references of a style sheet or a style attribute, in order."""
    for token in _TOKEN.finditer(sheet):
        if token.lastgroup and (reference := _unescaped(token[token.lastgroup])):
            yield reference


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        code = int(escape[1], 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return escape[2] or ""
