"""Named points at which a test may kill the process, as in RocksDB's crash test.

WEBGRAPH_IT_KILL_AT="after-sync:3" sends SIGKILL to the process itself the third time it passes `after-sync`.
If it is unset, as always outside tests, `reached` does nothing.
"""

import os
import signal

POINTS = (
    "after-swap",
    "after-shard-write",
    "after-sync",
    "before-store-commit",
    "after-store-commit",
    "after-committed-file",
    "during-checkpoint",
    "during-recovery",
)
FLEET_POINTS = ("applied", "published", "shipped")
"""Reached only by a member of a fleet: a batch is applied, a status or a batch is handed to the transport, and link
files that all others have are about to be deleted."""
RESIZE_POINTS = ("resize-staged", "resize-moved", "resize-replaced", "resize-finished")
"""Reached only by `webgraph-it fleet resize` and `give-up`."""
REFUSED_POINT = "refused-renamed"
"""Reached only by a first start that is refused, before its directory is deleted."""
SEED_POINTS = ("between-seeds",)
"""Reached only while the seeds are being loaded."""
INGEST_POINTS = ("between-captures", "between-hand-overs")
"""Reached only by webgraph-it ingest; the second with --continue."""
REVISIT_POINTS = ("plan-import", "revisit-unchanged", "revisit-changed", "revisit-gone", "revisit-failed")
"""Reached only by a re-crawl."""

_point, _, _count = os.environ.get("WEBGRAPH_IT_KILL_AT", "").partition(":")
_passes_left = int(_count or 1)


def reached(point: str) -> None:
    global _passes_left
    if point != _point:
        return
    _passes_left -= 1
    if _passes_left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
