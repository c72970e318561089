"""`parallel`: like graph's `compiled` (machine code at the first call, cached on disk), but on all cores.

Each of our `prange` loops writes only to its own chunk, and sums are added chunk by chunk in a fixed order. So the
results do not depend on the number of threads.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def parallel(function: Function) -> Function:
    """Compile a function whose `prange` loops run on all cores."""
    return cast(Function, njit(cache=True, nogil=True, parallel=True)(function))
