"""Which names are taken for settings, and what a misspelt one may have meant."""

import pytest

from webgraph_it.crawl.setting_names import nearest, refusal

KNOWN = {"BANDWIDTH_SCHEDULE", "HOST_DELAY", "MAX_DEPTH", "SEEDS", "JOBDIR", "MAX_TCP_CONNECTIONS"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("BANDWITH_SCHEDULE", "BANDWIDTH_SCHEDULE"),
        ("BANDWIDTH_SCHEUDLE", "BANDWIDTH_SCHEDULE"),
        ("HOSTDELAY", "HOST_DELAY"),
        ("MAX_DEPHT", "MAX_DEPTH"),
        ("SEED", "SEEDS"),
        ("JOB_DIR", "JOBDIR"),
        ("MY_HOST_DELAY", None),
        ("SPEED", None),
        ("PARTS_COLOUR", None),
    ],
)
def test_the_nearest_name_is_one_or_two_slips_away(name: str, meant: str | None) -> None:
    assert nearest(name, KNOWN) == meant


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("HOST_DELAY", True, None),
        ("BANDWITH_SCHEDULE", True, "did you mean BANDWIDTH_SCHEDULE?"),
        ("BANDWITH_SCHEDULE", False, "did you mean BANDWIDTH_SCHEDULE?"),
        ("PARTS_COLOUR", True, "PARTS_COLOUR is not a setting"),
        ("PARTS_COLOUR", False, None),
    ],
)
def test_users_keep_settings_of_their_own_except_on_the_command_line(
    name: str, typed: bool, words: str | None
) -> None:
    reason = refusal(name, KNOWN, typed=typed)
    assert reason is None if words is None else words in reason
