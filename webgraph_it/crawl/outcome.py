"""The exit code of a crawl (docs/operations.md)."""

FINISHED, FAILED, WRONG_USAGE, STOPPED = 0, 1, 2, 3
"""Exit codes: nothing left to do; failed; not started; URLs left, to resume with the same JOBDIR."""

FAILURES = ("failed", "start_error")
"""Close reasons that mean a failure: a bug of ours, or a fault of the machine."""


def exit_code(reason: str, left: int) -> int:
    """`reason`: why the spider was closed; `left`: URLs still queued. A crawl that was stopped never returns 0, because
    it may have been stopped before its seeds were loaded."""
    if reason in FAILURES:
        return FAILED
    return STOPPED if left or reason != "finished" else FINISHED
