"""What belongs to the crawl: one verdict for each URL.

    IN           in the graph, and fetched
    FETCH_ONLY   fetched for its links, but not in the graph: a directory site outside the scope, or a sitemap
    TRAP_...     in the graph as the end of arcs, but not fetched: it looks like one of endlessly many
    the others   out: neither node nor arc

Pure. Whether a URL is in the graph depends on its key alone, so that two spellings of a node agree. The frontier
decides how deep a crawl may go (reason `depth`), because a URL does not know its depth.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from sys import maxsize
from typing import Any, Self

from webgraph_it.urls.ports import BAD_PORTS, port_of
from webgraph_it.urls.seeds import Seeds
from webgraph_it.urls.sitemaps import page_key
from webgraph_it.urls.surt import SurtPrefixes, by_sign

ADMITTED_ENDING = ".xml.gz"  # a compressed sitemap: the only archive with links
MAX_KEY_LENGTH = 16_384  # characters: anything longer is data, not a name
MAX_QUERY_PARAMETERS = 20


class Verdict(Enum):
    """What to do with a URL. The value is the reason's name in the stats."""

    IN = "in"
    FETCH_ONLY = "fetch-only"
    HOST = "host"
    """Not under any SURT prefix."""
    EXCLUDED = "excluded"
    """Under a prefix with a `-`, even if another prefix covers it."""
    PORT = "port"
    """A port for mail, shells and the like, where no browser requests a page."""
    EXTENSION = "extension"
    """An image, a video, a font or an archive: nothing with links."""
    LENGTH = "length"
    """The key is too long to be a node."""
    DIRECTORY_TRAP = "directory-trap"
    """A trap on a directory site: not fetched, and not in the graph anyway."""
    TRAP_LENGTH = "trap-length"
    TRAP_REPETITION = "trap-repetition"
    """Repeated segments: /a/b/a/b/a/b."""
    TRAP_DEPTH = "trap-depth"
    """Too many segments."""
    TRAP_QUERY = "trap-query"
    """Too many parameters."""

    in_graph: bool
    fetchable: bool
    reason: str

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.in_graph = reason == "in" or reason.startswith("trap-")
        self.fetchable = reason in ("in", "fetch-only")

    @property
    def is_trap(self) -> bool:
        """Whether the node's state is `trap-cut`."""
        return self.in_graph and not self.fetchable


class Scope:
    """The rules of one crawl. `verdict` answers in about a microsecond. A limit of 0 means no limit.

    A prefix with a `-` in `surts` excludes what it covers. Exclusion wins, however long the other prefix is, as in
    Heritrix, where the rejecting rule comes after the accepting rule.
    """

    def __init__(
        self,
        surts: Iterable[str],
        fetch_only: Iterable[str],
        *,
        exclusions: Iterable[str],
        allowed_ports: Iterable[int],
        excluded_extensions: Iterable[str],
        max_url_length: int,
        max_path_segments: int,
        max_repeated_segments: int,
        max_query_parameters: int = MAX_QUERY_PARAMETERS,
    ) -> None:
        included, excluded = by_sign(surts)
        self.surts = SurtPrefixes(included)
        self.excluded = SurtPrefixes((*excluded, *exclusions))
        self.fetch_only = SurtPrefixes(fetch_only)
        self._bad_ports = BAD_PORTS.difference(allowed_ports)
        self.excluded_extensions = frozenset(
            extension.lower().lstrip(".") for extension in excluded_extensions
        )
        self._max_url_length = max_url_length or maxsize
        self._max_path_segments = max_path_segments or maxsize
        self._times_allowed = max_repeated_segments - 1 if max_repeated_segments else maxsize
        self._max_query_parameters = max_query_parameters or maxsize
        self._shallow = min(self._times_allowed, self._max_path_segments)
        self._starts = self.surts.starts
        self._excludes = bool(self.excluded)
        self._extension_window = -1 - max(map(len, self.excluded_extensions), default=0)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], seeds: Seeds) -> Self:
        """The scope of a crawl; seeds outside SCOPE_SURTS are directories, fetched for their links."""
        return cls(
            settings["SCOPE_SURTS"],
            (*seeds.extra_prefixes, *seeds.directories),
            exclusions=seeds.exclusions,
            allowed_ports=settings["ALLOWED_PORTS"],
            excluded_extensions=settings["EXCLUDED_EXTENSIONS"],
            max_url_length=settings["MAX_URL_LENGTH"],
            max_path_segments=settings["MAX_PATH_SEGMENTS"],
            max_repeated_segments=settings["MAX_REPEATED_SEGMENTS"],
        )

    def __repr__(self) -> str:
        prefixes = (*self.surts.prefixes, *(f"-{prefix}" for prefix in self.excluded.prefixes))
        return f"Scope({list(prefixes)}, fetch only {list(self.fetch_only.prefixes)})"

    def verdict(self, key: str, url: str = "") -> Verdict:
        """What to do with the node `key` if its spelling is `url` (only its length matters)."""
        if "#" in key:
            return self._verdict_of_sitemap(key, url)
        inside = key.startswith(self._starts)
        if not inside and key not in self.fetch_only:
            return Verdict.HOST
        if self._excludes and key in self.excluded:
            return Verdict.EXCLUDED
        if inside and key.endswith(")/") and len(url) <= self._max_url_length:  # a host's home page
            return Verdict.IN
        if "):" in key and port_of(key) in self._bad_ports:
            return Verdict.PORT
        path, _, query = key.partition("?")
        dot = path.rfind(".", self._extension_window)
        if dot >= 0 and path[dot + 1 :].lower() in self.excluded_extensions and not _is_packed_sitemap(path):
            return Verdict.EXTENSION
        if len(key) > MAX_KEY_LENGTH:
            return Verdict.LENGTH
        length, slashes = len(url) or len(key), path.count("/")
        if (
            length <= self._max_url_length and slashes <= self._shallow and not query
        ):  # no trap is this simple
            return Verdict.IN if inside else Verdict.FETCH_ONLY
        trap = self._trap(length, path, slashes, query)
        if trap is None:
            return Verdict.IN if inside else Verdict.FETCH_ONLY
        return trap if inside else Verdict.DIRECTORY_TRAP

    def _verdict_of_sitemap(self, key: str, url: str) -> Verdict:
        """A sitemap is fetched like a page, whatever its extension, but is not in the graph."""
        verdict = self.verdict(page_key(key), url)
        if verdict.is_trap:
            return Verdict.DIRECTORY_TRAP
        return Verdict.FETCH_ONLY if verdict.fetchable or verdict is Verdict.EXTENSION else verdict

    def _trap(self, length: int, path: str, slashes: int, query: str) -> Verdict | None:
        if length > self._max_url_length:
            return Verdict.TRAP_LENGTH
        if query and query.count("&") >= self._max_query_parameters:
            return Verdict.TRAP_QUERY
        if slashes <= self._shallow:
            return None
        segments = path.split("/")  # the first is the host, the last is empty after a closing slash
        if slashes + 1 - len(set(segments)) >= self._times_allowed and _repeats(
            segments, self._times_allowed
        ):
            return Verdict.TRAP_REPETITION
        return Verdict.TRAP_DEPTH if slashes - (not segments[-1]) > self._max_path_segments else None


def _is_packed_sitemap(path: str) -> bool:
    return path.lower().endswith(ADMITTED_ENDING)


def _repeats(segments: list[str], times_allowed: int) -> bool:
    """Whether a sequence of one or more segments repeats more often than allowed."""
    named = segments[1:] if segments[-1] else segments[1:-1]
    longest_period = len(named) // (times_allowed + 1)
    return any(
        _longest_run(named, period) >= period * times_allowed for period in range(1, longest_period + 1)
    )


def _longest_run(segments: list[str], period: int) -> int:
    """How many consecutive segments equal the one `period` places before."""
    longest = run = 0
    for place in range(period, len(segments)):
        run = run + 1 if segments[place] == segments[place - period] else 0
        longest = max(longest, run)
    return longest
