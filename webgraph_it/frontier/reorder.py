"""Gives URLs that were never tried new places in their hosts' queues, a slice of the store at a time.

Guarantees: no URL is lost or queued twice, and none that is being fetched or read is moved. A URL keeps its place among
those with the same priority. A slice that is repeated changes nothing.
"""

from collections.abc import Callable

from .intake import Intake
from .layers import Layers
from .layout import ENTRY_HEAD, PLACE, QUEUE
from .store import Store, after


def move_untried(
    layers: Layers,
    store: Store,
    intake: Intake,
    is_out: Callable[[str, bytes], bool],
    after_key: bytes,
    most: int,
    priority: Callable[[bytes], int | None],
) -> bytes:
    """Frontier.move_untried."""
    rows = store.scan(max(after_key, QUEUE), after(QUEUE), most)
    for entry, packed in rows:
        wanted = priority(packed[:16])
        if wanted is None or wanted == PLACE.unpack(entry[-PLACE.size :])[0]:
            continue
        key = packed[ENTRY_HEAD.size :].split(b"\n", 2)[1]
        host = key[: key.index(b")")].decode()
        if layers.get(entry) is not None and not is_out(host, entry):
            intake.move(host, entry, packed, wanted)
    return rows[-1][0] + b"\0" if len(rows) == most else b""
