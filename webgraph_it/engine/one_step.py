"""A verb that changes the frontier: all of it, or the crawl has failed."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

S = TypeVar("S", bound=Any)
P = ParamSpec("P")
R = TypeVar("R")


def one_step(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """For methods of something that has `fail`, which is told of an exception."""

    @wraps(verb)
    def step(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(self, *args, **kwargs)
        except Exception as error:
            self.fail(error)
            raise

    return step
