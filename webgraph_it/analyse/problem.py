"""Problem: a mistake that the user can fix, in one sentence."""


class Problem(Exception):
    """Says what was found, what was expected and what to do next."""
