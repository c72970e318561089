"""The leases that are out, and whether leases may still be handed out or taken back.

The scheduler hands leases out; recording a page ends its lease. Both change the frontier together with something else
that must agree with it. A change that stopped halfway can be neither finished nor undone in memory: `fail` reports it
once, and nothing more may change. The last commit is whole.
"""

from collections.abc import Callable

from webgraph_it.frontier.records import Lease


class Leases:
    """What is being fetched or read, by digest."""

    def __init__(self) -> None:
        self.out: dict[bytes, Lease] = {}
        self.ended = False
        """Nothing more is handed out or taken back: a change failed halfway, or the last commit has begun."""
        self.on_failure: Callable[[BaseException], None] | None = None
        """Called once, when a change fails halfway. It must ensure that nothing more is committed."""

    def __repr__(self) -> str:
        return f"<Leases {len(self.out)} out{', ended' if self.ended else ''}>"

    def fail(self, error: BaseException) -> None:
        """A change to the frontier, or to what must agree with it, was not finished."""
        if not self.ended:
            self.ended = True
            if self.on_failure is not None:
                self.on_failure(error)
