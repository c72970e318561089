"""The settings with which `scrapy crawl` crawls a simulated web, as `-s` arguments."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webgraph_it.simweb.habits import sitemaps
from webgraph_it.simweb.hostile import WILDCARD_BOUND
from webgraph_it.simweb.hosts import HEALTHY
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.server import NAME_SERVER_ADDRESS, Ports


def settings(seeds: Path, ports: Ports, plan: Plan) -> dict[str, Any]:
    """Name and value of each setting. Politeness is off, because the servers are ours."""
    return {
        "SEEDS": str(seeds),
        "SCOPE_SURTS": [plan.scope],
        "DNS_SERVERS": [f"{NAME_SERVER_ADDRESS}:{ports.dns}"],
        "PORT_MAP": {"80": ports.http, "443": ports.https},
        "ALLOWED_PRIVATE_NETWORKS": [HEALTHY],
        "HOST_DELAY": 0,
        "DELAY_FACTOR": 0,
        "ADDRESS_DELAY": 0,
        "BACK_OFF": 0.1,
        "PARK_SECONDS": 1,
        "ROBOTS_RETRY_DELAY": 0.2,
        "DNS_NEGATIVE_TTL": 0.1,
        "MAX_QUERIES_PER_PATH": 20,
        "MAX_HOSTS_PER_DOMAIN": WILDCARD_BOUND,
        **({"SITEMAPS": True} if sitemaps.HABIT in plan.shares else {}),
    }


def lines(values: Mapping[str, Any]) -> list[str]:
    """One `-s 'NAME=value'` per line. `xargs -a FILE scrapy crawl SPIDER` reads them."""
    return [f"-s '{name}={_text(value)}'" for name, value in values.items()]


def parse(text: str) -> dict[str, Any]:
    """The inverse of `lines`."""
    pairs = (line.removeprefix("-s '").removesuffix("'").partition("=") for line in text.splitlines())
    return {name: _value(name, value) for name, _, value in pairs}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _value(name: str, text: str) -> Any:
    return text if name == "SEEDS" else json.loads(text)
