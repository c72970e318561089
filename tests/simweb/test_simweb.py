"""SimWeb serves while its block lasts, from 127.0.0.0/8 only, and never longer than its owner lives."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from webgraph_it.cli.shell.verbs import parser_of
from webgraph_it.cli.simweb import VERB, plan_of
from webgraph_it.simweb import PlanError, SimWeb


def test_it_serves_while_the_block_lasts() -> None:
    with SimWeb(hosts=2, pages=4, only=["plain"]) as web:
        process = psutil.Process(web.process_id)
        assert process.is_running()
        assert web.arguments[:2] == ["-s", f"SEEDS={web.settings['SEEDS']}"]
        assert Path(web.settings["SEEDS"]).read_text().split() == web.seeds
    assert not process.is_running()


@pytest.mark.parametrize("hostile", [False, True])
def test_nothing_listens_outside_loopback(hostile: bool) -> None:
    with SimWeb(hosts=30, pages=60, hostile=hostile) as web:
        sockets = psutil.Process(web.process_id).net_connections("inet")
        addresses = {socket.laddr.ip for socket in sockets}
    assert len(addresses) > 5
    assert all(address.startswith("127.") for address in addresses)
    outside = {address for address in addresses if not address.startswith("127.1.")}
    assert outside == ({"127.0.0.1", "127.2.0.1"} if hostile else {"127.0.0.1"})


def test_it_ends_with_its_owner() -> None:
    owner = (
        "import os; from webgraph_it.simweb import SimWeb; "
        "web = SimWeb(hosts=1, pages=1).__enter__(); print(web.process_id, flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", owner], capture_output=True, text=True, check=False)
    process_id, deadline = int(done.stdout), time.monotonic() + 10
    while psutil.pid_exists(process_id) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(process_id)


def test_a_plan_that_cannot_be_built_is_refused_at_once() -> None:
    with pytest.raises(PlanError, match="unknown habit"):
        SimWeb(only=["pippo"])
    with pytest.raises(PlanError, match="share"):
        SimWeb(shares={"gzip": -1})


def test_a_web_that_cannot_start_says_so() -> None:
    with (
        SimWeb(hosts=1, pages=1) as web,
        pytest.raises(RuntimeError, match="code 2"),
        SimWeb(hosts=1, pages=1, http_port=web.settings["PORT_MAP"]["80"]),
    ):
        pass


def test_the_servers_are_given_the_whole_plan() -> None:
    numbers = {"degree": 9.0, "page_bytes": 900, "addresses": 5, "latency_seconds": 0.3}
    web = SimWeb(4, 44, 5, only=["gzip"], hits=False, size_exponent=0.3, latency_spread=0.4, **numbers)
    assert plan_of(parser_of(VERB).parse_args(web._command_line(Path("/tmp")))) == web.plan
