"""Every habit of the web: its name, what its share is a share of, its default, and what it means.

A habit of links, pages or hosts changes that share of the ordinary ones, or adds something to them. A habit
of extra hosts adds hosts: its share of the number of ordinary ones. The truth accounts for each.
"""

from typing import NamedTuple

from webgraph_it.simweb.documents import KINDS

LINKS, PAGES, HOSTS, EXTRA_HOSTS = "links", "pages", "hosts", "extra hosts"


class Habit(NamedTuple):
    name: str
    of: str
    share: float
    meaning: str


_LINKS = [
    ("relative", 0.10, "path relative to the page, with ../ where needed"),
    ("dot-segments", 0.02, "needless ./ and ../ inside the path"),
    ("protocol-relative", 0.03, "`//host/path`"),
    ("upper-case-host", 0.02, "`HTTP://WWW.HOST.IT/path`"),
    ("default-port", 0.02, "`http://host:80/path`, `https://host:443/path`"),
    ("fragment", 0.05, "path#chapter"),
    ("duplicate", 0.05, "the same link twice"),
    ("session-path", 0.01, "`;jsessionid=…` or `/(S(…))/` in the path"),
    ("session-query", 0.01, "PHPSESSID and the like in the query"),
    ("nofollow-link", 0.03, "rel=nofollow on one link: still an arc"),
    ("area", 0.01, "`<area>` of an image map"),
    ("iframe", 0.01, "`<iframe>`"),
    ("link-element", 0.02, "`<link rel=next>` and other relations between pages"),
]
_PAGES = [
    ("redirect", 0.01, "301, 302, 303, 307 and 308 to a page of the host"),
    ("redirect-chain", 0.003, "three redirects in a row"),
    ("redirect-loop", 0.003, "three redirects in a circle: each is a node with one arc"),
    ("redirect-abroad", 0.005, "redirect to another host"),
    ("redirect-out", 0.003, "redirect out of scope: a page without links"),
    ("redirect-session", 0.003, "redirect to the same page with a session id: no arc"),
    ("redirect-self", 0.002, "redirect to itself under ever new session ids: an error"),
    ("meta-refresh", 0.005, "`<meta http-equiv=refresh>`, or a Refresh header"),
    ("base-href", 0.01, "`<base href>` of the same or of another host"),
    ("frames", 0.005, "`<frameset>` with `<frame>`"),
    ("link-header", 0.003, "Link: header with rel=next"),
    ("non-ascii", 0.01, "accents in the path, raw or escaped"),
    ("comments", 0.05, "links in comments, which do not count"),
    ("scripts", 0.05, "links in scripts, which do not count"),
    ("embeds", 0.05, "images, scripts, style sheets, forms, objects: no arcs"),
    ("out-of-scope", 0.10, "links out of scope, of other schemes, and to a port of mail"),
    ("media", 0.05, "links to files with an excluded extension"),
    ("meta-nofollow", 0.005, "`<meta name=robots content=nofollow>`, also for webgraph_it alone"),
    ("header-nofollow", 0.003, "X-Robots-Tag: nofollow"),
    ("error-404", 0.02, "broken link, its error page full of links"),
    ("error-410", 0.005, "page that is gone"),
    ("error-500", 0.005, "server error that never recovers"),
    ("retry-429", 0.001, "429 with Retry-After at the first visit, then the page"),
    ("retry-503", 0.001, "503 with Retry-After at the first visit, then the page"),
    ("reset", 0.001, "connection reset at the first visit, then the page"),
    ("iso-8859-1", 0.03, "encoding declared in the header or in a meta, with an accented link"),
    ("windows-1252", 0.02, "the same, not declared at all"),
    ("gzip", 0.30, "Content-Encoding: gzip, for those who accept it"),
    ("deflate", 0.02, "deflate, with and without zlib's wrapper"),
    ("br", 0.05, "Brotli"),
    ("chunked", 0.20, "Transfer-Encoding: chunked"),
    ("http10", 0.01, "HTTP/1.0 without length: the close ends the body"),
    ("no-keep-alive", 0.05, "Connection: close"),
    (
        "wrong-length",
        0.003,
        "a Content-Length larger or smaller than the body; all links come before the cut",
    ),
    ("odd-headers", 0.01, "no reason phrase, Latin-1, empty, repeated and very long headers"),
    ("slow-body", 0.005, "the body comes in eight pieces"),
]
_HOSTS = [
    ("idn", 0.03, "accents in the host's name, written raw or as xn--"),
    ("https", 0.30, "the host's own links say https"),
    ("https-twin", 0.10, "http and https by turns"),
    ("https-redirect", 0.20, "http redirects to https: no arc"),
    ("https-only", 0.02, "nothing listens for http, though some links say so"),
    ("http-only", 0.02, "nothing listens for https, though some links say so"),
    ("www-twin", 0.20, "with and without www by turns"),
    ("www-redirect", 0.10, "the bare name redirects to www, or the reverse: no arc"),
    ("www-lost", 0.02, "one of the two names is not in DNS, though some links say it"),
    ("robots-disallow", 0.10, "robots.txt forbids a folder"),
    ("robots-wildcard", 0.03, "forbids with `*` and `$`, and allows an exception"),
    ("robots-group", 0.03, "forbids all to all, and one folder to webgraph_it"),
    ("robots-crawl-delay", 0.02, "Crawl-delay: 0.2"),
    ("robots-absent", 0.30, "404 for robots.txt"),
    ("robots-401", 0.02, "401 for robots.txt: all is allowed"),
    ("robots-html", 0.04, "a web page instead of robots.txt: all is allowed"),
    ("robots-redirected", 0.03, "robots.txt after two redirects, the second to another host"),
    ("robots-huge", 0.01, "robots.txt of 700 KiB; what comes after 500 KiB does not count"),
    ("robots-sitemap", 0.0, "robots.txt names sitemaps; only they lead to some pages (needs SITEMAPS=True)"),
    ("latency", 0.20, "log-normal latency (see --latency)"),
    ("dns-slow", 0.01, "DNS answers after 0.3 s"),
    ("dns-lost", 0.01, "the first DNS query for each name is lost"),
]
_EXTRA_HOSTS = [
    ("dns-nxdomain", 0.02, "host that does not exist"),
    ("dns-servfail", 0.005, "host whose name server fails"),
    ("refused", 0.01, "host where nothing listens"),
    ("robots-500", 0.01, "500 for robots.txt: all is forbidden"),
    ("robots-429", 0.003, "429 for robots.txt: all is forbidden"),
    ("robots-unreachable", 0.005, "the connection is reset when robots.txt is asked for: all is forbidden"),
    ("directory", 0.01, "portal out of scope, among the seeds, that links into .it"),
    ("trap-calendar", 0.005, "endless calendar"),
    ("trap-path", 0.005, "ever-deeper path"),
    ("trap-session", 0.005, "session id of an unknown name that changes on every visit"),
    ("trap-soft-404", 0.005, "every path is a page that says 'not found' with status 200"),
]
_DOCUMENTS = [(kind, 0.003, f"document of kind {kind} with links") for kind in KINDS] + [
    ("sitemap-gz", 0.002, "sitemap.xml.gz")
]
_COOKIES = [
    ("cookie", 0.003, "redirect to itself that sets a cookie; with it, the page"),
    ("cookie-loop", 0.001, "the same, with or without the cookie: an error"),
]

HABITS = tuple(
    Habit(name, of, share, meaning)
    for of, rows in (
        (LINKS, _LINKS),
        (PAGES, _PAGES + _DOCUMENTS + _COOKIES),
        (HOSTS, _HOSTS),
        (EXTRA_HOSTS, _EXTRA_HOSTS),
    )
    for name, share, meaning in rows
)
