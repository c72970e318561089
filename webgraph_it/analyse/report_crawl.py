"""The report's section about the crawl itself: speed, bandwidth and connections against their caps,
answers, hosts.
"""

from collections import Counter
from collections.abc import Sequence

from webgraph_it.analyse.crawl_story import MIN_FETCHES_OF_SLOW_HOST, CrawlStory, HostTally
from webgraph_it.analyse.side_by_side import Moment
from webgraph_it.report.charts import Bar, Line, bars, legend, line_chart
from webgraph_it.report.parts import card, host_link, table, tiles
from webgraph_it.report.svg import Markup, element, exact

KB = 1000
SHOWN_HOSTS = 12
MAX_BARS = 9
FAR = 3.0
"""A cap this many times above the highest value would flatten the chart. It is given in words instead."""
STATUS_CLASSES = {"2": "series-3", "3": "series-1", "4": "series-5", "5": "series-2"}
STATE_CLASSES = {
    "fetched": "series-3",
    "redirect": "series-1",
    "error": "series-2",
    "robots-denied": "series-4",
}


def crawl_section(story: CrawlStory) -> list[Markup]:
    """What the crawl's own logs say. Parts without data are left out."""
    cards = [*_over_time(story), *_counted(story), *_hosts(story)]
    return [_figures(story), element("div", *cards, class_="cards")]


def _figures(story: CrawlStory) -> Markup:
    figures = [(exact(story.tried), "URLs tried"), (_duration(story.seconds), "of crawling")]
    if story.tried_per_second is not None:
        figures.append((speed_words(story), "URLs tried per second"))
    if story.wire_bytes is not None:
        figures.append((_size(story.wire_bytes), "came over the wire"))
    figures.append((_size(story.bytes), "of pages, unpacked"))
    figures.append((exact(len(story.hosts)), "hosts visited"))
    memory = [value for moment in story.progress if (value := moment.get("rss_bytes"))]
    if memory:
        figures.append((_size(max(memory)), "of memory, at most"))
    return tiles(figures)


def speed_words(story: CrawlStory) -> str:
    """The mean speed in words."""
    return f"{story.tried_per_second or 0.0:,.1f}"


def _size(count: float) -> str:
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.0f} B"


def _duration(seconds: float) -> str:
    for unit, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.0f} s"


# -- over time -----------------------------------------------------------------------------------------------


def _over_time(story: CrawlStory) -> list[Markup]:
    moments = story.progress
    if len(moments) < 2:
        return []
    xs, unit = _times(moments)
    speed = f"Mean {speed_words(story)}. "
    wire = (
        "Bytes on the wire per second, headers and TLS included, whether read or not. This is what "
        f"the schedule caps. Mean {_rate(story)}. The cap holds over a minute. A single second may take a tenth more. "
    )
    rate = "URLs tried per second"
    cards = [
        _limited(moments, xs, unit, rate, "pages_per_second", None, "URLs/s", "series-1", speed),
        _limited(
            moments, xs, unit, "Bandwidth", "wire_bytes_per_second", "bandwidth_cap", "KB/s on the wire", "series-3",
            wire, KB,
        ),
        _limited(moments, xs, unit, "Connections", "connections", "connections_cap", "sockets", "series-4"),
        _several(moments, xs, unit, "The frontier", FRONTIER_LINES),
        _several(moments, xs, unit, "Hosts in the frontier", HOST_LINES),
    ]  # fmt: skip
    return [made for made in cards if made]


def _rate(story: CrawlStory) -> str:
    mean = (story.wire_bytes or 0.0) / story.seconds if story.seconds else 0.0
    return f"{exact(round(mean / KB))} KB/s"


FRONTIER_LINES = {"seen": "URLs known", "queued": "waiting", "pages": "tried"}
HOST_LINES = {
    "hosts_ready": "ready now",
    "hosts_waiting": "resting between fetches",
    "hosts_parked": "given up for a while",
}


def _times(moments: Sequence[Moment]) -> tuple[list[float], str]:
    elapsed = [moment["elapsed"] or 0.0 for moment in moments]
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if elapsed[-1] >= 3 * unit:
            return [round(at / unit, 2) for at in elapsed], name
    return [round(at, 1) for at in elapsed], "seconds"


def _values(moments: Sequence[Moment], key: str, divisor: float = 1) -> list[float | None]:
    return [None if (value := moment.get(key)) is None else value / divisor for moment in moments]


def _limited(
    moments: Sequence[Moment], xs: list[float], unit: str, title: str,
    key: str, cap_key: str | None, y_label: str, class_: str, told: str = "", divisor: float = 1,
) -> Markup | None:  # fmt: skip
    """A measure over time, against its cap."""
    values = _values(moments, key, divisor)
    known = [value for value in values if value is not None]
    if not known:
        return None
    caps = _values(moments, cap_key, divisor) if cap_key else []
    limits = [value for value in caps if value is not None]
    words = f"{told}Highest {exact(round(max(known), 1))}. "
    lines = [Line(f"{y_label}:", values, class_, filled=True)]
    keys = [(y_label, class_)]
    if limits and min(limits) <= FAR * max(known):
        lines.append(Line("cap:", caps, "limit"))
        keys.append(("scheduled cap" if divisor == KB else "cap", "limit"))
    elif limits:
        words += f"The cap of {exact(min(limits))} is far above the chart."
    elif cap_key:
        words += "No cap was set."
    return card(
        title, words, line_chart(title, xs, lines, unit, y_label), legend(keys) if len(keys) > 1 else ""
    )


def _several(
    moments: Sequence[Moment], xs: list[float], unit: str, title: str, shown: dict[str, str]
) -> Markup | None:
    lines = [
        Line(f"{name}:", _values(moments, key), f"series-{index}")
        for index, (key, name) in enumerate(shown.items(), 1)
    ]
    lines = [line for line in lines if any(value is not None for value in line.values)]
    if not lines:
        return None
    keys = [(line.name.rstrip(":"), line.class_) for line in lines]
    noun = "hosts" if "osts" in title else "URLs"
    return card(title, "", legend(keys), line_chart(title, xs, lines, unit, noun))


# -- counted -------------------------------------------------------------------------------------------------


def _counted(story: CrawlStory) -> list[Markup]:
    statuses = [
        Bar(status, count, STATUS_CLASSES.get(status[:1], "series-6"))
        for status, count in _most(story.statuses)
    ]
    states = [Bar(state, count, STATE_CLASSES.get(state, "series-6")) for state, count in _most(story.states)]
    types = [Bar(name, count) for name, count in _most(story.media_types)]
    reasons = [Bar(name, count, "series-6") for name, count in _most(story.reasons)]
    depths = [Bar(depth, count, "series-4") for depth, count in _depths(story.depths)]
    charts = [
        ("Status codes", "How servers answered.", statuses),
        ("What became of each URL", "", states),
        ("Media types", "Of the answers that had a body.", types),
        ("Reasons", "Where the state alone does not say.", reasons),
        ("Depth", "Links from a seed.", depths),
    ]
    return [card(title, words, bars(title, rows, "URLs")) for title, words, rows in charts if rows]


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent values. All others are one row."""
    common = counts.most_common()
    if len(common) <= MAX_BARS:
        return common
    return [*common[: MAX_BARS - 1], ("all others", sum(count for _, count in common[MAX_BARS - 1 :]))]


def _depths(counts: Counter[int]) -> list[tuple[str, int]]:
    """The first depths one by one. Deeper ones are one row."""
    last = MAX_BARS - 1
    deeper = sum(count for depth, count in counts.items() if depth >= last)
    shown = [(str(depth), count) for depth, count in sorted(counts.items()) if depth < last]
    return [*shown, (f"{last} and more", deeper)] if deeper else shown


def _hosts(story: CrawlStory) -> list[Markup]:
    made = []
    slow = story.slowest_hosts(SHOWN_HOSTS)
    if slow:
        rows = [
            [host_link(name), exact(t.pages), _mean_fetch(t), _duration(t.last - t.first)] for name, t in slow
        ]
        words = (
            f"The longest mean time of a fetch, from the request to the last byte, of hosts with "
            f"{MIN_FETCHES_OF_SLOW_HOST} fetches or more. It does not include our own delays between fetches."
        )
        head = ["host", "URLs", "mean fetch", "first to last"]
        made.append(card("Slowest hosts", words, table(head, rows, numbers={1, 2, 3}, names={0})))
    large = story.largest_hosts(SHOWN_HOSTS)
    if large:
        rows = [[host_link(name), exact(t.pages), _size(t.bytes), _mean_fetch(t)] for name, t in large]
        head = ["host", "URLs", "size", "mean fetch"]
        made.append(
            card(
                "Largest hosts",
                "Hosts with the most URLs requested.",
                table(head, rows, numbers={1, 2, 3}, names={0}),
            )
        )
    return made


def _mean_fetch(tally: HostTally) -> str:
    mean = tally.mean_fetch_seconds
    return "–" if mean is None else f"{mean:,.2f} s"
