"""Links of JavaScript: string literals that look like URLs. A conservative guess, and not an arc by default.

A literal counts when it is an absolute http(s) URL, or a relative path that ends in a page's extension.
Linear, total. It does not execute anything and does not understand concatenations.
"""

import re
from collections.abc import Iterator

from webgraph_it.extract.charset import decoded
from webgraph_it.extract.records import Found

_LITERAL = re.compile(
    r"//[^\n]*+|/\*.*?(?:\*/|\Z)|\"((?:[^\"\\\n]|\\.)*+)\"?|'((?:[^'\\\n]|\\.)*+)'?", re.DOTALL
)
_ABSOLUTE = re.compile(
    r"https?://[\w-]++(?:\.[\w-]++)++(?::[0-9]++)?(?:[/?#][^\s<>\"{}|\\^`]*+)?", re.IGNORECASE
)
_PATH = re.compile(
    r"(?:\.{0,2}/)?[A-Za-z0-9_~%+.-]+(?:/[A-Za-z0-9_~%+.-]+)*\.(?:html?|xhtml|php[345]?|aspx?|jsp|jsf|cgi|do|pdf|docx?|xml|swf)"
    r"(?:[?#][^\s<>\"{}|\\^`]*)?",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_LONGEST_URL = 2083


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The links of a script file."""
    return Found([(reference, "script", "") for reference in references(decoded(body, charset))], base)


def references(source: str) -> Iterator[str]:
    """The string literals of a script that look like URLs, in order."""
    for literal in _LITERAL.finditer(source):
        text = literal[1] or literal[2]
        if text and len(text) <= _LONGEST_URL and looks_like_url(text := _unescaped(text)):
            yield text


def looks_like_url(text: str) -> bool:
    """Absolute, or a relative path to something with a page's extension."""
    return bool(_ABSOLUTE.fullmatch(text) or _PATH.fullmatch(text))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else escape[3]
