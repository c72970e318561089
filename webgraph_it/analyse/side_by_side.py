"""The progress of several members that crawl at the same time, as that of one crawl. Pure.

Each member writes a line about every ten seconds. For each ten seconds, the last line of each member counts: what is
there once for each member is added up, and what is there once for all is not.
"""

from collections.abc import Sequence

Moment = dict[str, float | None]

STEP_SECONDS = 10.0
ABSENT_SECONDS = 30.0
"""A member that wrote nothing for so long was not running."""
FOR_ALL = {"bandwidth_cap": max, "connections_cap": max, "free_disk_bytes": min}
"""Fields that describe the fleet or its machine, and how to choose among members' values."""
MEANS = ("links_per_page",)
LASTING = ("pages", "queued", "seen", "wire_bytes")
"""Fields that stay when a member has ended."""


def merged(members: Sequence[Sequence[Moment]]) -> list[Moment]:
    """One series of moments from those of each member, which are in order of time."""
    whole = [_without_falls(_timed(moments)) for moments in members]
    times = sorted(
        {moment["time"] // STEP_SECONDS for moments in whole for moment in moments if moment["time"]}
    )
    places = [0] * len(whole)
    found: list[Moment] = []
    for step in times:
        end = (step + 1) * STEP_SECONDS
        for number, moments in enumerate(whole):
            while places[number] < len(moments) and (moments[places[number]]["time"] or 0.0) < end:
                places[number] += 1
        last = [moments[place - 1] for moments, place in zip(whole, places, strict=True) if place]
        found.append(_together(last, end))
    return found


def _timed(moments: Sequence[Moment]) -> list[Moment]:
    return sorted(
        (moment for moment in moments if moment.get("time")), key=lambda moment: moment["time"] or 0.0
    )


def _without_falls(moments: list[Moment]) -> list[Moment]:
    """The bytes on the wire count from the start of a run: let them count from the start of the crawl."""
    before, last, found = 0.0, 0.0, []
    for moment in moments:
        value = moment.get("wire_bytes")
        if value is not None:
            before += last if value < last else 0.0
            last = value
            moment = {**moment, "wire_bytes": before + value}
        found.append(moment)
    return found


def _together(last: list[Moment], end: float) -> Moment:
    """The last moments of the members, as one moment."""
    present = [moment for moment in last if end - (moment["time"] or 0.0) <= ABSENT_SECONDS]
    result: Moment = {"time": max(moment["time"] or 0.0 for moment in present)}
    for name in dict.fromkeys(name for moment in last for name in moment if name != "time"):
        among = last if name in LASTING else present
        values = [value for moment in among if (value := moment.get(name)) is not None]
        if not values:
            result[name] = None
        elif name in FOR_ALL:
            result[name] = FOR_ALL[name](values)
        else:
            result[name] = sum(values) / (len(values) if name in MEANS else 1)
    return result
