"""Two decorators that compile a function with numba when it is first called, never at import.

The machine code is kept in numba's cache beside the source (or in the user's cache folder where that is not
writable), so only the first run of a new version pays for it. `parallel` runs `prange` loops on every core;
each of ours writes only what its own chunk owns, so results do not depend on the number of threads.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., object])


def compiled(function: _Function) -> _Function:
    """One thread."""
    return cast(_Function, njit(cache=True, nogil=True)(function))


def parallel(function: _Function) -> _Function:
    """All cores, in the loops written with prange."""
    return cast(_Function, njit(cache=True, nogil=True, parallel=True)(function))
