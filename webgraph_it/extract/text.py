"""Links of plain text: absolute http(s) URLs, when EXTRACT_PLAIN_TEXT is on. Linear, total.

Punctuation that ends a sentence, or closes a bracket around the URL, is not part of it.
"""

import re

from webgraph_it.extract.charset import decoded
from webgraph_it.extract.records import Found

_URL = re.compile(r"\bhttps?://[^\s<>\"'`{}|\\^\x00-\x20]++", re.IGNORECASE)
_CLOSING = ".,;:!?»”’"


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The absolute URLs of a text, in order."""
    urls = _URL.findall(decoded(body, charset))
    return Found([(without_closing(url), "document", "") for url in urls], base)


def without_closing(url: str) -> str:
    """`http://esempio.it/a).` → `http://esempio.it/a`; a bracket that the URL itself opened stays."""
    url = url.rstrip(_CLOSING)
    for opening, closing in (("(", ")"), ("[", "]")):
        if url.endswith(closing) and opening not in url:
            url = url.rstrip(closing + _CLOSING)
    return url
