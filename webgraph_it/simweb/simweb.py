"""SimWeb: a simulated web in a separate process, as a context manager.

    with SimWeb(hosts=20, pages=200, seed=7, only=["plain"]) as web:
        crawl(web.settings)
        assert found == web.truth.arcs

The truth is computed here, in the caller's process, from the same plan. When the caller's process ends,
for whatever reason, the servers stop, too.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from webgraph_it.simweb import crawl_settings
from webgraph_it.simweb.habits import chosen_shares
from webgraph_it.simweb.hits import FLUSH_SECONDS, read
from webgraph_it.simweb.hosts import HEALTHY
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.truth import Truth, walk
from webgraph_it.simweb.world import World

READY = "simweb is ready"
TODAY = "today is day"
_STOP_SECONDS = 10


class SimWeb:
    """A web that is served inside the `with` block. Ports are free ones unless given."""

    def __init__(
        self,
        hosts: int = 20,
        pages: int = 200,
        seed: int = 7,
        *,
        only: Iterable[str] | None = None,
        shares: Mapping[str, float] | None = None,
        hits: bool = True,
        hits_path: Path | None = None,
        wire: bool = False,
        keep: bool = False,
        http_port: int = 0,
        https_port: int = 0,
        dns_port: int = 0,
        day_seconds: float = 0.0,
        **plan: Any,
    ) -> None:
        """`only` and `shares`: as --only and --habit. `plan`: other fields of Plan. `hits`: keep a log. `wire`,
        `keep` and `day_seconds`: as --wire, --keep and --day-seconds."""
        self.plan = Plan(hosts, pages, seed, shares=chosen_shares(only, shares or {}), **plan)
        self._ports = {"http": http_port, "https": https_port, "dns": dns_port}
        self._day_seconds = day_seconds
        self._keeps_hits = hits or hits_path is not None
        self._hits_path = hits_path
        self._watches_wire = wire
        self._keeps_pages = keep

    @cached_property
    def world(self) -> World:
        return World(self.plan)

    @cached_property
    def truth(self) -> Truth:
        """What a correct crawl finds."""
        return walk(self.world)

    def truth_on(self, day: int) -> Truth:
        """What a correct crawl finds on that day of a changing web."""
        return walk(self.world.on(day))

    def turn_to(self, day: int) -> None:
        """Serve that day of a changing web from now on. `truth` stays that of the first day."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{day}\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        assert said == f"{TODAY} {day}\n", said

    @property
    def seeds(self) -> list[str]:
        return self.world.seeds

    @property
    def arguments(self) -> list[str]:
        """The settings as arguments of `scrapy crawl`."""
        return [
            part
            for name, value in self.settings.items()
            for part in ("-s", f"{name}={value if isinstance(value, str) else json.dumps(value)}")
        ]

    def hits(self) -> list[dict[str, Any]]:
        """Every event of the hit log until now. Call it before the `with` block ends, or give `hits_path`."""
        if self._process.poll() is None:
            time.sleep(2 * FLUSH_SECONDS)
        return read(self.hits_path)

    def decoy_hits(self) -> list[dict[str, Any]]:
        """The events at addresses that a correct crawler never contacts (see --hostile)."""
        healthy = HEALTHY.removesuffix("0.0/16")
        return [event for event in self.hits() if not event.get("address", healthy).startswith(healthy)]

    @property
    def process_id(self) -> int:
        """Process id of the servers."""
        return self._process.pid

    def __enter__(self) -> "SimWeb":
        self._folder = tempfile.TemporaryDirectory(prefix="simweb-")
        folder = Path(self._folder.name)
        self.hits_path = self._hits_path or folder / "hits.jsonl"
        try:
            self._start(folder)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        self._folder.cleanup()

    def stop(self) -> None:
        """Stop the servers. The hit log can still be read until the `with` block ends."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _start(self, folder: Path) -> None:
        command = [sys.executable, "-m", "webgraph_it.simweb", *self._command_line(folder)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert self._process.stdout
        said = ""
        while not said.startswith(READY):
            said = self._process.stdout.readline()
            if not said:
                raise RuntimeError(f"simweb ended with code {self._process.wait()} before it was ready")
        self.settings = crawl_settings.parse((folder / "settings").read_text(encoding="utf-8"))

    def _command_line(self, folder: Path) -> list[str]:
        plan = self.plan
        options: dict[str, object] = {
            "hosts": plan.hosts,
            "pages": plan.pages,
            "seed": plan.seed,
            "tld": plan.tld,
            "degree": plan.degree,
            "page-bytes": plan.page_bytes,
            "addresses": plan.addresses,
            "size-exponent": plan.size_exponent,
            "latency": plan.latency_seconds,
            "latency-spread": plan.latency_spread,
            "http-port": self._ports["http"],
            "https-port": self._ports["https"],
            "dns-port": self._ports["dns"],
            "day": plan.day,
            "day-seconds": self._day_seconds,
            "births": plan.births,
            "deaths": plan.deaths,
            "changes": plan.changes,
            "validators": ",".join(plan.validators),
            "only": "plain",
            "settings": folder / "settings",
            "seeds": folder / "seeds.txt",
        }
        line = [f"--{name}={value}" for name, value in options.items()]
        line += [f"--hits={self.hits_path.absolute()}"] if self._keeps_hits else []
        line += [f"--habit={name}={share}" for name, share in plan.shares.items()]
        line += [f"--topology={plan.topology.absolute()}"] if plan.topology else []
        line += ["--wire"] if self._watches_wire else []
        line += ["--keep"] if self._keeps_pages else []
        line += ["--hostile"] if plan.hostile else []
        return [*line, "--while-stdin-open"]
