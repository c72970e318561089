"""Documents other than HTML. Style sheets, scripts and texts are fetched, but give no arcs."""

import gzip

from webgraph_it.simweb.documents import KINDS, render
from webgraph_it.simweb.habits.exhibits.stand import Exhibit, Stand
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import Link, Page

WITHOUT_ARCS = ("css", "js", "text")
OPENED_BY_VIEWERS = ("pdf", "rtf", "doc", "docx", "xlsx", "pptx", "odt")
_FILE_NAMES = {"text": "leggimi.txt", "sitemap": "sitemap.xml", "xml": "dati.xml", "atom": "novita.atom"}


def _document(kind: str, name: str, packed: bool = False) -> Exhibit:
    def page(stand: Stand, rest: str) -> Page | None:
        if rest != name:
            return None
        targets = [] if kind in WITHOUT_ARCS else [*stand.neighbours(3), stand.stranger()]
        urls = [_written(kind, stand, target) for target in targets] or _mentioned(stand)
        media_type, body = render(kind, urls, f"{stand.name} {stand.serial}", stand.serial)
        return Page(
            stand.place(rest),
            links=_links(targets),
            media_type="application/gzip" if packed else media_type,
            body=lambda: gzip.compress(body, mtime=0) if packed else body,
        )

    return Exhibit(page, lambda stand: name)


def _written(kind: str, stand: Stand, target: Place) -> str:
    """Every other document for a viewer writes `www.sito.it/pagina`, which opens as a host, not as a file."""
    url = stand.world.url(target)
    is_bare = kind in OPENED_BY_VIEWERS and stand.serial % 2 == 1 and url.startswith("http://www.")
    return url.removeprefix("http://") if is_bare else url


def _mentioned(stand: Stand) -> list[str]:
    return [f"{stand.host.origin}/nascosto/{stand.name}-{stand.serial}-{n}.html" for n in range(3)]


def _links(targets: list[Place]) -> list[Link]:
    return [Link("", target) for target in targets]


EXHIBITS = {kind: _document(kind, _FILE_NAMES.get(kind, f"documento.{kind}")) for kind in KINDS} | {
    "sitemap-gz": _document("sitemap", "sitemap.xml.gz", packed=True)
}
