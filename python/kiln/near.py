# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether linear algebra of the host is at hand: the target computes in the host's memory, and LAPACK is there."""
import ctypes
import functools
import os

from kiln.specs import names_of

#: Where the runtime looks for LAPACK.
LIBRARIES = ("liblapack.so.3", "libopenblas.so.0", "liblapack.so", "libopenblas.so")
#: As many small matrices at once are the host's; more of them fill vectors.
SEVERAL = 64


@functools.lru_cache(maxsize=None)
def _has_lapack(named):
    for name in [named] if named else LIBRARIES:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            pass
    return False


def is_near(target):
    """Of a specification as for kiln-compile, or several with `+` between them."""
    return set(names_of(target)) == {"cpu"} and _has_lapack(os.environ.get("KILN_LAPACK", ""))
