"""What the crawl does by itself, again and again, and no such task dies unheard."""

import asyncio
from collections.abc import Awaitable, Callable

Action = Callable[[], Awaitable[None]]


class Timers:
    """Tasks of the running event loop, from `every` to `cancel`. `failed` is told of one that raised: it has ended."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()

    def every(self, seconds: float, action: Action, *, at_once: bool = False) -> asyncio.Task[None]:
        """The next time is so long after the action has ended."""

        async def repeat() -> None:
            if at_once:
                await action()
            while True:
                await asyncio.sleep(seconds)
                await action()

        return self.once(repeat)

    def once(self, action: Action) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._guarded(action))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def cancel(self, *, but: asyncio.Task[None]) -> None:
        """All of them except one."""
        for task in self._tasks - {but}:
            task.cancel()

    async def _guarded(self, action: Action) -> None:
        try:
            await action()
        except Exception as error:
            self._failed(error)
