"""`parallel`: like graph's `compiled` (machine code at the first call, kept on disk), on every core.

Each of our `prange` loops writes only what its own chunk owns, and sums are added chunk by chunk in a fixed
order: results do not depend on the number of threads.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def parallel(function: Function) -> Function:
    """All cores, in the loops written with prange."""
    return cast(Function, njit(cache=True, nogil=True, parallel=True)(function))
