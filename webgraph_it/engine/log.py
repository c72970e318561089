"""No log line per page: at a thousand pages a second they would be most of the disk's work."""

from typing import Any

from scrapy.logformatter import LogFormatter


class QuietFormatter(LogFormatter):
    """Scrapy's words for what is rare, none for what is not: the page log has every page."""

    def crawled(self, *args: Any) -> None:  # type: ignore[override]
        return None

    def scraped(self, *args: Any) -> None:  # type: ignore[override]
        return None
