"""Which names are settings, and which one a misspelt name may have meant (pure).

A name given with -s must be Scrapy's, ours, one of the user's settings module, or in KNOWN_SETTINGS. Elsewhere (a
settings module, custom_settings, a script) users keep settings of their own components, so there only a name
that is nearly a known one is refused: what stands there by mistake has no effect, and nobody would see it.
"""

from collections.abc import Collection, Iterable

HINT = "A setting of a component of your own is named in KNOWN_SETTINGS or in your settings module."


def refusal(name: str, known: Collection[str], *, typed: bool) -> str | None:
    """Why this name is not taken, in one or two sentences; `typed`: it was given with -s."""
    if name in known:
        return None
    meant = nearest(name, known)
    if meant is not None:
        return f"{name} is not a setting; did you mean {meant}? {HINT}"
    return f"{name} is not a setting: docs/settings.md lists ours. {HINT}" if typed else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs by one slip, or by two in a long name."""
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
