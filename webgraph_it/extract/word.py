"""Links of text with Word's fields: `HYPERLINK "http://…"`. Shared by DOC, DOCX and RTF.

A bookmark in the same document (`HYPERLINK \\l "cima"`) is not a link.
"""

import re

from webgraph_it.extract.viewer import opened

_QUOTES = '"“”„'  # word processors turn quotation marks into typographic ones, often only the second
_HYPERLINK = re.compile(
    rf"HYPERLINK\s++(?:\\[hnmt]\s++)*+"
    rf"(?:[{_QUOTES}]([^{_QUOTES}\x13-\x15]++)[{_QUOTES}]|([^\s{_QUOTES}\\\x13-\x15]++))"
)


def field_targets(text: str) -> list[str]:
    """The targets of all hyperlink fields in `text`, in order."""
    found = (quoted or bare for quoted, bare in _HYPERLINK.findall(text))
    return [opened(target) for target in (t.replace("\\\\", "\\").strip() for t in found) if target]
