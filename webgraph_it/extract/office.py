"""Links of zipped office documents: relationships of DOCX, XLSX and PPTX, `xlink:href` of ODT, ODS and ODP.

It uses the standard library's zipfile, with bounded reads: only the few parts that can contain links are unpacked.
Their XML goes through the scanner of xml.py, which expands no entities.
"""

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from html import unescape

from webgraph_it.extract import xml
from webgraph_it.extract.bounded import Budget
from webgraph_it.extract.records import Found
from webgraph_it.extract.viewer import opened
from webgraph_it.extract.word import field_targets

_MAX_PARTS = 1000
_LIMIT_BYTES = 16 * 1024 * 1024
_RELATIONSHIP = re.compile(r"<(?:\w++:)?Relationship\s(?=[^<>]*?/hyperlink)([^<>]*+)")
_INSTRUCTION = re.compile(r"<w:instrText(?:\s[^<>]*+)?>([^<]*+)")
_ANCHOR = re.compile(r"<(?:text|draw):a\s([^<>]*+)")
_DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError, KeyError),
)
"""Everything that zipfile raises for broken, encrypted or unusual archives."""


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The hyperlinks of an office document, part by part in the archive's order."""
    budget = Budget(_LIMIT_BYTES)
    found: list[tuple[str, str, str]] = []
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name, text in _parts(archive, budget):
                found.extend((target, "document", "") for target in _targets(name, text))
    except _DAMAGE:
        return Found(found, base, reason=budget.reason or "broken")
    return Found(found, base, reason=budget.reason)


def _parts(archive: zipfile.ZipFile, budget: Budget) -> Iterator[tuple[str, str]]:
    wanted = [entry for entry in archive.infolist() if _may_link(entry.filename)]
    for entry in wanted[:_MAX_PARTS]:
        granted = budget.take(entry.file_size)
        with archive.open(entry) as part:
            yield entry.filename, xml.text_of(part.read(granted), None)


def _may_link(name: str) -> bool:
    return name.endswith(".rels") or name in ("content.xml", "styles.xml", "word/document.xml")


def _targets(name: str, text: str) -> Iterator[str]:
    if name.endswith(".rels"):
        yield from relationship_targets(text)
    elif name == "word/document.xml":
        yield from field_targets(unescape("".join(_INSTRUCTION.findall(text))))
    else:
        for anchor in _ANCHOR.finditer(text):
            yield from (opened(reference) for reference, _ in xml.href_and_rel(anchor[1]))


def relationship_targets(text: str) -> Iterator[str]:
    """The targets of hyperlink relationships that point outside the package."""
    for relationship in _RELATIONSHIP.finditer(text):
        found = xml.attributes(relationship[1])
        if found.get("TargetMode") == "External" and found.get("Type", "").endswith("/hyperlink"):
            yield opened(found.get("Target", ""))
