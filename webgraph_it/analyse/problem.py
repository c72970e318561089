"""Problem: what the user has to put right, in one sentence."""


class Problem(Exception):
    """Says what was found, what was expected and what to do next."""
