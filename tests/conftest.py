"""Tests are never timed: a busy machine makes no example wrong."""

import os

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.register_profile("mutants", deadline=None, max_examples=20, derandomize=True)
settings.load_profile("untimed")
os.environ.pop(
    "PYTHONDONTWRITEBYTECODE", None
)  # hundreds of crawls are started: each would compile all modules anew
