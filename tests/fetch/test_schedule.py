import json
import math
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import parse_schedule
from webgraph_it.fetch.schedule import Schedule, ScheduleError, bytes_per_second

ROME = ZoneInfo("Europe/Rome")
OFFICE = [
    ["mon-fri 08:00-19:00", "1500 KB/s"],
    ["sat,sun", "10 Mbit/s"],
    ["22:00-06:00", "unlimited"],
    ["*", "0"],
]


def rome(text: str, fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ROME, fold=fold).timestamp()


def utc(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("when", "rate"),
    [
        ("2026-11-16 07:59:59", 0.0),  # a Monday
        ("2026-11-16 08:00:00", 1_500_000.0),
        ("2026-11-16 18:59:59", 1_500_000.0),
        ("2026-11-16 19:00:00", 0.0),
        ("2026-11-16 22:00:00", math.inf),
        ("2026-11-17 05:59:59", math.inf),
        ("2026-11-17 06:00:00", 0.0),
        ("2026-11-20 23:00:00", math.inf),
        ("2026-11-21 00:30:00", 1_250_000.0),  # Saturday: the first match wins
        ("2026-11-22 23:59:59", 1_250_000.0),
        ("2026-11-23 00:00:00", math.inf),  # the night that began on Sunday
    ],
)
def test_the_first_match_decides(when: str, rate: float) -> None:
    assert parse_schedule(OFFICE).rate_at(rome(when)) == rate


@pytest.mark.parametrize(
    ("when", "matching", "others"),
    [
        ("*", ["2026-11-16 00:00", "2026-11-22 23:59"], []),
        ("12:00-13:00", ["2026-11-16 12:00", "2026-11-22 12:59"], ["2026-11-16 11:59", "2026-11-16 13:00"]),
        ("* 12:00-13:00", ["2026-11-16 12:00"], ["2026-11-16 13:00"]),
        ("mon-fri 19:00-24:00", ["2026-11-16 23:59"], ["2026-11-17 00:00", "2026-11-21 20:00"]),
        (
            "fri 22:00-06:00",
            ["2026-11-20 22:00", "2026-11-21 05:59"],
            ["2026-11-20 05:00", "2026-11-21 22:00"],
        ),
        ("sun 22:00-06:00", ["2026-11-23 05:59"], ["2026-11-22 05:59"]),
        ("sat-mon", ["2026-11-21 12:00", "2026-11-22 12:00", "2026-11-23 12:00"], ["2026-11-24 12:00"]),
        ("mon,wed-thu", ["2026-11-16 12:00", "2026-11-18 12:00", "2026-11-19 12:00"], ["2026-11-17 12:00"]),
        ("SAT,Sun", ["2026-11-21 12:00"], ["2026-11-23 12:00"]),
        ("00:00-24:00", ["2026-11-16 00:00", "2026-11-16 23:59"], []),
    ],
)
def test_when(when: str, matching: list[str], others: list[str]) -> None:
    schedule = parse_schedule([[when, "1 B/s"]])
    assert [at for at in matching if schedule.rate_at(rome(at)) != 1] == []
    assert [at for at in others if schedule.rate_at(rome(at)) != math.inf] == []


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("1500 KB/s", 1.5e6),
        ("1500KB/s", 1.5e6),
        ("2 MB/s", 2e6),
        ("0.5 MB/s", 5e5),
        ("10 Mbit/s", 1.25e6),
        ("400 kb/s", 4e5),
        ("64 KiB/s", 65_536.0),
        ("100 B/s", 100.0),
        ("0", 0.0),
        ("0 KB/s", 0.0),
        ("unlimited", math.inf),
    ],
)
def test_rates(text: str, rate: float) -> None:
    assert bytes_per_second(text) == rate


def test_no_match_and_no_schedule_are_unlimited() -> None:
    assert parse_schedule([["mon", "0"]]).rate_at(rome("2026-11-17 12:00")) == math.inf
    assert parse_schedule([]).rate_at(0) == math.inf
    assert parse_schedule("").rate_at(0) == math.inf


def test_json_text_as_the_command_line_gives_it_is_the_same() -> None:
    assert parse_schedule(json.dumps(OFFICE)) == parse_schedule(OFFICE)
    assert parse_schedule('["mon-fri 08:00-19:00", "1500 KB/s"]') == parse_schedule(OFFICE[:1])


def test_spring_has_no_hour_between_two_and_three() -> None:
    """2026-03-29, 01:00 UTC: clocks in Rome go from 02:00 to 03:00."""
    schedule = parse_schedule([["02:00-03:00", "1 B/s"], ["03:00-04:00", "2 B/s"]])
    assert schedule.rate_at(utc("2026-03-29 00:59:59")) == math.inf  # 01:59:59
    assert schedule.rate_at(utc("2026-03-29 01:00:00")) == 2  # 03:00:00
    assert schedule.rate_at(utc("2026-03-29 01:59:59")) == 2
    assert schedule.rate_at(utc("2026-03-29 02:00:00")) == math.inf


def test_autumn_has_the_hour_between_two_and_three_twice() -> None:
    """2026-10-25, 01:00 UTC: clocks in Rome go from 03:00 back to 02:00."""
    schedule = parse_schedule([["02:00-03:00", "1 B/s"]])
    assert schedule.rate_at(utc("2026-10-24 23:59:59")) == math.inf
    assert schedule.rate_at(utc("2026-10-25 00:00:00")) == 1
    assert schedule.rate_at(utc("2026-10-25 00:59:59")) == 1
    assert schedule.rate_at(utc("2026-10-25 01:00:00")) == 1
    assert schedule.rate_at(utc("2026-10-25 01:59:59")) == 1
    assert schedule.rate_at(utc("2026-10-25 02:00:00")) == math.inf


@pytest.mark.parametrize(
    ("utc_time", "rate"), [("2026-03-27 07:00", 1), ("2026-03-30 06:00", 1), ("2026-03-27 06:30", math.inf)]
)
def test_eight_in_the_morning_is_eight_in_the_morning_on_both_sides_of_the_change(
    utc_time: str, rate: float
) -> None:
    assert parse_schedule([["08:00-19:00", "1 B/s"]]).rate_at(utc(utc_time)) == rate


def test_another_time_zone() -> None:
    schedule = parse_schedule([["08:00-09:00", "1 B/s"]], "America/New_York")
    assert schedule.rate_at(utc("2026-11-16 13:30")) == 1


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("mon-fri", "BANDWIDTH_SCHEDULE: 'mon-fri' found, JSON such as"),
        ('{"a": 1}', "a list of [when, rate] expected."),
        (7, "BANDWIDTH_SCHEDULE: 7 found, a list of [when, rate] expected."),
        ([["*"]], 'BANDWIDTH_SCHEDULE: ["*"] found, entries such as'),
        ([["*", 5]], 'BANDWIDTH_SCHEDULE: ["*", 5] found, entries such as'),
        ([["monday", "0"]], "BANDWIDTH_SCHEDULE: 'monday' found, days such as"),
        ([["mon- 08:00-09:00", "0"]], "'mon-' found, days such as"),
        ([["", "0"], ["mon fri", "0"]], "'mon fri' found, days and hours such as"),
        ([["08:00-25:00", "0"]], "'08:00-25:00' found, hours such as"),
        ([["08:00-08:00", "0"]], "'08:00-08:00' found, hours such as"),
        ([["24:00-08:00", "0"]], "'24:00-08:00' found, hours such as"),
        ([["08:60-09:00", "0"]], "'08:60-09:00' found, hours such as"),
        ([["8:00", "0"]], "'8:00' found, hours such as"),
        ([["*", "1500 KBs"]], "'1500 KBs' found, a rate such as"),
        ([["*", "1500"]], "'1500' found, a rate such as"),
        ([["*", "-1 KB/s"]], "'-1 KB/s' found, a rate such as"),
        ([["*", "1 parsec/s"]], "'1 parsec/s' found, a rate such as"),
    ],
)
def test_a_wrong_value_is_one_sentence(value: object, sentence: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_schedule(value)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["Europe/Padova", "", "/etc/passwd", "../x"])
def test_a_wrong_time_zone_is_one_sentence(name: str) -> None:
    with pytest.raises(
        ScheduleError, match=r"SCHEDULE_TIMEZONE: .* found, an IANA name such as Europe/Rome expected\."
    ):
        parse_schedule([], name)


_times = st.tuples(st.integers(0, 23), st.integers(0, 59)).map(lambda t: f"{t[0]:02}:{t[1]:02}")


@given(_times, _times, st.integers(1_700_000_000, 1_800_000_000))
def test_hours_and_their_complement_share_the_day(start: str, end: str, when: int) -> None:
    if start != end:
        inside = parse_schedule([[f"{start}-{end}", "1 B/s"]]).rate_at(when) == 1
        outside = parse_schedule([[f"{end}-{start}", "1 B/s"]]).rate_at(when) == 1
        assert inside != outside


_anything = st.recursive(st.none() | st.integers() | st.text(max_size=12), st.lists, max_leaves=8)
_nearly = st.lists(
    st.tuples(
        st.sampled_from(["*", "", "mon-fri", "08:00-19:00", "sat,sun 22:00-06:00", "24:00-08:00", "lun"]),
        st.sampled_from(["0", "unlimited", "1500 KB/s", "64 KiB/s", "1 parsec/s", "-1 B/s", ""]),
    ).map(list),
    max_size=3,
)


@given(_anything | _nearly)
def test_any_value_is_a_schedule_or_one_sentence(value: object) -> None:
    """A schedule has an entry for each pair, and a rate that is one at every hour of a week."""
    try:
        found: Schedule | str = parse_schedule(value)
    except ScheduleError as error:
        found = str(error)
    if isinstance(found, str):
        assert re.fullmatch(r"BANDWIDTH_SCHEDULE: .* found, .* expected\.", found)
    else:
        assert isinstance(value, list | str)
        assert len(found.entries) <= len(value)
        rates = {entry.bytes_per_second for entry in found.entries} | {math.inf}
        assert {found.rate_at(1_790_000_000 + 3600 * hour) for hour in range(7 * 24)} <= rates
        assert all(rate >= 0 for rate in rates)


@given(_nearly)
def test_a_schedule_of_sound_pairs_is_one_and_of_others_none(pairs: list[list[str]]) -> None:
    sound = all(
        when not in ("24:00-08:00", "lun") and rate not in ("1 parsec/s", "-1 B/s", "")
        for when, rate in pairs
    )
    if sound:
        assert len(parse_schedule(pairs).entries) == len(pairs)
    else:
        with pytest.raises(ScheduleError):
            parse_schedule(pairs)
