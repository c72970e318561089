"""Each setting of the frontier reaches its own field, and no other."""

import pytest

from tests.defaults import frontier_limits, politeness, project_settings
from webgraph_it.crawl.values import check
from webgraph_it.engine.frontier_settings import limits_of, politeness_of
from webgraph_it.frontier.politeness import Politeness
from webgraph_it.frontier.records import Limits

POLITENESS = {
    "HOST_DELAY": "host_delay_seconds",
    "DELAY_FACTOR": "delay_factor",
    "ADDRESS_DELAY": "address_delay_seconds",
    "CRAWL_DELAY_MAX": "crawl_delay_max_seconds",
    "RETRY_TIMES": "retry_times",
    "BACK_OFF": "back_off_seconds",
    "PARK_SECONDS": "park_seconds",
}
LIMITS = {field.upper(): field for field in Limits._fields}


@pytest.mark.parametrize("name", [*POLITENESS, *LIMITS])
def test_a_setting_changes_its_own_field_alone(name: str) -> None:
    settings = project_settings(**{name: "77"})
    check(settings)
    changed = ({POLITENESS[name]: 77}, {}) if name in POLITENESS else ({}, {LIMITS[name]: 77})
    assert (politeness_of(settings), limits_of(settings)) == (
        politeness(**changed[0]),
        frontier_limits(**changed[1]),
    )


def test_no_field_without_a_default_is_without_a_setting() -> None:
    assert set(POLITENESS.values()) == set(Politeness._fields) - set(Politeness._field_defaults)
