"""Tests are never timed: a busy machine makes no example wrong."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
