"""webgraph_it obtains the link graph of a national web: of the Italian one, or of any other.

    seeds ─► frontier ─► fetch ─► extract ─► graph shards ─► convert ─► compact graph ─► analyse
               ▲                     │
               └──── new URLs ───────┘

settings.py   what Scrapy loads by name: our settings, and how Scrapy is put together
settings_table.py    the only table of settings: default, unit, reader, meaning, what a resume may change
settings_readers.py  from what people type to a value; settings_page.py makes docs/settings.md of the table
units.py      sizes and rates: 4 MB, 1500 KB/s
items.py      Page, Link, Exchange: the records that flow between rooms
urls/         what a page is called: normal form, SURT key, node digest, scope, seeds
robots/       robots.txt: its record, how long it is valid, errands to fetch it, which rule decides about a path
frontier/     which URL is next, and when: host queues, seen set, politeness, commit
fetch/        from a request to a reply: client, DNS, TLS, connection cap, bandwidth
extract/      bytes → links: one table, one small module per document type
graph/        links at rest: shards, writer; compact graph, URL map, BV codec
warc/         archives: what was sent and received, as WARC files beside the graph
crawl/        one crawl as a whole: its directory, what a reply means, the step of a page, commits, progress and reports
console/      a page, REST and metrics of a running crawl (CONSOLE=127.0.0.1:6060)
engine/       every part that Scrapy calls: scheduler, downloader, middlewares, pipeline, extension, commands
spiders/      national.py: what a spider does; italy.py, brazil.py, web.py: the facts of one web
ingest/       archives (WARC, ARC, WAT) → shards     (webgraph-it ingest)
recrawl/      when to visit pages again: plans
convert/      shards → compact graph                  (webgraph-it convert)
analyse/      compact graph → numbers and pictures    (webgraph-it analyse)
fleet/        several crawls as one: who owns a site, how links reach their owner, shares, leases   (webgraph-it fleet)
cluster/      the same on Apache Spark                (webgraph-it cluster)
simweb/       a small national web on loopback        (webgraph-it simweb)
plan/         how long a crawl takes, what it fills   (webgraph-it plan)
demo.py       all of it in a minute                   (webgraph-it demo, make demo)
cli/          the command webgraph-it: one module per verb, one shell for all
progress.py   a live line on a terminal, a line in a log elsewhere
killpoint.py  where tests may kill the crawl
steady.py     a clock that never jumps
"""

__version__ = "0.1.0"
