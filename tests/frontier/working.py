"""A process that works on a frontier until it is killed: python -m tests.frontier.working DIRECTORY SEED

It keeps a diary of what it added and finished, as the crawl keeps its shards: each commit holds the diary's length.
So whoever reopens the directory can tell what the committed frontier must know.
"""

import random
import sys
import threading
from pathlib import Path

from tests.defaults import frontier_limits
from webgraph_it.frontier import Frontier, Frozen, Kind, Order, Outcome, RocksStore

from .making import EAGER, link

HOSTS = 40
LEASES_OUT = 5
"""Some of them answered and not done."""


def diary_of(directory: Path) -> Path:
    return directory / "diary"


def work(directory: Path, seed: int) -> None:
    chance = random.Random(seed)
    frontier = Frontier.open(RocksStore(directory / "frontier"), EAGER, Order.BREADTH, frontier_limits(), 0.0)
    length = int(frontier.get_meta("diary") or 0)
    diary = diary_of(directory).open("ab")
    diary.truncate(length)
    print("open", flush=True)
    leases = []
    while True:
        for _ in range(chance.randrange(200)):
            batch = [
                link(f"h{chance.randrange(HOSTS)}", f"/{chance.getrandbits(30)}")
                for _ in range(chance.randrange(4))
            ]
            for new in frontier.add(batch, chance.randrange(5), "", 0.0).new:
                diary.write(f"+{new.key}\n".encode())
            while len(leases) < LEASES_OUT and (lease := frontier.next(0.0)) is not None:
                leases.append(lease)
                if chance.random() < 0.5:
                    frontier.answered(lease, Outcome(), 0.0)
            if leases:
                lease = leases.pop(chance.randrange(len(leases)))
                retry = chance.random() < 0.1 and frontier.may_retry(lease)
                frontier.done(lease, Outcome(Kind.RETRY if retry else Kind.FINISHED), 0.0)
                if not retry:
                    diary.write(f"-{lease.key}\n".encode())
        diary.flush()
        frozen = frontier.freeze()
        writer = threading.Thread(target=Frozen.write, args=(frozen, {"diary": str(diary.tell()).encode()}))
        writer.start()
        for _ in range(20):  # the work goes on meanwhile
            for new in frontier.add([link("busy", f"/{chance.getrandbits(30)}")], 0, "", 0.0).new:
                diary.write(f"+{new.key}\n".encode())
        writer.join()
        frontier.forget(frozen)
        print("committed", flush=True)


if __name__ == "__main__":
    work(Path(sys.argv[1]), int(sys.argv[2]))
