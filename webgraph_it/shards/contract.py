"""What a writer of one stream must be able to do."""

from typing import Protocol, runtime_checkable


class Writer(Protocol):
    """One stream of records. After `swap`, all records so far are in the file or queued for it."""

    def write(self, record: bytes) -> None: ...
    def swap(self) -> None: ...
    @property
    def full(self) -> bool: ...
    async def room(self) -> None: ...


@runtime_checkable
class BackgroundWriter(Writer, Protocol):
    """A writer that encodes in a thread of its own, and therefore must be told where a file begins."""

    failure: Exception | None
    """Why records are missing. Then nothing is synced any more."""

    def begin_file(self, number: int) -> None: ...
    def close(self) -> None: ...
