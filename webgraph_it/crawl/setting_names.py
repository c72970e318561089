"""Which names are settings, and which setting a misspelt name may have meant. Pure.

A name given with -s must be Scrapy's, ours, one of the user's settings module, or in KNOWN_SETTINGS. Elsewhere (a
settings module, custom_settings, a script) users have settings for their own components. So there only a name close to
a known one is refused: a misspelt setting would have no effect, and nobody would notice.
"""

from collections.abc import Collection, Iterable

HINT = "Name the settings of your own components in KNOWN_SETTINGS or in your settings module."


def refusal(name: str, known: Collection[str], *, typed: bool) -> str | None:
    """Why this name is refused, in one or two sentences; None if it is accepted. `typed`: it was given with -s."""
    if name in known:
        return None
    meant = nearest(name, known)
    if meant is not None:
        return f"{name} is not a setting; did you mean {meant}? {HINT}"
    return f"{name} is not a setting: docs/settings.md lists ours. {HINT}" if typed else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs by one typing error, or by two in a long name."""
    slips = 2 if len(name) > 6 else 1
    near = [(distance, other) for other in known if (distance := _distance(name, other, slips)) <= slips]
    return min(near)[1] if near else None


def _distance(one: str, other: str, most: int) -> int:
    """Letters to insert, delete, replace or swap (Damerau); anything above `most` if there are more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, beside in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != beside))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == beside:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
