"""The habits of a real web. The share of each can be set.

catalogue  names, shares and meanings
spelling   how a link is written                         (links)
decoys     what looks like a link and is not one         (pages)
delivery   encodings, codings, framing, faults, delays   (pages)
exhibits   extra pages linked from ordinary ones: redirects, errors, documents, …
hosts      traits of ordinary hosts, and extra hosts
robots     what each kind of robots.txt says and forbids
sitemaps   hosts whose robots.txt names sitemaps
annexes    what the extra hosts serve: directories and traps
"""

from collections.abc import Iterable, Mapping

from webgraph_it.simweb.habits.catalogue import HABITS
from webgraph_it.simweb.plan import PlanError

PLAIN = "plain"
DEFAULT_SHARES = {habit.name: habit.share for habit in HABITS}


def chosen_shares(only: Iterable[str] | None, shares: Mapping[str, float]) -> dict[str, float]:
    """The habits that are on: those of `only` (all if None), with their shares. `shares` overrides them."""
    names = list(DEFAULT_SHARES) if only is None else [name for name in only if name != PLAIN]
    for name in [*names, *shares]:
        if name not in DEFAULT_SHARES:
            raise PlanError(f"unknown habit {name!r}; known are: {', '.join([PLAIN, *DEFAULT_SHARES])}")
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise PlanError(f"the share of habit {name!r} is {share}; expected a number from 0 to 1")
    chosen = {name: DEFAULT_SHARES[name] for name in names} | dict(shares)
    return {name: share for name, share in chosen.items() if share > 0}


def parse_share(text: str) -> tuple[str, float]:
    """`redirect=0.1` as name and share."""
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise PlanError(f"habit {text!r} is not NAME=SHARE with a share from 0 to 1") from None
