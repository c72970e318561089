"""No log line per page: at a thousand pages a second the log would be most of what the disk writes."""

from typing import Any

from scrapy.logformatter import LogFormatter


class QuietFormatter(LogFormatter):
    """Scrapy's log lines for rare events, but none per page: the page log has every page."""

    def crawled(self, *args: Any) -> None:  # type: ignore[override]
        return None

    def scraped(self, *args: Any) -> None:  # type: ignore[override]
        return None
