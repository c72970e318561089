"""How fast the small internet serves: pages of 15 KB a second from one core, every page asked for once.

The witness is wrk, pinned to another core where there is one; without wrk, a bare asyncio client. Simweb must
not be the bottleneck of a crawl benchmark: 3,000 pages a second are asked for. On a machine that does other
things too, the second figure (pages for a second of the server's CPU time) is the one to look at.
"""

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.plain import path_of

HOSTS, PAGES = 20_000, 200_000
SECONDS = 10
CONNECTIONS = 32
WANTED = 3_000

_LUA = """
local requests, at = {}, 0
for line in io.lines("%s") do
    local host, path = line:match("(%%S+) (%%S+)")
    requests[#requests + 1] = wrk.format("GET", path, {["Host"] = host})
end
function request()
    at = at + 1
    return requests[(at - 1) %% #requests + 1]
end
"""


def main() -> None:
    """Print pages a second, by the clock and by the server's CPU time, and the witness."""
    cores = sorted(os.sched_getaffinity(0))
    with SimWeb(HOSTS, PAGES, only=["plain"], hits=False) as web, tempfile.TemporaryDirectory() as folder:
        os.sched_setaffinity(web.process_id, {cores[0]})
        pages = Path(folder, "pages.txt")
        pages.write_text("".join(f"{host} {path}\n" for host, path in _some_pages(web)), encoding="ascii")
        witness = _wrk if shutil.which("wrk") else _client
        before = _cpu_seconds(web.process_id)
        count, seconds, name = witness(pages, web.settings["PORT_MAP"]["80"], cores[-1])
        used = _cpu_seconds(web.process_id) - before
    print(f"simweb --only plain, {HOSTS:,} hosts, {PAGES:,} pages, {CONNECTIONS} connections, by {name}:")
    print(f"    {count / seconds:,.0f} pages/s from one core ({count / seconds / WANTED:.2f} x {WANTED:,})")
    print(f"    {count / used:,.0f} pages for a second of CPU ({used / count * 1e6:.0f} µs a page)")


def _cpu_seconds(process_id: int) -> float:
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _some_pages(web: SimWeb) -> list[tuple[str, str]]:
    """Different pages, in no order, more than can be served in the time."""
    pages = [(host.name, path_of(host, i)) for host in web.world.hosts for i in range(host.page_count)]
    Random("benchmark").shuffle(pages)
    return pages[: SECONDS * 10_000]


def _wrk(pages: Path, port: int, core: int) -> tuple[int, float, str]:
    script = pages.with_suffix(".lua")
    script.write_text(_LUA % pages)
    options = ["-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", str(script), f"http://127.1.0.1:{port}/"]
    done = subprocess.run(
        ["taskset", "-c", str(core), "wrk", *options], capture_output=True, text=True, check=True
    )
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise RuntimeError(done.stdout)
    count, seconds = re.search(r"(\d+) requests in ([\d.]+)s", done.stdout).groups()
    return int(count), float(seconds), "wrk"


def _client(pages: Path, port: int, core: int) -> tuple[int, float, str]:
    requests = [line.split() for line in pages.read_text().splitlines()]
    os.sched_setaffinity(0, {core})
    started = time.perf_counter()
    count = asyncio.run(_fetch_all(iter(requests), port, started + SECONDS))
    return count, time.perf_counter() - started, "an asyncio client"


async def _fetch_all(requests: Iterator[list[str]], port: int, until: float) -> int:
    count = 0

    async def connection() -> None:
        nonlocal count
        reader, writer = await asyncio.open_connection("127.1.0.1", port)
        for host, path in requests:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(re.search(rb"Content-Length: (\d+)", head)[1]))
            count += 1
            if time.perf_counter() > until:
                break
        writer.close()

    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    return count


if __name__ == "__main__":
    main()
