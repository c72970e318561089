"""Looking at one page by hand: `scrapy fetch`, `shell`, `parse` and `view`.

There is no frontier, no crawl directory and no graph. robots.txt is not checked, because a person looks at one page,
once. The download handler stays, and with it the address guard, the caps and our User-Agent.
"""

from argparse import Namespace

from scrapy import Request
from scrapy.exceptions import UsageError
from scrapy.http import Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings, default_settings

from webgraph_it.crawl.preflight import PROBLEMS
from webgraph_it.crawl.values import SettingsError, check, check_one
from webgraph_it.engine.refusing import Refusing
from webgraph_it.engine.required import check_fetching
from webgraph_it.engine.setting_names import check_names
from webgraph_it.fetch.identity import refusal_to_start
from webgraph_it.settings_table import CrawlSettings

BY_HAND = "LOOKING_BY_HAND"
"""A setting that tells the spider; it is set for this run only."""
SETTINGS = {
    BY_HAND: True,
    "SCHEDULER": default_settings.SCHEDULER,
    "DOWNLOADER": default_settings.DOWNLOADER,
    "JOBDIR": None,
    "SPIDER_MIDDLEWARES_BASE": {},
    "ITEM_PIPELINES_BASE": {},
    "EXTENSIONS_BASE": {},
    "DOWNLOADER_MIDDLEWARES_BASE": {
        "webgraph_it.engine.connection_middlewares.ConnectionCapMiddleware": 300,
        "webgraph_it.engine.bandwidth_middleware.BandwidthMiddleware": 400,
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": 600,
        "webgraph_it.engine.by_hand.TypedResponses": 700,
    },
    "REDIRECT_ENABLED": True,
}
"""These replace a crawl's. Components that users added stay."""


class TypedResponses:
    """Gives a page the class that Scrapy's users expect, with `css` and `xpath`. A crawl needs only bytes."""

    def process_response(self, request: Request, response: Response) -> Response:
        headers = response.headers.copy()
        headers.pop(b"Content-Encoding", None)  # the handler has decoded it
        kind = responsetypes.from_args(headers=headers, url=response.url, body=response.body)
        return response.replace(cls=kind, headers=headers)


class ByHand(Refusing):
    """Mixed into Scrapy's commands that fetch a page."""

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        try:
            prepare(self.settings, is_fetching=bool(args))
        except PROBLEMS as error:
            raise UsageError(str(error), print_help=False) from None


def prepare(settings: BaseSettings, *, is_fetching: bool) -> None:
    """Check the settings as a crawl does, then remove what only a crawl needs."""
    check_one(settings, CrawlSettings.KNOWN_SETTINGS)
    check_names(settings)
    values = check(settings)
    check_fetching(settings)
    refusal = refusal_to_start(values.CONTACT_URL, values.FROM_EMAIL, values.ALLOWED_PRIVATE_NETWORKS)
    if refusal and is_fetching:
        raise SettingsError(refusal)
    for name, value in SETTINGS.items():
        settings.set(name, value, priority=settings.maxpriority() + 1)
