"""A member that is cut off from the broker stops fetching in time, and the crawl ends exact."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT
from tests.fleet.redis.servers import needs_server
from webgraph_it.fleet.transport import SHARE_SECONDS

needs_namespaces = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or not all(map(shutil.which, ("ip", "unshare", "nsenter"))),
    reason="makes network namespaces: needs root, iproute2 and util-linux",
)


@pytest.mark.slow
@needs_server
@needs_namespaces
def test_a_member_that_is_cut_off_for_a_minute_stops_fetching_in_time(tmp_path: Path) -> None:
    command = ["unshare", "-n", sys.executable, "-m", "tests.fleet.redis.cut_off", str(tmp_path)]
    ran = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr[-4000:]
    found = json.loads(ran.stdout)
    assert found["codes"] == [0, 0], found["outputs"]
    assert found["before"]
    assert max(found["during"]) <= SHARE_SECONDS, "it asked a server after its share had run out"
    assert found["after"], "it did not come back"
    assert max(found["other"]) > 50.0, "the other member did not go on"
    assert found["differences"] == []
