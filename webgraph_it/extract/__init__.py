"""Bytes → links: one table from media type to extractor, one small module per document type.

    Document ──table.py──► html, css, script, text… ──► raw links ──naming.py──► Extraction

docs/links.md says what counts as a link, per document type, and which links become arcs.
"""

from webgraph_it.extract.extraction import extract
from webgraph_it.extract.records import KINDS, Document, Extraction, LinkPolicy, link_policy

__all__ = ["KINDS", "Document", "Extraction", "LinkPolicy", "extract", "link_policy"]
