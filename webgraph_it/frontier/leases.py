"""The leases that are out, and whether any may still be given or taken back.

The scheduler hands leases out; whoever records a page ends its lease. Both change the frontier together with something
else that must agree with it. A change that was left half way can be neither finished nor undone in memory: `fail` says
so, once, and nothing more may change. The last commit is whole.
"""

from collections.abc import Callable

from webgraph_it.frontier.records import Lease


class Leases:
    """What is being fetched or read, by digest."""

    def __init__(self) -> None:
        self.out: dict[bytes, Lease] = {}
        self.ended = False
        """Nothing more is handed out or taken back: a change failed half way, or the last commit has begun."""
        self.on_failure: Callable[[BaseException], None] | None = None
        """Told once, when a change fails half way: it must see to it that nothing more is committed."""

    def __repr__(self) -> str:
        return f"<Leases {len(self.out)} out{', ended' if self.ended else ''}>"

    def fail(self, error: BaseException) -> None:
        """A change of the frontier, or of what must agree with it, was not finished."""
        if not self.ended:
            self.ended = True
            if self.on_failure is not None:
                self.on_failure(error)
