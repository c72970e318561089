"""HTML that links in other ways than with <a>, and pages that ask not to be followed."""

from urllib.parse import quote

from webgraph_it.simweb.habits.exhibits.stand import Exhibit, Stand
from webgraph_it.simweb.habits.spelling import relative_path
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import Link, Page

ACCENTED = "città-perché.html"


def _meta_refresh(stand: Stand, rest: str) -> Page | None:
    if rest != "":
        return None
    target, other = stand.neighbours(2)
    instruction = f"3; url={stand.href(target)}"
    links = [Link("", target), *stand.anchors([other])]
    if stand.serial % 2:
        return stand.html(rest, links, headers=(("Refresh", instruction),))
    return stand.html(rest, links, head=f'<meta http-equiv="refresh" content="{instruction}">')


def _base_href(stand: Stand, rest: str) -> Page | None:
    """The first <base> counts. It is alternately of this host by path, of this host by URL, and of another host."""
    if rest != "pagina.html":
        return None
    elsewhere = stand.stranger()
    there = elsewhere.host if stand.serial % 3 == 0 else stand.host.name
    targets = [elsewhere] if stand.serial % 3 == 0 else stand.neighbours(3)
    folder = "/altra/cartella/"
    base = {0: stand.world.url(Place(there, folder)), 1: folder, 2: stand.host.origin + folder}[
        stand.serial % 3
    ]
    links = [Link(f'<a href="{relative_path(folder, target.path)}">x</a>', target) for target in targets]
    return stand.html(rest, links, head=f'<base href="{base}"><base href="http://www.example.com/">')


def _frames(stand: Stand, rest: str) -> Page | None:
    if rest != "indice.html":
        return None
    targets = stand.neighbours(2)
    frames = "".join(f'<frame src="{stand.href(target)}">' for target in targets)
    text = f'<html><head><title>Cornici</title></head><frameset cols="30%,70%">{frames}</frameset></html>\n'
    return Page(stand.place(rest), links=[Link("", target) for target in targets], body=text.encode)


def _link_header(stand: Stand, rest: str) -> Page | None:
    if rest != "":
        return None
    target, other = stand.neighbours(2)
    value = f'<{stand.href(target)}>; rel="next", </nascosto/stile-{stand.serial}.css>; rel=preload; as=style'
    return stand.html(rest, [Link("", target), *stand.anchors([other])], headers=(("Link", value),))


def _meta_nofollow(stand: Stand, rest: str) -> Page | None:
    if rest != "":
        return None
    name, content = (("robots", "noindex, NoFollow"), ("webgraph_it", "nofollow"), ("ROBOTS", "none"))[
        stand.serial % 3
    ]
    return stand.html(rest, stand.hidden("a"), head=f'<meta name="{name}" content="{content}">')


def _header_nofollow(stand: Stand, rest: str) -> Page | None:
    value = ("nofollow", "none", "noindex, nofollow", "webgraph_it: nofollow")[stand.serial % 4]
    return stand.html(rest, stand.hidden("a"), headers=(("X-Robots-Tag", value),)) if rest == "" else None


def _accented(stand: Stand, rest: str) -> Page | None:
    if rest != quote(ACCENTED):
        return None
    return stand.html(ACCENTED, stand.anchors(stand.neighbours(1)))


def _raw(stand: Stand, entry: str) -> str:
    return f"/{stand.name}/{stand.serial}/{entry}"


def _raw_or_escaped(stand: Stand, entry: str) -> str:
    whole = stand.path(entry)
    return (_raw(stand, entry), whole, whole.replace("%C3%A0", "%c3%a0"))[stand.serial % 3]


EXHIBITS = {
    "meta-refresh": Exhibit(_meta_refresh),
    "base-href": Exhibit(_base_href, lambda stand: "pagina.html"),
    "frames": Exhibit(_frames, lambda stand: "indice.html"),
    "link-header": Exhibit(_link_header),
    "meta-nofollow": Exhibit(_meta_nofollow),
    "header-nofollow": Exhibit(_header_nofollow),
    "non-ascii": Exhibit(_accented, lambda stand: ACCENTED, _raw_or_escaped),
    "iso-8859-1": Exhibit(_accented, lambda stand: ACCENTED, _raw),
    "windows-1252": Exhibit(_accented, lambda stand: ACCENTED, _raw),
}
