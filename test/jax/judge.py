# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a result is as exact as the types of its program allow. Both sides round at each step: where they are farther apart
than a tolerance, the program in wider types says which of them is right. A result is right if it is at least as near to that as
the other side's, or no farther than the exact result moves where each argument moves by at most two units in its last place:
then it is the exact result of arguments near those given, as that of a stable algorithm is (Higham, Accuracy and Stability of
Numerical Algorithms, section 1.5). Two units, as each step of a recurrence rounds its operands again: the gradient of thirty
steps of tanh, in f32 and with the sums in twelve orders, is away from the exact one by up to four times what half a unit does at the median."""
import ml_dtypes
import numpy as np

WIDER = {np.dtype(ml_dtypes.bfloat16): "float32", np.dtype("float16"): "float32", np.dtype("float32"): "float64",
         np.dtype("complex64"): "complex128"}
#: How often the arguments are moved, and by how many units in the last place.
MOVES, UNITS = 8, 2


def widen(array):
    """An argument in the next wider type, where it has one."""
    array = np.asarray(array)
    return array.astype(WIDER.get(array.dtype, array.dtype))


def moved(array, generator):
    """An argument in the next wider type, each number moved by at most UNITS."""
    array = np.asarray(array)
    if array.dtype not in WIDER:
        return array
    most = UNITS * float(ml_dtypes.finfo(array.dtype).eps)
    wide = widen(array)
    by = lambda part: part * (1 + most * generator.uniform(-1, 1, part.shape))  # noqa: E731
    return by(wide.real) + 1j * by(wide.imag) if np.iscomplexobj(wide) else by(wide).astype(wide.dtype)


def far(one, exact):
    """The largest distance between numbers, infinity where only one of them is none."""
    with np.errstate(all="ignore"):
        apart = np.abs(one.astype(exact.dtype) - exact)
    return float(np.nanmax(apart, initial=0)) if np.array_equal(np.isnan(one), np.isnan(exact)) else float("inf")


def is_near(found, expected, evaluate):
    """Whether what was found is right by this rule. `evaluate(change)` gives the result of the program whose arguments `change` has
    replaced by wider ones, or None."""
    exact = evaluate(widen)
    if expected.dtype not in WIDER or exact is None or exact.shape != found.shape or exact.dtype != WIDER[expected.dtype]:
        return False
    ours = far(found, exact)
    if ours <= far(expected, exact):
        return True
    generator = np.random.default_rng(5)
    return any(ours <= far(evaluate(lambda one: moved(one, generator)), exact) for _ in range(MOVES))
