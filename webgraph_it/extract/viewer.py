"""How viewers of documents open an address without a scheme: `www.comune.padova.it/uffici` is a host, not a file.

This applies only to a reference that begins with `www.` and continues like a host name. Every other reference is
relative to the document, as in a page. It is used for PDF, RTF, DOC, XLS, DOCX, XLSX, PPTX and ODF. In HTML, XML and
Flash the browser decides, and treats it as a file.
"""

import re

_HOST = re.compile(r"\s*www\.[^\s./\\?#:@]++\.[^\s./\\?#:@]", re.IGNORECASE)


def opened(target: str) -> str:
    """The address that a viewer opens."""
    return f"http://{target.lstrip()}" if _HOST.match(target) else target
