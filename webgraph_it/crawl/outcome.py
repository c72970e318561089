"""How a crawl ended, as the caller of the process is told (docs/operations.md)."""

FINISHED, FAILED, WRONG_USAGE, STOPPED = 0, 1, 2, 3
"""Exit codes: nothing is left to do; something broke; it did not begin; URLs are left, resume with the same JOBDIR."""

FAILURES = ("failed", "start_error")
"""Reasons for which a spider is closed that are a mistake of ours, or of the machine's."""


def exit_code(reason: str, left: int) -> int:
    """`reason`: why the spider was closed; `left`: URLs that wait. Who is stopped may not have begun: no 0."""
    if reason in FAILURES:
        return FAILED
    return STOPPED if left or reason != "finished" else FINISHED
