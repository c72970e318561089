"""Run in a network namespace of its own (see test_cut_off.py): the web, the broker, and member 2.

Member 1 has another namespace. Its only way out, also to 127.0.0.0/8, is a pair of virtual interfaces to this one. For
CUT_SECONDS a route makes the broker's address a black hole there; the web stays in reach.

    python -m tests.fleet.redis.cut_off FOLDER      prints a JSON object
"""

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.crawl.crawling import PROJECT, crawl_command, differences, finish
from tests.crawl.test_connection_cap import eager_seeds
from tests.fleet.redis.servers import Server
from webgraph_it.fleet.slices import balanced, slice_of_host
from webgraph_it.simweb import SimWeb
from webgraph_it.urls import Refusal, key

CUT_SECONDS = 60.0
BROKER = "127.9.9.9"


def run(*command: str) -> None:
    subprocess.run(command, check=True)


class Namespace:
    """A network whose only neighbour is this one."""

    def __init__(self) -> None:
        self._keeper = subprocess.Popen(["unshare", "-n", "sleep", "3600"])
        self.enter = ["nsenter", "-t", str(self._keeper.pid), "-n"]
        while Path(f"/proc/{self._keeper.pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
            time.sleep(0.01)
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "here", "type", "veth", "peer", "name", "there")
        run("ip", "link", "set", "there", "netns", str(self._keeper.pid))
        run("ip", "addr", "add", "10.99.0.1/24", "dev", "here")
        run("ip", "link", "set", "here", "up")
        Path("/proc/sys/net/ipv4/conf/here/route_localnet").write_text("1")
        self("ip", "addr", "add", "10.99.0.2/24", "dev", "there")
        self("ip", "link", "set", "there", "up")
        self("sh", "-c", "echo 1 > /proc/sys/net/ipv4/conf/there/route_localnet")
        self("ip", "route", "add", "127.0.0.0/8", "via", "10.99.0.1", "dev", "there")

    def __call__(self, *command: str) -> None:
        run(*self.enter, *command)

    def close(self) -> None:
        self._keeper.kill()
        self._keeper.wait()


def member_of(hit: dict[str, str]) -> int:
    surt = key(f"http://{hit['host']}/")
    assert not isinstance(surt, Refusal)
    return balanced(2)[slice_of_host(surt.partition(")")[0])]


def main(folder: Path) -> dict[str, object]:
    namespace = Namespace()
    (folder / "server").mkdir()
    with (
        SimWeb(hosts=30, pages=700, seed=4, only=["plain"]) as web,
        Server(folder / "server", host=BROKER, password="not-from-loopback") as server,
    ):
        server.age()
        settings = {
            "COMMIT_INTERVAL": 0.5,
            "EXTRACT_WORKERS": 0,
            "FLEET": server.url,
            "FLEET_SIZE": 2,
            "HOST_DELAY": 1.0,
            "SEEDS": str(eager_seeds(web, folder)),
        }
        members = [
            subprocess.Popen(
                [*enter, *crawl_command(web, folder / "fleet", FLEET_MEMBER=number, **settings)],
                cwd=PROJECT,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for number, enter in ((1, namespace.enter), (2, []))
        ]
        try:
            while len({member_of(hit) for hit in web.hits() if hit["event"] == "request"}) < 2:
                time.sleep(0.1)
                assert all(member.poll() is None for member in members)
            time.sleep(5.0)
            cut_at = time.time()
            namespace("ip", "route", "add", "blackhole", f"{BROKER}/32")
            time.sleep(CUT_SECONDS)
            namespace("ip", "route", "del", "blackhole", f"{BROKER}/32")
            joined_at = time.time()
            outputs = [finish(member, 300) for member in members]
        finally:
            for member in members:
                member.kill()
            namespace.close()
        requests = [(hit["time"] - cut_at, member_of(hit)) for hit in web.hits() if hit["event"] == "request"]
        return {
            "codes": [member.returncode for member in members],
            "before": [when for when, member in requests if member == 1 and when <= 0],
            "during": [when for when, member in requests if member == 1 and 0 < when < joined_at - cut_at],
            "after": [when for when, member in requests if member == 1 and when > joined_at - cut_at],
            "other": [when for when, member in requests if member == 2 and 0 < when < joined_at - cut_at],
            "differences": differences(web, folder / "fleet"),
            "outputs": [output[-2000:] for output in outputs],
        }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
