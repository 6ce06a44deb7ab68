# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a result is as near to what wider types give as another rounding of it. Both sides round at each step: where they are
farther apart than a tolerance, the program in wider types says which of them is right. A long recurrence multiplies what is
rounded, so that either side may be the nearer one by chance: one may be twice as far as the other, as in PyTorch's tests here."""
import ml_dtypes
import numpy as np

WIDER = {np.dtype(ml_dtypes.bfloat16): "float32", np.dtype("float16"): "float32", np.dtype("float32"): "float64",
         np.dtype("complex64"): "complex128"}


def widen(array):
    """An argument in the next wider type, where it has one."""
    array = np.asarray(array)
    return array.astype(WIDER.get(array.dtype, array.dtype))


def is_near(found, expected, exact):
    """Whether what was found is at most twice as far as what was expected."""
    if expected.dtype not in WIDER or exact.shape != found.shape or not np.issubdtype(exact.dtype, np.inexact):
        return False
    kind = WIDER[expected.dtype]
    with np.errstate(all="ignore"):
        ours, theirs = np.abs(found.astype(kind) - exact), np.abs(expected.astype(kind) - exact)
    return np.array_equal(np.isnan(found), np.isnan(exact)) and \
        bool(np.nanmax(ours, initial=0) <= 2 * np.nanmax(theirs, initial=0))
