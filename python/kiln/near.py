# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether linear algebra of the host is at hand: the target computes in the host's memory, and LAPACK is there."""
import ctypes
import functools
import glob
import importlib.util
import os

from kiln.specs import names_of

#: Where the runtime looks for LAPACK.
LIBRARIES = ("liblapack.so.3", "libopenblas.so.0", "liblapack.so", "libopenblas.so")
#: As many small matrices at once are the host's; more of them fill vectors.
SEVERAL = 64

#: Bytes of a matrix, with powers of two of rows and columns, that a block of a GPU's threads holds.
OF_BLOCK = 1 << 14


def prefer_scipy():
    """Has the runtime prefer SciPy's library, OpenBLAS, to those of the system, which may be the reference implementation. It is no
    demand: processes that inherit the preference and cannot load the library use the system's."""
    if os.environ.get("KILN_LAPACK") or os.environ.get("KILN_LAPACK_PREFERRED"):
        return
    try:
        scipy = importlib.util.find_spec("scipy")
    except (ImportError, ValueError):
        return
    for folder in (scipy.submodule_search_locations or ()) if scipy else ():
        found = sorted(glob.glob(os.path.join(os.path.dirname(folder), "scipy.libs", "libscipy_openblas-*.so")))
        if found:
            os.environ["KILN_LAPACK_PREFERRED"] = found[0]
            return


@functools.lru_cache(maxsize=None)
def _has_lapack(named, preferred):
    for name in [named] if named else [*filter(None, [preferred]), *LIBRARIES]:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            pass
    return False


def is_near(target):
    """Of a specification as for kiln-compile, or several with `+` between them."""
    return set(names_of(target)) == {"cpu"} and _has_lapack(
        os.environ.get("KILN_LAPACK", ""), os.environ.get("KILN_LAPACK_PREFERRED", ""))


def holds_matrices(target, rows, columns, bytes_of_element):
    """Whether the target has kernels that factorise such matrices in the registers of a block."""
    size = bytes_of_element
    for count in (rows, columns):
        size <<= (count - 1).bit_length()
    return set(names_of(target)) <= {"nvidia", "amd"} and size <= OF_BLOCK
