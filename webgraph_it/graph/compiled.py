"""`compiled`: a function translated to machine code by numba at its first call, and kept on disk.

Importing a module of kernels compiles nothing. A second process finds the machine code in numba's cache. The
kernels release the interpreter's lock, so that plain threads run them in parallel.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile to machine code on first call. The signature stays the same."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """The same for small functions that kernels call. Their code is inlined."""
    return cast(Function, njit(cache=True, nogil=True, inline="never", forceinline=True)(function))


def _leading_zeros(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


leading_zeros: Callable[[Any], int] = intrinsic(_leading_zeros)  # type: ignore[assignment]
"""Number of zero bits above the highest one of a 64-bit value (64 for zero). For use inside kernels only."""

LANES = 8
"""Number of 32-bit values that `count_smaller` takes at a time."""


def _count_smaller(typing_context: Any, values: Any, count: Any, first: Any, out: Any) -> Any:
    lanes = ir.VectorType(ir.IntType(32), LANES)
    zeros, undefined = ir.Constant(lanes, [0] * LANES), ir.Constant(lanes, ir.Undefined)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        each, till, start, to = arguments
        data = context.make_array(signature.args[0])(context, builder, each).data
        ranks = context.make_array(signature.args[3])(context, builder, to).data
        lane = builder.bitcast(builder.gep(data, [start]), lanes.as_pointer())
        mine = builder.load(lane, align=4)
        smaller = cgutils.alloca_once_value(builder, zeros)  # type: ignore[no-untyped-call]
        with cgutils.for_range(builder, till) as loop:
            value = builder.load(builder.gep(data, [loop.index]))
            one = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
            less = builder.icmp_signed("<", builder.shuffle_vector(one, undefined, zeros), mine)
            builder.store(builder.sub(builder.load(smaller), builder.sext(less, lanes)), smaller)
        place = builder.bitcast(builder.gep(ranks, [start]), lanes.as_pointer())
        builder.store(builder.load(smaller), place, align=4)
        return context.get_dummy_value()

    return types.void(values, types.intp, types.intp, out), generate


count_smaller: Callable[[Any, int, int, Any], None] = intrinsic(_count_smaller)  # type: ignore[assignment]
"""out[i] = how many of values[:count] are less than values[i], for the LANES places i from `first`. Values
are 32 bits wide and below 2^31. Both arrays have room for all the lanes. For use inside kernels only.

numba would compare one value with many and then add up the lanes. Comparing many values with one needs no such sum.
"""


@inlined
def signed(value: Any) -> int:
    """A number of any width as a signed 64-bit one, because mixing unsigned and signed gives a float."""
    return np.int64(value)  # type: ignore[return-value]
