"""How viewers of documents open an address without a scheme: `www.comune.padova.it/uffici` is a host, not a file.

Only what begins with `www.` and goes on like a host's name is meant: every other reference is relative to the
document, as in a page. For PDF, RTF, DOC, XLS, DOCX, XLSX, PPTX and ODF; in HTML, XML and Flash browsers decide,
and to them it is a file.
"""

import re

_HOST = re.compile(r"\s*www\.[^\s./\\?#:@]++\.[^\s./\\?#:@]", re.IGNORECASE)


def opened(target: str) -> str:
    """The address that a viewer opens."""
    return f"http://{target.lstrip()}" if _HOST.match(target) else target
