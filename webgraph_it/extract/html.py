"""Links of HTML and XHTML pages, exactly as a browser without scripts sees them.

turbohtml builds the HTML5 tree, so comments, scripts, implied tags and foster parenting are right by construction.
It passes all 1,726 html5lib tree tests. selectolax passes 1,644, is three times slower, and takes excessive time on
nested tags.

Charset: BOM, HTTP header, meta, strict UTF-8, else windows-1252 (that is turbohtml's own order).
Not links: the content of a `<template>` (inert until a script copies it), and elements of namespaces other than
HTML, except the SVG `a`.
"""

import re
from collections.abc import Callable, Iterator
from html.entities import html5
from typing import Any

from ada_url import join_url
from turbohtml import HTMLParseError, Namespace, parse, parse_xml

from webgraph_it.extract import css, script
from webgraph_it.extract.anchors import TEXTS, TextReader
from webgraph_it.extract.headers import link_kind, refresh_url
from webgraph_it.extract.records import Found

ROBOT_NAMES = frozenset(("robots", "webgraph_it"))
"""Values of `<meta name>` that apply to us."""

Tree = Any
Element = Any


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The links of an HTML page."""
    tree = _tree(body, charset)
    return _Page(kinds).read(tree).found(base, _encoding(tree, body))


def xhtml_links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The links of an XHTML page, where `<script/>` is closed. A page that is not well-formed is read as HTML."""
    tree = _tree(body, charset)
    encoding = _encoding(tree, body)
    try:
        text = body.decode(encoding, "replace").removeprefix("\ufeff")
        tree = parse_xml(_ENTITY.sub(_entity_text, text))
    except (HTMLParseError, LookupError):
        pass
    return _Page(kinds).read(tree).found(base, encoding)


# -- bytes to tree ------------------------------------------------------------------------------------------

_XML_ENTITIES = frozenset(("lt;", "gt;", "amp;", "quot;", "apos;"))
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{0,31};)")


def _tree(body: bytes, charset: str | None) -> Tree:
    """Shadow roots stay templates in the tree, so their content is found in its place."""
    if charset is not None:
        try:
            return parse(body, encoding=charset, positions=False, allow_declarative_shadow_roots=False)
        except LookupError:  # no such encoding on the web
            pass
    return parse(_whole_characters(body), positions=False, allow_declarative_shadow_roots=False)


def _encoding(tree: Tree, body: bytes) -> str:
    """The encoding of the page. Without a declaration, ASCII counts as UTF-8."""
    undecided = tree.encoding_confidence == "tentative" and body.isascii()
    return "UTF-8" if undecided else tree.encoding or "UTF-8"


def _whole_characters(body: bytes) -> bytes:
    """The body without a truncated last character, which would make UTF-8 look like windows-1252."""
    for length, byte in enumerate(reversed(body[-3:]), 1):
        if byte >= 0xC0:
            return body[:-length]
        if byte < 0x80:
            break
    return body


def _entity_text(entity: re.Match[str]) -> str:
    """XML has five named entities; the others come from XHTML's DTD."""
    return entity[0] if entity[1] in _XML_ENTITIES else html5.get(entity[1], entity[0])


# -- tree to links ------------------------------------------------------------------------------------------


class _Page:
    """What was found on one page so far. `read` visits the relevant elements in document order."""

    __slots__ = ("base_href", "inert", "kinds", "nofollow", "raw", "reader", "refreshed", "tags")

    def __init__(self, kinds: frozenset[str]) -> None:
        self.kinds = kinds
        self.tags = _tags(kinds)
        self.raw: list[tuple[str, str, str]] = []
        self.base_href: str | None = None
        self.refreshed = False
        self.nofollow = False
        self.inert: set[Element] = set()
        self.reader = TextReader() if TEXTS in kinds else None

    def read(self, tree: Tree) -> "_Page":
        append, inert, reader = self.raw.append, self.inert, self.reader
        for element in tree.iter_elements(self.tags):
            if inert and element in inert:
                continue
            tag = element.tag
            if tag == "a":
                if (href := _anchor_href(element)) is not None:
                    if reader is not None:
                        reader.read(len(self.raw), element)
                    append((href, "a", element.attr("rel") or ""))
            elif element.namespace is Namespace.HTML:
                _HANDLERS[tag](self, element)
        if "css" in self.kinds:
            self._style_attributes(tree)
        return self

    def found(self, url: str, encoding: str) -> Found:
        found = Found(self.raw, _base(self.base_href, url), encoding, self.nofollow)
        return found if self.reader is None else found._replace(texts=self.reader.texts)

    def add(self, reference: str | None, kind: str, rel: str = "") -> None:
        """Add a link of an element for which an empty reference is not a link (for `a` it means the page itself)."""
        if reference and kind in self.kinds:
            self.raw.append((reference, kind, rel))

    def area(self, element: Element) -> None:
        if (href := element.attr("href")) is not None:
            if self.reader is not None:
                self.reader.keep(len(self.raw), element.attr("alt") or "")
            self.raw.append((href, "area", element.attr("rel") or ""))

    def frame(self, element: Element) -> None:
        self.add((element.attr("src") or "").strip(), element.tag)

    def link(self, element: Element) -> None:
        rel = element.attr("rel") or ""
        self.add(element.attr("href"), link_kind(rel), rel)

    def base(self, element: Element) -> None:
        if self.base_href is None:
            self.base_href = element.attr("href")

    def meta(self, element: Element) -> None:
        """Reads the first refresh, and every directive for robots."""
        self.nofollow = self.nofollow or _forbids_following(element)
        if not self.refreshed and (url := _meta_refresh(element)):
            self.refreshed = True
            self.add(url, "refresh")

    def template(self, element: Element) -> None:
        """Its content is inert, unless it is a declarative shadow root, which a browser shows."""
        if (element.attr("shadowrootmode") or "").lower() not in ("open", "closed"):
            self.inert.update(element.iter_elements())

    def form(self, element: Element) -> None:
        if _asks(element.attr("method")):
            self.add(element.attr("action"), "form")

    def submit(self, element: Element) -> None:
        if element.attr("formaction") and _asks(_submit_method(element)):
            self.add(element.attr("formaction"), "form")
        self.add(element.attr("src"), "embed")

    def embed(self, element: Element) -> None:
        for attribute in _EMBEDS[element.tag]:
            self.add(element.attr(attribute), "embed")
        for url in srcset_urls(element.attr("srcset") or ""):
            self.add(url, "embed")

    def script(self, element: Element) -> None:
        self.add(element.attr("src"), "embed")
        if "script" in self.kinds:
            self.raw.extend((url, "script", "") for url in script.references(element.text))

    def style(self, element: Element) -> None:
        self.raw.extend((url, "css", "") for url in css.references(element.text))

    def _style_attributes(self, tree: Tree) -> None:
        for element in tree.select("[style]"):
            if element not in self.inert:
                self.raw.extend((url, "css", "") for url in css.references(element.attr("style") or ""))


_EMBEDS: dict[str, tuple[str, ...]] = {
    "img": ("src", "longdesc"),
    "embed": ("src",),
    "object": ("data",),
    "applet": ("code", "archive"),
    "audio": ("src",),
    "video": ("src", "poster"),
    "source": ("src",),
    "track": ("src",),
    "body": ("background",),
    "table": ("background",),
    "td": ("background",),
    "th": ("background",),
}

_NAVIGATION_HANDLERS: dict[str, Callable[[_Page, Element], None]] = {
    "area": _Page.area,
    "frame": _Page.frame,
    "iframe": _Page.frame,
    "link": _Page.link,
    "base": _Page.base,
    "meta": _Page.meta,
    "template": _Page.template,
}
_FORM_HANDLERS = {"form": _Page.form, "button": _Page.submit, "input": _Page.submit}
_EMBED_HANDLERS = {**dict.fromkeys(_EMBEDS, _Page.embed), "input": _Page.submit, "script": _Page.script}
_HANDLERS = {**_NAVIGATION_HANDLERS, **_FORM_HANDLERS, **_EMBED_HANDLERS, "style": _Page.style}


def _tags(kinds: frozenset[str]) -> tuple[str, ...]:
    """Which elements to examine for these kinds of links."""
    tags = ["a", *_NAVIGATION_HANDLERS]
    tags += _FORM_HANDLERS if "form" in kinds else ()
    tags += _EMBED_HANDLERS if "embed" in kinds else ()
    tags += ["style"] if "css" in kinds else []
    tags += ["script"] if "script" in kinds else []
    return tuple(dict.fromkeys(tags))


def _asks(method: str | None) -> bool:
    """Whether a form uses GET. One that posts, or closes a dialogue, does not lead to a page that we may fetch."""
    return (method or "get").strip().lower() not in ("post", "dialog")


def _submit_method(button: Element) -> str | None:
    """A button's own method, or its form's. For a form elsewhere in the page, it assumes the worst."""
    own: str | None = button.attr("formmethod")
    if own is not None:
        return own
    if button.attr("form") is not None:
        return "post"
    form = button.closest("form")
    return None if form is None else form.attr("method")


def _anchor_href(element: Element) -> str | None:
    href: str | None = element.attr("href")
    if href is None and element.namespace is Namespace.SVG:
        href = element.attr("xlink:href")
    return href


_SRCSET_URL = re.compile(r"[\s,]*+([^\s,]\S*+)")
_SRCSET_DESCRIPTORS = re.compile(r"(?:[^,(]|\([^)]*+\)?)*+")


def srcset_urls(srcset: str) -> Iterator[str]:
    """The URLs of `a.jpg 1x, b.jpg 2x`. One that ends in a comma has no descriptors."""
    position = 0
    while candidate := _SRCSET_URL.match(srcset, position):
        url, position = candidate[1], candidate.end()
        if not url.endswith(",") and (descriptors := _SRCSET_DESCRIPTORS.match(srcset, position)):
            position = descriptors.end()
        yield url.rstrip(",")


def _base(href: str | None, url: str) -> str:
    """The base URL: the first `<base href>`, unless it is not a URL, or is a data: or javascript: URL."""
    if href is None:
        return url
    try:
        base = join_url(url, href)
    except ValueError:
        return url
    return url if base.startswith(("data:", "javascript:")) else base


def _forbids_following(meta: Element) -> bool:
    if (meta.attr("name") or "").strip().lower() not in ROBOT_NAMES:
        return False
    words = (meta.attr("content") or "").lower().replace(",", " ").split()
    return "nofollow" in words or "none" in words


def _meta_refresh(meta: Element) -> str:
    if (meta.attr("http-equiv") or "").lower() != "refresh":
        return ""
    return refresh_url(meta.attr("content") or "")
