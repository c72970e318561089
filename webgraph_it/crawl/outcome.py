"""The exit code of a crawl (docs/operations.md). Pure."""

from webgraph_it.crawl.reasons import meaning_of
from webgraph_it.crawl.tally import Tally

FINISHED, FAILED, WRONG_USAGE, STOPPED = 0, 1, 2, 3
"""Exit codes: nothing left to do; failed; not started; URLs left, to resume with the same JOBDIR."""
INTERRUPTED = 130
"""The exit code after Ctrl-C before the crawl began, as of a shell."""

FAILURES = ("failed", "start_error")
"""Close reasons that mean a failure: a bug of ours, or a fault of the machine."""


def exit_code(reason: str, left: int) -> int:
    """`reason`: why the spider was closed; `left`: URLs still queued. A crawl that was stopped never returns 0, because
    it may have been stopped before its seeds were loaded."""
    if reason in FAILURES:
        return FAILED
    return STOPPED if left or reason != "finished" else FINISHED


def nobody_answered(tally: Tally) -> bool:
    """Whether pages were tried and every fetch failed: then the fault is probably here. A page that robots.txt forbids
    was not tried, but its host answered."""
    tried = tally.pages > 0 and set(+tally.statuses) == {"0"}
    return tried and all(_is_failure(reason) for reason in +tally.reasons)


def _is_failure(reason: str) -> bool:
    return reason == "host-given-up" or meaning_of(reason) is not None
