"""Links of text with Word's fields: `HYPERLINK "http://…"`. Shared by DOC, DOCX and RTF.

A bookmark in the same document (`HYPERLINK \\l "cima"`) is no link.
"""

import re

_HYPERLINK = re.compile(r"HYPERLINK\s++(?:\\[hnmt]\s++)*+(?:\"([^\"\x13-\x15]++)\"|([^\s\"\\\x13-\x15]++))")


def field_targets(text: str) -> list[str]:
    """The targets of all hyperlink fields in `text`, in order."""
    found = (quoted or bare for quoted, bare in _HYPERLINK.findall(text))
    return [target for target in (t.replace("\\\\", "\\").strip() for t in found) if target]
