"""Periodic tasks of a crawl. A task that fails is always reported."""

import asyncio
from collections.abc import Awaitable, Callable

Action = Callable[[], Awaitable[None]]


class Timers:
    """Tasks in the running event loop, from `every` to `cancel`. If a task raises, it ends and `failed` is called."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()

    def every(self, seconds: float, action: Action, *, at_once: bool = False) -> asyncio.Task[None]:
        """Run `action` again `seconds` after its last run has ended."""

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
        """Cancel all tasks except one."""
        for task in self._tasks - {but}:
            task.cancel()

    async def _guarded(self, action: Action) -> None:
        try:
            await action()
        except Exception as error:
            self._failed(error)
