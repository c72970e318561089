"""Runs real crawls of a real small internet, as a user would, and compares what they left with the truth."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.crawl.shard_reader import read_crawl
from webgraph_it.simweb import SimWeb, compare

PROJECT = Path(__file__).parents[2]
LATER = Path(__file__).parent / "later"


def crawl_command(web: SimWeb, jobdir: Path, **settings: Any) -> list[str]:
    """`scrapy crawl italy` on `web`; keyword arguments override its settings."""
    merged: Mapping[str, Any] = {**web.settings, "JOBDIR": str(jobdir), **settings}
    arguments = [
        argument
        for name, value in merged.items()
        for argument in ("-s", f"{name}={value if isinstance(value, str) else json.dumps(value)}")
    ]
    return [sys.executable, "-m", "scrapy", "crawl", "italy", *arguments]


def start_crawl(
    web: SimWeb, jobdir: Path, *, kill_at: str = "", days_later: float = 0, **settings: Any
) -> subprocess.Popen[str]:
    """`days_later`: the crawl's clock is so many days ahead."""
    return subprocess.Popen(
        crawl_command(web, jobdir, **settings),
        cwd=PROJECT,
        env={**os.environ, "WEBGRAPH_IT_KILL_AT": kill_at, **later(days_later)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def later(days: float) -> dict[str, str]:
    """The environment of a process whose clock is so many days ahead."""
    path = os.pathsep.join(filter(None, [str(LATER), os.environ.get("PYTHONPATH", "")]))
    return {"PYTHONPATH": path, "DAYS_LATER": str(days)} if days else {}


def finish(crawl: subprocess.Popen[str], seconds: float = 120) -> str:
    """Its whole output, once it has ended; it is killed if it does not end in time."""
    try:
        output, _ = crawl.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        crawl.kill()
        output, _ = crawl.communicate()
        raise AssertionError(f"the crawl did not end within {seconds} s:\n{output[-4000:]}") from None
    return output


def run_crawl(web: SimWeb, jobdir: Path, *, seconds: float = 120, **settings: Any) -> str:
    """A crawl to its end; its output."""
    crawl = start_crawl(web, jobdir, **settings)
    output = finish(crawl, seconds)
    assert crawl.returncode == 0, output[-4000:]
    return output


def start_alone(jobdir: Path, **settings: Any) -> subprocess.Popen[str]:
    """`scrapy crawl italy -s JOBDIR=…`, as the crawl's last line says, and nothing else but these settings."""
    arguments = [argument for name, value in settings.items() for argument in ("-s", f"{name}={value}")]
    return subprocess.Popen(
        [sys.executable, "-m", "scrapy", "crawl", "italy", "-s", f"JOBDIR={jobdir}", *arguments],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def resume(jobdir: Path, *, code: int = 0, **settings: Any) -> str:
    """Resume it that way to its end; its output."""
    crawl = start_alone(jobdir, **settings)
    output = finish(crawl)
    assert crawl.returncode == code, output[-4000:]
    return output


def content(jobdir: Path) -> dict[str, bytes]:
    """Every file of a crawl directory but its lock and what its store logs."""
    return {
        str(path.relative_to(jobdir)): path.read_bytes()
        for path in sorted(jobdir.rglob("*"))
        if path.is_file() and path.name != "crawl.lock" and "frontier" not in path.parts
    }


def differences(web: SimWeb, jobdir: Path) -> list[str]:
    """Every way in which the crawl directory is not the truth; traps are compared with their bounds."""
    return compare.differences(web.truth, read_crawl(jobdir))
