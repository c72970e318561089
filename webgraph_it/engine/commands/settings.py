"""`scrapy settings --getint NAME`: values as the crawl reads them, "4 MB" as 4000000; `--get` shows them as typed."""

from argparse import Namespace

from scrapy.commands import settings
from scrapy.exceptions import UsageError

from webgraph_it.crawl.values import SettingsError, check
from webgraph_it.engine.refusing import Refusing


class Command(Refusing, settings.Command):
    """Scrapy's command, with our settings parsed."""

    def run(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None
        if not opts.get:
            try:
                check(self.settings)
            except SettingsError as error:
                raise UsageError(str(error), print_help=False) from None
        super().run(args, opts)
