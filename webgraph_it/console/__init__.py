"""The console of a running crawl: one page, REST and metrics, served by the crawl's own process (docs/console.md).

    browser, curl, Prometheus ─► guard ─► server ─┬─► Operations.do   every verb, the same as `webgraph-it control`
                                                  └─► source          what the crawl knows already

address.py    where it listens, and by which names it may be called
tokens.py     who asks: nobody, a reader or an operator
guard.py      which requests are refused before anything is read; pure
door.py       the listening socket: how many connections, how long they may be silent
source.py     what the console asks of a crawl (engine/observed.py answers)
metrics.py    /metrics, a collector over counters that exist anyway
history.py    reports/progress.jsonl, thinned to as many points as a chart has
page_log.py   the last lines of the page log, filtered
hosts.py      the hosts with the longest queues, most failures …, of any number of hosts
reports.py    the reports and the audit log
members.py    other crawls of this machine beside the own one
api.py        REST: one small function a path
server.py     all of it as one aiohttp application
static/       the page: HTML, CSS and JavaScript without a framework
"""
