"""Lets the fetcher, which alone knows the address it connects to, ask the frontier when that address is free."""

from webgraph_it.engine.scheduler import FrontierScheduler


class AddressClock:
    """Converts between the fetcher's clock (the machine's) and the frontier's (the crawl's own), through durations."""

    def __init__(self, scheduler: FrontierScheduler) -> None:
        self._scheduler = scheduler

    def ready_at(self, address: str, now: float) -> float:
        crawl_now = self._scheduler.now()
        return now + (self._scheduler.frontier.address_ready(address, crawl_now) - crawl_now)

    def used(self, address: str, when: float) -> None:
        """`when` is always now."""
        self._scheduler.frontier.address_used(address, self._scheduler.now())

    def is_ours(self, address: str) -> bool:
        return self._scheduler.frontier.address_is_ours(address, self._scheduler.now())
