"""What does the broker of a fleet cost? CPU of a share and of a lease, in the member and in the server, and memory.

    python -m tests.benchmarks.broker [--members 16] [--addresses 50000]

A member asks for a share once a second, and for addresses in batches of up to 256. Judged is what sixteen members that
each renew two thousand addresses every 2.5 s would need of the server: at most half a core, and 64 MB.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.fleet.redis.servers import PROGRAM, Server
from webgraph_it.fleet.leases import MAX_BATCH
from webgraph_it.fleet.local_broker import LocalBroker
from webgraph_it.fleet.redis.broker import RedisBroker
from webgraph_it.fleet.transport import ALL_BANDWIDTH, NOTHING, Amounts, Broker, Report

CAPS = Amounts(ALL_BANDWIDTH, 5000)
SHARES = 1_000
RENEWALS_PER_SECOND = 2_000 / 2.5
MAX_CORES, MAX_BYTES = 0.5, 64 << 20


class Cost(NamedTuple):
    """Seconds of CPU."""

    member: float
    server: float


class Watch:
    """CPU of this process, and of the server if there is one, since it was made."""

    def __init__(self, server: psutil.Process | None) -> None:
        self._server = server
        self._began = self._now()

    def _now(self) -> Cost:
        times = self._server.cpu_times() if self._server is not None else None
        return Cost(time.process_time(), times.user + times.system if times else 0.0)

    def cost(self, count: int) -> Cost:
        return Cost(*((now - began) / count for now, began in zip(self._now(), self._began, strict=True)))


async def shares(brokers: Sequence[Broker], server: psutil.Process | None) -> Cost:
    watch = Watch(server)
    for question in range(1, SHARES // len(brokers) + 2):
        for member, broker in enumerate(brokers, 1):
            await broker.exchange(Report(member, 1, question, NOTHING, CAPS))
    return watch.cost(SHARES)


async def leases(
    brokers: Sequence[Broker], addresses: int, server: psutil.Process | None
) -> tuple[Cost, Cost]:
    """Of a new lease, and of its renewal."""
    names = [f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in range(addresses)]
    costs = []
    for _ in range(2):
        watch = Watch(server)
        for place, first in enumerate(range(0, addresses, MAX_BATCH)):
            member = place % len(brokers)
            await brokers[member].lease_addresses(member + 1, 1, names[first : first + MAX_BATCH], [])
        costs.append(watch.cost(addresses))
    return costs[0], costs[1]


async def measured(
    kind: str, brokers: Sequence[Broker], addresses: int, server: psutil.Process | None
) -> Cost:
    share = await shares(brokers, server)
    new, renewed = await leases(brokers, addresses, server)
    for what, cost in ("share", share), ("new lease", new), ("renewed lease", renewed):
        print(f"| {kind} | {what} | {1e6 * cost.member:.1f} | {1e6 * cost.server:.1f} |", flush=True)
    for broker in brokers:
        await broker.close()
    return Cost(0.0, len(brokers) * (share.server + RENEWALS_PER_SECOND * renewed.server))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--members", type=int, default=16)
    parser.add_argument("--addresses", type=int, default=50_000)
    options = parser.parse_args()
    print("| broker | what | µs in the member | µs in the server |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        local = [LocalBroker(Path(folder), CAPS, 0.5) for _ in range(options.members)]
        asyncio.run(measured("local", local, options.addresses, None))
    if PROGRAM is None:
        print("neither redis-server nor valkey-server is installed")
        return 0
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        server.age()
        remote = [RedisBroker(server.url, CAPS, 0.5) for _ in range(options.members)]
        process = psutil.Process(server.pid)
        cores = asyncio.run(measured("redis", remote, options.addresses, process)).server
        memory = int(server.client().info("memory")["used_memory_peak"])
    print(f"\nA server of {options.members} busy members: {cores:.2f} cores, {memory / 1e6:.0f} MB at most")
    return int(cores > MAX_CORES or memory > MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main())
