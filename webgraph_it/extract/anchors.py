"""Anchor texts of links, and which links are nofollow (ANCHOR_TEXT, NOFOLLOW_LABELS).

    HTML tree ──TextReader──► text of each reference ──Collector──► Anchors: by number of the link

Guarantees: the links of a document are the same with and without this. A text is one line of printable characters, at
most MAX_TEXT of them, with single blanks. At most MAX_TEXTS texts of a document are kept, each once per target, and at
most MAX_READ characters of its elements are looked at: elements of SVG can be nested, so the texts of a small document
can be long together.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from webgraph_it.extract.records import Anchors, Found
from webgraph_it.urls import Name, Refusal

MAX_TEXT = 200
MAX_TEXTS = 5_000
MAX_READ = 1 << 24
TEXTS = "anchor text"
"""Among the wanted kinds, it asks an extractor for texts."""
NOFOLLOW = "nofollow"


def clean(text: str) -> str:
    """One line, with single blanks and without characters that cannot be shown."""
    words = " ".join(text.split())
    if not words.isprintable():
        words = " ".join("".join(filter(str.isprintable, words)).split())
    return words[:MAX_TEXT].rstrip()


class TextReader:
    """Reads the texts of the elements of one document."""

    __slots__ = ("_left", "texts")

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        """By the number of the reference."""
        self._left = MAX_READ

    def read(self, number: int, element: Any) -> None:
        """What an element shows: its text or, if it has none, the descriptions of its pictures."""
        if self._left <= 0:
            return
        text: str = element.text
        self._left -= len(text) + 1
        if text and not text.isspace():
            self.keep(number, text)
            return
        descriptions = [picture.attr("alt") or "" for picture in element.iter_elements(("img",))]
        self._left -= sum(map(len, descriptions)) + len(descriptions)
        self.keep(number, " ".join(descriptions))

    def keep(self, number: int, text: str) -> None:
        if shown := clean(text[: 20 * MAX_TEXT]):
            self.texts[number] = shown


class Collector:
    """Gathers the anchors of one document while its references are named."""

    def __init__(self, wants_rels: bool) -> None:
        self._wants_rels = wants_rels
        self._texts: dict[tuple[str, str], None] = {}
        self._nofollowed: set[str] = set()
        self._followed: set[str] = set()

    def add(
        self,
        part: Found,
        kinds: frozenset[str],
        targets: Mapping[str, Name | Refusal],
        spelling: Callable[[str], str],
    ) -> None:
        """`targets`: what each spelling of the part names."""
        for number, (reference, kind, rel) in enumerate(part.links):
            if kind not in kinds:
                continue
            target = targets.get(spelling(reference))
            if target is None or isinstance(target, Refusal):
                continue
            if self._wants_rels:
                is_nofollow = bool(rel) and NOFOLLOW in rel.lower().split()
                (self._nofollowed if is_nofollow else self._followed).add(target.key)
            text = part.texts.get(number)
            if text and len(self._texts) < MAX_TEXTS:
                self._texts[target.key, text] = None

    def anchors(self, keys: Iterable[str]) -> Anchors:
        """By the place of each target in `keys`. A target is nofollow if all links to it are."""
        numbers = {key: number for number, key in enumerate(keys)}
        nofollow = sorted(numbers[key] for key in self._nofollowed - self._followed if key in numbers)
        texts = sorted((numbers[key], text) for key, text in self._texts if key in numbers)
        return Anchors(tuple(texts), tuple(nofollow))
