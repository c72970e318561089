"""What limits a crawl, from its figures alone."""

from typing import Any

import pytest

from webgraph_it.crawl.progress import Snapshot
from webgraph_it.crawl.standstill import Facts
from webgraph_it.crawl.status import limit_of, status_of
from webgraph_it.crawl.steering import Steering
from webgraph_it.urls.rules import Rule


def snapshot(**changes: Any) -> Snapshot:
    figures: dict[str, Any] = dict.fromkeys(Snapshot.__dataclass_fields__, 0)
    return Snapshot(**{**figures, "bandwidth_cap": None, **changes})


@pytest.mark.parametrize(
    ("figures", "facts", "limit"),
    [
        ({}, {}, "politeness"),
        ({"hosts_ready": 3}, {}, "cpu"),
        ({"hosts_ready": 3}, {"waiting_for_connection": 1}, "connections"),
        (
            {"bandwidth_cap": 1000.0, "wire_bytes_per_second": 950.0},
            {"waiting_for_connection": 1},
            "bandwidth",
        ),
        ({"bandwidth_cap": 1000.0, "wire_bytes_per_second": 100.0}, {}, "politeness"),
        ({"bandwidth_cap": 1000.0}, {"waiting_for_bandwidth": 2}, "bandwidth"),
        ({}, {"awaits_plan": True}, "plan"),
        ({}, {"awaits_plan": True, "pauses": ("backup",)}, "pause"),
        ({}, {"disk_is_full": True, "waiting_for_connection": 1}, "disk"),
        ({}, {"disk_is_full": True, "pauses": ("disk",)}, "pause"),
    ],
)
def test_the_limit_that_binds_is_named(figures: dict[str, Any], facts: dict[str, Any], limit: str) -> None:
    assert limit_of(snapshot(**figures), Facts(0.0, 0.0, 0, **facts)) == limit


def test_the_status_says_what_operators_have_set() -> None:
    steering = Steering(rules=(Rule(surt="it,x,", block=True),), parked=(("it,y", 5.0),))
    status = status_of(snapshot(pages=7), Facts(0.0, 0.0, 0, pauses=("backup",)), steering)
    assert (status["state"], status["pauses"], status["pages"]) == ("paused", ["backup"], 7)
    assert status["rules"] == [{"surt": "it,x,", "block": True}]
    assert status["parked"] == {"it,y": 5.0}
