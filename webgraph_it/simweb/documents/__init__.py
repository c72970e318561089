"""Documents other than HTML, with hyperlinks that real tools can open: PDF, Word, Flash, feeds and the rest.

`render(kind, links, title, seed)` gives a content type and a body. Guarantees: the same arguments give the
same bytes. The body is a well-formed document of its kind. Every link is in it as a hyperlink of that kind
(in a text, as a word), in the order given. The seed chooses among the ways in which such a document is
written in practice (compressed or not, 8-bit or UTF-16, ...). Every kind but `text`, `css` and `js` also
mentions DECOY where it is not a hyperlink: in a comment, in prose, in metadata. An extractor that returns it
reads too much.
"""

from collections.abc import Callable, Sequence

from webgraph_it.simweb.documents import flash, markup, office, pdf, plain, word
from webgraph_it.simweb.documents.decoy import DECOY

__all__ = ["DECOY", "KINDS", "render"]

_WRITERS: dict[str, tuple[str, Callable[[Sequence[str], str, int], bytes]]] = {
    "pdf": ("application/pdf", pdf.pdf),
    "doc": ("application/msword", word.doc),
    "rtf": ("application/rtf", word.rtf),
    "docx": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", office.docx),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", office.xlsx),
    "pptx": ("application/vnd.openxmlformats-officedocument.presentationml.presentation", office.pptx),
    "odt": ("application/vnd.oasis.opendocument.text", office.odt),
    "swf": ("application/x-shockwave-flash", flash.swf),
    "xml": ("application/xml", markup.xml),
    "rss": ("application/rss+xml", markup.rss),
    "atom": ("application/atom+xml", markup.atom),
    "sitemap": ("application/xml", markup.sitemap),
    "css": ("text/css", plain.css),
    "js": ("text/javascript", plain.js),
    "text": ("text/plain; charset=utf-8", plain.text),
}

KINDS = tuple(_WRITERS)


def render(kind: str, links: Sequence[str], title: str, seed: int) -> tuple[str, bytes]:
    """The content type and the body of a document of this kind that links to `links`."""
    content_type, write = _WRITERS[kind]
    return content_type, write(links, title, seed)
