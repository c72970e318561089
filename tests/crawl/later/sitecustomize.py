"""Python imports this at its start if this folder is in PYTHONPATH: the process then lives DAYS_LATER days later."""

import os
import time

_now = time.time
_seconds = 86_400 * float(os.environ.get("DAYS_LATER", "0"))


def _later() -> float:
    return _now() + _seconds


time.time = _later
