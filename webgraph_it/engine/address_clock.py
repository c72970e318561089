"""The frontier's clock of addresses, as the fetcher asks for it: only it knows where a host really is."""

from webgraph_it.engine.scheduler import FrontierScheduler


class AddressClock:
    """The fetcher speaks of the machine's time and the frontier of the crawl's own: only waits are common to both."""

    def __init__(self, scheduler: FrontierScheduler) -> None:
        self._scheduler = scheduler

    def ready_at(self, address: str, now: float) -> float:
        crawl_now = self._scheduler.now()
        return now + (self._scheduler.frontier.address_ready(address, crawl_now) - crawl_now)

    def used(self, address: str, when: float) -> None:
        """`when` is always this moment."""
        self._scheduler.frontier.address_used(address, self._scheduler.now())
