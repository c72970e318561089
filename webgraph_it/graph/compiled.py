"""`compiled`: a function translated to machine code by numba at its first call, and kept on disk.

Importing a module of kernels compiles nothing; a second process finds the translation in numba's cache. The
kernels release the interpreter's lock, so that plain threads run them side by side.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Machine code on first call, with the same signature."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """The same, for the small functions that kernels call: their code is put in place of the call."""
    return cast(Function, njit(cache=True, nogil=True, inline="never", forceinline=True)(function))


def _leading_zeros(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


leading_zeros: Callable[[Any], int] = intrinsic(_leading_zeros)  # type: ignore[assignment]
"""Number of zero bits above the highest one of a 64-bit value; 64 for zero. For use inside kernels only."""


@inlined
def signed(value: Any) -> int:
    """A number of any width as a signed 64-bit one: unsigned and signed mixed would become a float."""
    return np.int64(value)  # type: ignore[return-value]
