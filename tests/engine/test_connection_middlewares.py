"""Requests wait outside while as many wait for a place as there are places."""

import asyncio
from typing import Any

from scrapy import Request

from webgraph_it.engine.connection_middlewares import ConnectionCapMiddleware


class Fetcher:
    def __init__(self, crowded: bool) -> None:
        self.crowded = crowded
        self.waited = 0

    async def room(self) -> None:
        self.waited += 1


def test_a_request_waits_for_room_only_while_the_fetcher_is_crowded() -> None:
    for crowded in (False, True):
        fetcher: Any = Fetcher(crowded)
        waiting = ConnectionCapMiddleware(fetcher).process_request(Request("http://sito.it/"))
        assert (waiting is not None) is crowded
        if waiting is not None:
            asyncio.run(waiting)
        assert fetcher.waited == crowded
