"""The report: one self-contained HTML page about the graph and, if its logs exist, the crawl.

Guarantees: no script, and no request to anywhere (enforced by a content security policy). Every name that came from
the web is escaped text. Sections without data are left out, and the last section says so.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from webgraph_it import __version__
from webgraph_it.analyse.analysis import PART_MEANINGS, Analysis, Finding, States
from webgraph_it.analyse.changes import Changes
from webgraph_it.analyse.crawl_story import CrawlStory
from webgraph_it.analyse.degrees import Histogram, PowerLaw
from webgraph_it.analyse.pictures import TITLES, bow_tie_picture, matrix
from webgraph_it.analyse.report_changes import changes_section
from webgraph_it.analyse.report_crawl import crawl_section, speed_words
from webgraph_it.analyse.results import Best
from webgraph_it.report.charts import Fit, log_dots
from webgraph_it.report.parts import card, host_link, page_link, section, table, tiles
from webgraph_it.report.style import document
from webgraph_it.report.svg import Markup, element, exact, percent, short

SHOWN = 20
FEWEST_DEGREES = 8
"""Minimum number of different degrees for a plot."""
MEASURES = {
    "pagerank": ("PageRank", "where a reader who follows links at random ends up"),
    "authority": ("Authority", "linked from good hubs (HITS)"),
    "hub": ("Hub", "links to good authorities (HITS)"),
    "in_degree": ("In-degree", "how many link here"),
    "harmonic": ("Harmonic", "few links away from many others (estimated)"),
}


def report(analysis: Analysis, story: CrawlStory | None, now: float, changes: Changes | None = None) -> str:
    """The whole page. `now` is the time of the report, in seconds since 1970 UTC."""
    pages = analysis.findings[0]
    sections = [
        ("Summary", _summary(analysis, story)),
        ("Degrees", _degrees(analysis.findings)),
        ("Bow-tie", _bow_tie(analysis.findings)),
        ("Who ranks first", _ranks(analysis.findings)),
        ("Domains", _matrix(analysis)),
        ("How the web changed", changes_section(changes) if changes else None),
        ("The crawl", crawl_section(story) if story else None),
        ("How it was computed", _method(analysis, story)),
    ]
    present = [(name, body) for name, body in sections if body]
    links = [element("a", name, href=f"#{_anchor(name)}") for name, _ in present]
    title = f"A web graph of {pages.summary.nodes:,} pages"
    lead = f"{pages.summary.arcs:,} links between {pages.summary.nodes:,} pages" + _hosts_words(analysis)
    return document(
        title,
        element("header", element("h1", title), element("p", lead, class_="lead")),
        element("nav", element("div", *links), aria_label="Sections"),
        element("main", *(section(_anchor(name), name, *body) for name, body in present)),
        element("footer", f"Made {_date(now)} by webgraph_it {__version__} from {analysis.graph}."),
    )


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def _date(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%d %B %Y, %H:%M UTC")


def _hosts_words(analysis: Analysis) -> str:
    known = {finding.level: finding.summary.nodes for finding in analysis.findings}
    words = [f"{known[level]:,} {level}" for level in ("hosts", "domains") if level in known]
    return f", on {' of '.join(words)}." if words else "."


# -- summary -------------------------------------------------------------------------------------------------


def _summary(analysis: Analysis, story: CrawlStory | None) -> list[Markup]:
    pages = analysis.findings[0].summary
    read = analysis.states.counts.get("fetched", 0) + analysis.states.counts.get("redirect", 0)
    figures = [
        (_count(pages.nodes), "pages known"),
        (_count(read), "of them read"),
        (_count(pages.arcs), "links"),
        *((_count(f.summary.nodes), f.level) for f in analysis.findings[1:]),
        (f"{pages.mean_degree:.1f}", "links per page"),
        (percent(pages.largest_strong, pages.nodes), "in the core"),
        (percent(pages.reciprocity, 1), "of links are mutual"),
        (percent(pages.dangling, pages.nodes), "of pages without links"),
    ]
    if story and story.tried_per_second is not None:
        figures.append((speed_words(story), "URLs tried per second"))
    return [tiles(figures)]


def _count(value: int) -> str:
    """In full if the tile has room for it."""
    return exact(value) if value < 10_000_000 else short(value)


# -- degrees -------------------------------------------------------------------------------------------------


def _degrees(findings: Sequence[Finding]) -> list[Markup] | None:
    words = (
        "The share of nodes that have at least this many links (the complementary cumulative distribution), on two "
        "logarithmic axes. A straight line is a power law. The dashed line is the best fit to the tail, with "
        "exponent α, from xmin. Nodes without links cannot be shown on such a plot. Their number is above it."
    )
    cards = []
    for finding in findings:
        summary = finding.summary
        for direction, class_, counted, law in (
            ("In-degree", "series-1", summary.in_histogram, summary.in_power_law),
            ("Out-degree", "series-3", summary.out_histogram, summary.out_power_law),
        ):
            if len(counted.degrees) >= FEWEST_DEGREES:
                cards.append(_degree_card(finding.level, direction, class_, counted, law))
    return [element("p", words), element("div", *cards, class_="cards")] if cards else None


def _degree_card(level: str, direction: str, class_: str, counted: Histogram, law: PowerLaw | None) -> Markup:
    zero = int(counted.counts[counted.degrees == 0].sum())
    words = f"Mean {counted.mean():.1f}, largest {exact(counted.degrees.max(initial=0))}; {exact(zero)} with none. "
    if law:
        words += (
            f"Exponent α = {law.exponent:.2f} ± {law.error:.2f} from xmin = {exact(law.start)} "
            f"({exact(law.tail)} {level}; Kolmogorov-Smirnov distance {law.distance:.3f})."
        )
    else:
        words += "Too few for a power-law fit."
    title = f"{direction} of {level}"
    fit = _fit(law, counted) if law else None
    y_label = f"share of {level} with at least this many"
    return card(title, words, log_dots(title, counted.ccdf(), fit, direction.lower(), y_label, class_))


def _fit(law: PowerLaw, counted: Histogram) -> Fit:
    """The share of nodes by the law, from the start of its tail to the largest degree."""
    tail = law.tail / int(counted.counts.sum())
    last = int(counted.degrees.max())
    steps = [law.start * (last / law.start) ** (step / 30) for step in range(31)]
    label = f"α = {law.exponent:.2f}, xmin = {exact(law.start)}"
    return Fit([(at, tail * law.at_least(at)) for at in steps], label)


# -- bow-tie -------------------------------------------------------------------------------------------------


def _bow_tie(findings: Sequence[Finding]) -> list[Markup]:
    words = (
        "The core is the largest set of pages that can all reach each other. Pages that were never fetched cannot "
        "be in it or lead into it, because their links are unknown. So a large part of Out may be the edge of the "
        "crawl."
    )
    cards = [_bow_tie_card(finding) for finding in findings[:2]]
    return [element("p", words), element("div", *cards, class_="cards")]


def _bow_tie_card(finding: Finding) -> Markup:
    summary = finding.summary
    words = (
        f"{exact(summary.strong_components)} strong components, the largest {exact(summary.largest_strong)}; "
        f"{exact(summary.weak_components)} weak, the largest {exact(summary.largest_weak)}."
    )
    counts = [(part.name.lower(), meaning) for part, meaning in PART_MEANINGS.items()]
    rows = [
        [_key(part), exact(summary.bow_tie[part]), percent(summary.bow_tie[part], summary.nodes), meaning]
        for part, meaning in counts
    ]
    head = ["part", finding.level, "share", "its pages"]
    if finding.level != "pages":
        head, rows = head[:3], [row[:3] for row in rows]
    parts = table(head, rows, numbers={1, 2}, hidden={3})
    return card(f"Bow-tie of {finding.level}", words, bow_tie_picture(summary.bow_tie), parts)


def _key(part: str) -> Markup:
    return element("span", element("i", "", class_=f"key {part}"), TITLES[part])


# -- the best ------------------------------------------------------------------------------------------------


def _ranks(findings: Sequence[Finding]) -> list[Markup]:
    words = (
        "The first by each measure. Choose one. The first 1,000, and the position of every node, are in the files "
        "beside this page."
    )
    cards = [_rank_card(finding) for finding in findings]
    return [element("p", words), element("div", *cards, class_="cards")]


def _rank_card(finding: Finding) -> Markup:
    controls: list[Markup] = []
    lists = []
    for index, measure in enumerate(finding.best):
        title, meaning = MEASURES[measure]
        identity = f"{finding.level}-{measure}"
        checked = "checked" if index == 0 else None
        controls.append(
            element("input", type="radio", name=f"{finding.level}-rank", id=identity, checked=checked)
        )
        controls.append(element("label", title, for_=identity))
        rows = [
            [position, _named(row, finding.level), _value(measure, row.value)]
            for position, row in enumerate(finding.best[measure][:SHOWN], 1)
        ]
        singular = finding.level.removesuffix("s")
        body = table(["", singular, title], rows, numbers={0, 2}, names={1})
        lists.append(element("div", element("p", f"{title}: {meaning}."), body))
    tabs = element("div", *controls, *lists, class_="tabs")
    return card(f"First {SHOWN} {finding.level}", "", tabs, wide=finding.level == "pages")


def _named(row: Best, level: str) -> Markup:
    unread = row.state not in ("", "fetched")
    name = page_link(row.name) if level == "pages" else host_link(row.name)
    return element("span", name, element("small", row.state) if unread else "")


def _value(measure: str, value: float) -> str:
    if measure == "in_degree":
        return exact(value)
    if measure == "harmonic":
        return f"{value:,.1f}"
    return f"{value:.6f}" if value >= 1e-6 else f"{value:.1e}"


def _matrix(analysis: Analysis) -> list[Markup] | None:
    if analysis.matrix is None or len(analysis.matrix.names) < 2:
        return None
    words = (
        "Who links to whom among the first domains by PageRank. Rows link to columns. Darker means more links "
        "(logarithmic). Grey: links inside a domain, which no ranking of domains counts."
    )
    chart = matrix("Links between the first domains", analysis.matrix.names, analysis.matrix.links)
    return [element("p", words), element("div", card("Link matrix", "", chart, wide=True), class_="cards")]


# -- method --------------------------------------------------------------------------------------------------


def _method(analysis: Analysis, story: CrawlStory | None) -> list[Markup]:
    pages = analysis.findings[0].summary
    words = (
        f"PageRank: damping {pages.damping}, uniform preference. Dangling nodes (pages without links, errors, "
        "and pages never fetched) give their rank to all nodes evenly, as in LAW's strongly preferential "
        f"PageRank. {pages.pagerank_iterations} iterations. Dangling nodes hold "
        f"{percent(pages.dangling_pagerank, 1)} of the rank. "
        f"HITS: {pages.hits_iterations} iterations, both vectors sum to 1. Links of a "
        "page to itself count on the page graph. Links inside a host or a domain do not count for its rank, "
        "and links between two hosts or domains count by their number. Harmonic centrality is estimated "
        "(HyperBall, error about 6 %). Power laws: discrete maximum "
        "likelihood. The tail starts at the smallest Kolmogorov-Smirnov distance."
    )
    states = analysis.states
    rows = [
        _state_row(state, count, pages.nodes, states)
        for state, count in sorted(states.counts.items(), key=lambda item: -item[1])
    ]
    head = ["state", "pages", "share", "without links", "PageRank held"]
    left_out = _left_out(analysis, story)
    body = card(
        "What became of the nodes", left_out, table(head, rows, numbers={1, 2, 3, 4}, names={0}), wide=True
    )
    return [element("p", words), element("div", body, class_="cards")]


def _state_row(state: str, count: int, nodes: int, states: States) -> list[str]:
    dangling, held = states.dangling[state], states.pagerank[state]
    return [state, exact(count), percent(count, nodes), exact(dangling), percent(held, 1)]


def _left_out(analysis: Analysis, story: CrawlStory | None) -> str:
    missing = []
    if story is None:
        missing.append(
            "No crawl directory was found, so the section about the crawl is left out. Give one with --crawl."
        )
    elif not story.progress:
        missing.append("The crawl has no reports/progress.jsonl, so its speed over time is left out.")
    if len(analysis.findings) < 3:
        missing.append("The graph directory has no host or domain graph, so these are left out.")
    return " ".join(missing)
