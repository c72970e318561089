"""Tests are never timed: a busy machine makes no example wrong."""

import os
import signal

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.register_profile("mutants", deadline=None, max_examples=20, derandomize=True)
settings.load_profile("untimed")
os.environ.pop(
    "PYTHONDONTWRITEBYTECODE", None
)  # hundreds of crawls are started: each would compile all modules anew
for _number, _usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:  # in the background of a script, or under nohup
        signal.signal(_number, _usual)  # what a test starts would ignore it, too
