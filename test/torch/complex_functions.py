# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers at zeros, infinities, NaN, on branch cuts, near overflow: as the C library has them (annex G of
its standard), which NumPy calls. Quotients and powers beside torch's own."""
import cmath
import itertools
import sys
import warnings

warnings.filterwarnings("ignore")
import numpy as np  # noqa: E402
import torch  # noqa: E402

import kiln.torch  # noqa: E402

NAMES = {"exp": "exp", "log": "log", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
         "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "abs": "abs"}
INFINITY, NAN = float("inf"), float("nan")
#: A type, its wider one, numbers near its ends, the error that is left to it.
TYPES = {torch.complex64: (np.complex128, 3e38, 1e19, 1e-30, 3e-6), torch.complex128: (np.clongdouble, 1.7e308, 1e160, 1e-200, 2e-12)}


def is_near(got, wanted, tolerance):
    """Each part, as far as the larger one lets it be computed; -0 is not 0. The sign of an infinity beside NaN is free."""
    parts = lambda x: (x.real, x.imag) if np.iscomplexobj(x) else (x,)  # noqa: E731
    size = np.maximum.reduce([np.where(np.isfinite(part), np.abs(part), 0) for part in parts(wanted)])
    made, free = np.ones(got.shape, bool), np.isnan(wanted)
    for a, b in zip(parts(got), parts(wanted)):
        same = (a == b) & ((b != 0) | (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
        same |= np.isinf(a) & np.isinf(b) & free
        made &= same | (np.abs(a - b) <= tolerance * size + np.finfo(a.dtype).tiny)
    return made


def grid(parts, dtype):
    made = torch.empty(len(parts) ** 2, 2, dtype=dtype.to_real())
    made[:] = torch.tensor(list(itertools.product(parts, parts)), dtype=made.dtype)
    return torch.view_as_complex(made)


def compiled(function):
    torch._dynamo.reset()
    return torch.compile(function, backend=kiln.torch.kiln, fullgraph=True, options={"target": "cpu"})


def tell(name, given, got, wanted, right):
    for at in np.flatnonzero(~right)[:5]:
        print(f"{name} of {given[at]}: {got[at]} for {wanted[at]}")
    return int((~right).sum())


def functions(dtype):
    wide, big, large, tiny, tolerance = TYPES[dtype]
    z = grid([0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 100.0, -1000.0, large, big, -big, tiny, INFINITY, -INFINITY, NAN], dtype)
    made = compiled(lambda z: [getattr(torch, name)(z) for name in NAMES])(z)
    wrong = 0
    for (name, of_numpy), got in zip(NAMES.items(), made):
        got = got.resolve_conj().numpy()
        wanted = getattr(np, of_numpy)(z.numpy().astype(wide)).astype(got.dtype)
        wrong += tell(name, z, got, wanted, is_near(got, wanted, tolerance))
    return wrong


def quotients(dtype):
    """Infinity by a number, numbers by infinity and zero, and numbers whose squares are none."""
    _, big, _, tiny, tolerance = TYPES[dtype]
    given = [(complex(a, b), complex(c, d)) for a, b, c, d in itertools.product([0.0, 1.0, -2.0, big, tiny, INFINITY], repeat=4)]
    x, y = (torch.tensor(one, dtype=dtype) for one in zip(*given))
    got, squares, roots = (one.numpy() for one in compiled(lambda x, y: (x / y, torch.pow(x, 1.5), torch.pow(x, -1)))(x, y))
    wanted = []
    for a, b in zip(x.tolist(), y.tolist()):
        if cmath.isinf(a) or cmath.isinf(b) or not b:
            both = cmath.isinf(a) and cmath.isinf(b) or not a and not b
            wanted.append(complex(NAN, NAN) if both else 0 if cmath.isinf(b) else complex(INFINITY, INFINITY))
        else:
            wanted.append(complex(np.clongdouble(a) / np.clongdouble(b)))
    wanted = np.array(wanted).astype(got.dtype)
    kind = lambda z: np.where(np.isinf(z.real) | np.isinf(z.imag), 1, np.where(np.isnan(z.real) | np.isnan(z.imag), 2, 0))  # noqa: E731
    right = np.where(kind(wanted) == 0, is_near(got, np.where(wanted == 0, got * 0, wanted), tolerance), kind(got) == kind(wanted))
    wrong = tell("quotient", given, got, wanted, right)
    of_torch = torch.pow(x, 1.5).numpy()
    right = np.where(kind(of_torch) == 0, is_near(squares + 0, of_torch + 0, tolerance), kind(squares) == kind(of_torch))
    wrong += tell("power", given, squares, of_torch, right)
    one = complex(1)
    wanted = np.array([complex(INFINITY, INFINITY) if not a else 0 if cmath.isinf(a) else one / a for a in x.tolist()]).astype(got.dtype)
    return wrong + tell("inverse", given, roots, wanted, np.where(kind(wanted) == 0, np.abs(roots - wanted) <= tolerance * np.abs(wanted) + (
        np.finfo(got.real.dtype).tiny), kind(roots) == kind(wanted)))


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        count = sum(functions(dtype) + quotients(dtype) for dtype in TYPES)
    print("all right" if not count else f"{count} wrong")
    sys.exit(bool(count))
