"""A method that changes the frontier completes, or the crawl fails."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

S = TypeVar("S", bound=Any)
P = ParamSpec("P")
R = TypeVar("R")


def one_step(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Decorates a method: its object's `fail` is called with any exception."""

    @wraps(verb)
    def step(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(self, *args, **kwargs)
        except Exception as error:
            self.fail(error)
            raise

    return step
